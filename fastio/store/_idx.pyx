"""Loops of the pack index: sorting a pack's oids, its sections, and look-ups in existing ones."""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcmp, memcpy

from fastio.errors import PackError
from fastio.objects._oids cimport checked_oid
from fastio.store._objmap cimport ObjectMap, fastio_prefetch

cdef enum:
    FAN_OUT = 1024  # bytes: 256 counts
    HEADER = 8  # magic and version; version 1 has none
    AHEAD = 32  # entries loaded ahead: without it each one waits for memory
    BUCKET = 16  # oids a bucket of the sort, on average
    MOST_GUESSES = 4
    FEW = 8  # oids among which halving is as good as guessing
    FINE = 4  # oids for each count of a finer fan-out
    FINEST_BITS = 24
    LARGE_OFFSET = 0x80000000  # first offset that needs 8 bytes, and the bit that says so


cdef inline void put32(unsigned char *to, uint32_t value) noexcept nogil:
    to[0], to[1], to[2], to[3] = value >> 24, value >> 16 & 255, value >> 8 & 255, value & 255


cdef inline uint32_t get32(const unsigned char *at) noexcept nogil:
    return <uint32_t>at[0] << 24 | <uint32_t>at[1] << 16 | <uint32_t>at[2] << 8 | at[3]


cdef inline uint64_t get64(const unsigned char *at) noexcept nogil:
    return <uint64_t>get32(at) << 32 | get32(at + 4)


cdef struct Key:
    uint64_t head  # first eight bytes of the oid as a number
    const unsigned char *oid
    uint32_t id
    uint32_t oid_size


cdef int compare(const void *left, const void *right) noexcept nogil:
    cdef const Key *a = <const Key *>left
    cdef const Key *b = <const Key *>right
    if a.head != b.head:
        return -1 if a.head < b.head else 1
    return memcmp(a.oid, b.oid, a.oid_size)


cdef void sort_keys(Key *keys, size_t count) noexcept nogil:
    cdef size_t done, at
    cdef Key key
    if count > 4 * BUCKET:  # only where oids are far from uniform
        qsort(keys, count, sizeof(Key), compare)
        return
    for done in range(1, count):
        key = keys[done]
        at = done
        while at > 0 and compare(&keys[at - 1], &key) > 0:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key


@cython.final
cdef class SortedIds:
    """Objects of *pack*, and what an idx says of them: a piece at a time, in oid order, once.

    Ids are put into buckets by the first bits of their oids, which reads the map from one end to
    the other. After that each entry is visited once, for entries of neighbouring oids lie anywhere
    and memory is slow: its bucket is sorted, and all that the idx says of it is written at once.
    """

    def __cinit__(self, ObjectMap object_map, int pack, int64_t first_id=0):
        cdef int64_t id, stop = len(object_map)
        cdef int bits = 1
        cdef uint32_t bucket
        if not 0 <= first_id <= stop:
            raise PackError(f"no entry {first_id} in an object map of {stop}")
        self.map = object_map
        while bits < 22 and BUCKET << bits < stop - first_id:
            bits += 1
        self.buckets, self.shift = 1 << bits, 64 - bits
        self.ends = <uint32_t *>calloc(self.buckets + 1, sizeof(uint32_t))
        if self.ends == NULL:
            raise MemoryError
        with nogil:
            for id in range(first_id, stop):
                if object_map.c_pack(<uint32_t>id) == pack:
                    self.ends[self.bucket_of(<uint32_t>id)] += 1
                    self.first_bytes[object_map.c_oid(<uint32_t>id)[0]] += 1
                    self.last_offset = max(self.last_offset, object_map.c_offset(<uint32_t>id))
            for bucket in range(self.buckets):
                self.largest = max(self.largest, self.ends[bucket])
                self.count += self.ends[bucket]
                self.ends[bucket] = self.count
        self.ends[self.buckets] = self.count
        self.ids = <uint32_t *>malloc((<size_t>self.count + 1) * sizeof(uint32_t))
        self.keys = <Key *>malloc((<size_t>self.largest + 1) * sizeof(Key))
        if self.ids == NULL or self.keys == NULL:
            raise MemoryError
        with nogil:
            for id in range(first_id, stop):
                if object_map.c_pack(<uint32_t>id) == pack:
                    bucket = self.bucket_of(<uint32_t>id)
                    self.ends[bucket] -= 1  # in the end it is where the bucket starts
                    self.ids[self.ends[bucket]] = <uint32_t>id

    def __dealloc__(self):
        free(self.ends)
        free(self.ids)
        free(self.keys)

    cdef inline uint32_t bucket_of(self, uint32_t id) noexcept nogil:
        return <uint32_t>(get64(self.map.c_oid(id)) >> self.shift)

    cdef inline void prefetch(self, uint32_t number) noexcept nogil:
        if number < self.count:
            self.map.c_prefetch_place(self.ids[number])

    cdef uint32_t sort_bucket(self) noexcept nogil:
        # Sort the next bucket into keys; returns how many there are.
        cdef uint32_t start = self.ends[self.bucket], count, number
        self.bucket += 1
        count = self.ends[self.bucket] - start
        for number in range(start, start + count):
            self.prefetch(number + AHEAD)
        for number in range(count):
            self.keys[number].id = self.ids[start + number]
            self.keys[number].oid = self.map.c_oid(self.keys[number].id)
            self.keys[number].oid_size = self.map.oid_size
            self.keys[number].head = get64(self.keys[number].oid)
        sort_keys(self.keys, count)
        return count

    def __len__(self):
        return self.count

    def fan_out(self):
        cdef unsigned char table[FAN_OUT]
        cdef uint32_t running = 0
        cdef int number
        for number in range(256):
            running += self.first_bytes[number]
            put32(table + 4 * number, running)
        return PyBytes_FromStringAndSize(<char *>table, FAN_OUT)

    def take(self, uint32_t limit):
        """Return names, crcs, offsets and large offsets of the next objects.

        There are *limit* of them, less than a bucket more, or what is left.
        """
        cdef uint32_t left = self.count - self.ends[self.bucket]
        cdef uint32_t room = min(left, limit + self.largest), count = 0, number
        cdef Py_ssize_t oid_size = self.map.oid_size
        cdef bytes names = PyBytes_FromStringAndSize(NULL, room * oid_size)
        cdef bytes crcs = PyBytes_FromStringAndSize(NULL, room * 4)
        cdef bytes offsets = PyBytes_FromStringAndSize(NULL, room * 4)
        cdef bytearray large = bytearray()
        cdef unsigned char *name = <unsigned char *>PyBytes_AS_STRING(names)
        cdef unsigned char *crc = <unsigned char *>PyBytes_AS_STRING(crcs)
        cdef unsigned char *offset = <unsigned char *>PyBytes_AS_STRING(offsets)
        cdef uint64_t place
        with nogil:
            while count < limit and self.bucket < self.buckets:
                for number in range(self.sort_bucket()):
                    memcpy(name + count * oid_size, self.keys[number].oid, oid_size)
                    put32(crc + 4 * count, self.map.c_crc(self.keys[number].id))
                    place = self.map.c_offset(self.keys[number].id)
                    if place >= <uint64_t>LARGE_OFFSET:
                        with gil:
                            large += place.to_bytes(8, "big")
                        place = <uint64_t>LARGE_OFFSET | self.large_count
                        self.large_count += 1
                    put32(offset + 4 * count, <uint32_t>place)
                    count += 1
        return names[: count * oid_size], crcs[: 4 * count], offsets[: 4 * count], bytes(large)


cdef class IndexView:
    """Look-ups in the bytes of an idx, which stay the caller's and must not change.

    Raises PackError for bytes that are no idx, and where an entry says what cannot be.
    """

    def __init__(self, source, int oid_size):
        if self.held:
            raise PackError("this pack index is open already")
        self.oid_size = oid_size
        PyObject_GetBuffer(source, &self.buffer, PyBUF_SIMPLE)
        self.held = True
        self.lay_out(<const unsigned char *>self.buffer.buf, self.buffer.len)

    def __dealloc__(self):
        self.let_go_of_fine()
        if self.held:
            PyBuffer_Release(&self.buffer)

    def close(self):
        self.let_go_of_fine()
        if self.held:
            self.held = False
            self.count = 0  # nothing is found from here on
            self.fan_out = NULL
            PyBuffer_Release(&self.buffer)

    cdef int lay_out(self, const unsigned char *start, uint64_t size) except -1:
        cdef uint64_t fixed, count
        cdef int number
        cdef bint is_v2 = size >= HEADER and memcmp(start, b"\377tOc", 4) == 0
        cdef uint64_t head = HEADER if is_v2 else 0
        if is_v2 and get32(start + 4) != 2:
            raise PackError(f"pack index version {get32(start + 4)} is unknown")
        if size < head + FAN_OUT + 2 * self.oid_size:
            raise PackError(f"pack index is too small: {size} bytes")
        for number in range(1, 256):
            if get32(start + head + 4 * number) < get32(start + head + 4 * (number - 1)):
                raise PackError(f"pack index has a wrong fan-out count at {number}")
        count = get32(start + head + FAN_OUT - 4)
        fixed = head + FAN_OUT + 2 * self.oid_size + count * (self.oid_size + (8 if is_v2 else 4))
        if size < fixed or size - fixed > (8 * count if is_v2 else 0) or (size - fixed) % 8:
            raise PackError(f"pack index of {count} objects has a wrong size: {size} bytes")
        self.fan_out = start + head
        self.names = self.fan_out + FAN_OUT
        if is_v2:
            self.version = 2
            self.name_stride, self.offset_stride = self.oid_size, 4
            self.crcs = self.names + count * self.name_stride
            self.offsets = self.crcs + count * 4
            self.large_offsets = self.offsets + count * 4
            self.large_count = (size - fixed) // 8
        else:
            self.version = 1
            self.offsets = self.names
            self.names += 4
            self.name_stride = self.offset_stride = self.oid_size + 4
        self.count = <uint32_t>count
        return 0

    cdef void let_go_of_fine(self) noexcept nogil:
        free(self.fine)
        self.fine = NULL

    cdef void c_refine(self) noexcept nogil:
        cdef uint32_t number, bits = 1
        cdef uint64_t bucket = 0, of
        cdef uint32_t *fine
        while bits < FINEST_BITS and FINE << bits < self.count:
            bits += 1
        if self.fine != NULL or self.fan_out == NULL:
            return
        fine = <uint32_t *>malloc(((<size_t>1 << bits) + 1) * sizeof(uint32_t))
        if fine == NULL:
            return  # it is found without
        self.fine_shift = 64 - bits
        for number in range(self.count):
            of = get64(self.names + number * self.name_stride) >> self.fine_shift
            if of + 1 < bucket:  # the idx is damaged, and guesses go wrong for fewer oids
                free(fine)
                return
            while bucket <= of:
                fine[bucket] = number
                bucket += 1
        while bucket <= <uint64_t>1 << bits:
            fine[bucket] = self.count
            bucket += 1
        self.fine = fine

    cdef int64_t c_position(self, const unsigned char *oid) noexcept nogil:
        cdef int64_t low, high, middle
        cdef uint64_t key = get64(oid), found
        cdef int order
        if self.fine != NULL:
            low = self.fine[key >> self.fine_shift]
            high = self.fine[(key >> self.fine_shift) + 1]
        elif self.count == 0 or not self.guess(key, &low, &high):
            return -1
        while low < high:
            middle = (low + high) >> 1
            found = get64(self.names + middle * self.name_stride)
            order = -1 if found < key else 1
            if found == key:
                order = memcmp(self.names + middle * self.name_stride, oid, self.oid_size)
                if order == 0:
                    return middle
            if order < 0:
                low = middle + 1
            else:
                high = middle
        return -1

    cdef void c_foresee(self, const unsigned char *oid, bint far) noexcept nogil:
        cdef const uint32_t *count
        if self.fine != NULL:
            count = self.fine + (get64(oid) >> self.fine_shift)
            if far:
                fastio_prefetch(count)
            else:
                fastio_prefetch(self.names + count[0] * self.name_stride)
                fastio_prefetch(self.names + (count[0] + FINE) * self.name_stride)

    cdef bint guess(self, uint64_t key, int64_t *first, int64_t *end) noexcept nogil:
        """Find a few oids among which one is that begins with *key*; False if there are none."""
        cdef int byte = key >> 56
        cdef int64_t low = get32(self.fan_out + 4 * (byte - 1)) if byte else 0
        cdef int64_t high = get32(self.fan_out + 4 * byte), middle
        cdef uint64_t low_key = <uint64_t>byte << 56, found
        cdef uint64_t high_key = low_key | <uint64_t>0xFFFFFFFFFFFFFF
        cdef int _guess
        # Oids are uniform: a few guesses come closer, over fewer cache lines, than halving does.
        for _guess in range(MOST_GUESSES):
            if high - low < FEW or low_key >= high_key:
                break
            middle = low + <int64_t>(
                <double>(key - low_key) / <double>(high_key - low_key) * <double>(high - low)
            )
            middle = min(middle, high - 1)
            found = get64(self.names + middle * self.name_stride)
            if found == key:
                break
            if found < key:
                low, low_key = middle + 1, found
            else:
                high, high_key = middle, found
        first[0], end[0] = low, high
        return low < high

    cdef int64_t c_offset_at(self, uint32_t position) noexcept nogil:
        cdef uint64_t offset = get32(self.offsets + position * self.offset_stride)
        if self.version == 2 and offset >= <uint64_t>LARGE_OFFSET:
            offset -= <uint64_t>LARGE_OFFSET
            if offset >= self.large_count:
                return -2
            offset = get64(self.large_offsets + 8 * offset)
        return -2 if offset >> 63 else <int64_t>offset

    cdef int64_t c_find(self, const unsigned char *oid) noexcept nogil:
        cdef int64_t position = self.c_position(oid)
        return position if position < 0 else self.c_offset_at(<uint32_t>position)

    def refine(self):
        self.c_refine()

    def find(self, oid):
        cdef int64_t offset = self.c_find(checked_oid(oid, self.oid_size, PackError))
        return offset if offset >= -1 else self.damaged()

    def oid_at(self, position):
        cdef size_t at = self.known(position) * self.name_stride
        return PyBytes_FromStringAndSize(<const char *>self.names + at, self.oid_size)

    def offset_at(self, position):
        cdef int64_t offset = self.c_offset_at(<uint32_t>self.known(position))
        return offset if offset >= 0 else self.damaged()

    def crc_at(self, position):
        cdef int64_t at = self.known(position)
        return get32(self.crcs + 4 * at) if self.version == 2 else None

    def __len__(self):
        return self.count

    def __contains__(self, oid):
        return self.find(oid) >= 0

    @property
    def pack_trailer(self):
        if not self.held:
            raise PackError("this pack index is closed")
        return PyBytes_FromStringAndSize(
            <char *>self.buffer.buf + (self.buffer.len - 2 * self.oid_size), self.oid_size
        )

    cdef int64_t known(self, object position) except -1:
        cdef object number = position
        if not 0 <= number < self.count:
            raise PackError(f"no position {position} in a pack index of {self.count}")
        return number

    cdef int64_t damaged(self) except -1:
        raise PackError("pack index points outside its table of large offsets")
