"""Loops of the pack index: sorting a pack's oids, its sections, and look-ups in existing ones."""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from fastio.errors import PackError
from fastio.store._objmap cimport ObjectMap, fastio_prefetch

cdef enum:
    FAN_OUT = 1024  # bytes: 256 counts
    HEADER = 8  # magic and version; version 1 has none
    AHEAD = 16  # entries loaded ahead: without it each one waits for memory
    BUCKET = 16  # oids a bucket of the sort, on average
    MOST_GUESSES = 4
    FEW = 8  # oids among which halving is as good as guessing
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
    """Ids of the objects of *pack* in oid order, and the sections of an idx made from them.

    Sections are made for a span of objects at a time, so that an idx is never held whole.
    """

    def __cinit__(self, ObjectMap object_map, int pack, int64_t first_id=0):
        cdef uint32_t *ends = NULL
        cdef Key *keys = NULL
        cdef int64_t id, stop = len(object_map)
        cdef uint32_t largest = 0, bucket, buckets, start
        cdef int bits = 1
        cdef int shift
        if not 0 <= first_id <= stop:
            raise PackError(f"no entry {first_id} in an object map of {stop}")
        self.map = object_map
        while bits < 22 and BUCKET << bits < stop - first_id:
            bits += 1
        buckets, shift = 1 << bits, 64 - bits
        ends = <uint32_t *>calloc(buckets, sizeof(uint32_t))
        try:
            if ends == NULL:
                raise MemoryError
            with nogil:
                # Radix sort by the first bits: count, turn into ends, fill from the end.
                for id in range(first_id, stop):
                    if object_map.c_pack(<uint32_t>id) == pack:
                        ends[get64(object_map.c_oid(<uint32_t>id)) >> shift] += 1
                for bucket in range(buckets):
                    largest = max(largest, ends[bucket])
                    self.count += ends[bucket]
                    ends[bucket] = self.count
            self.ids = <uint32_t *>malloc((<size_t>self.count + 1) * sizeof(uint32_t))
            keys = <Key *>malloc((<size_t>largest + 1) * sizeof(Key))
            if self.ids == NULL or keys == NULL:
                raise MemoryError
            with nogil:
                for id in range(first_id, stop):
                    if object_map.c_pack(<uint32_t>id) == pack:
                        bucket = <uint32_t>(get64(object_map.c_oid(<uint32_t>id)) >> shift)
                        ends[bucket] -= 1
                        self.ids[ends[bucket]] = <uint32_t>id
                for bucket in range(buckets):  # ends are starts by now
                    start = ends[bucket]
                    self.sort_bucket(
                        start, (ends[bucket + 1] if bucket + 1 < buckets else self.count) - start,
                        keys,
                    )
        finally:
            free(ends)
            free(keys)

    def __dealloc__(self):
        free(self.ids)

    cdef void sort_bucket(self, uint32_t start, uint32_t count, Key *keys) noexcept nogil:
        cdef uint32_t number
        for number in range(start, start + count + AHEAD):
            if number < self.count:
                fastio_prefetch(self.map.c_oid(self.ids[number]))
        for number in range(count):
            keys[number].id = self.ids[start + number]
            keys[number].oid = self.map.c_oid(keys[number].id)
            keys[number].oid_size = self.map.oid_size
            keys[number].head = get64(keys[number].oid)
        sort_keys(keys, count)
        for number in range(count):
            self.ids[start + number] = keys[number].id

    def __len__(self):
        return self.count

    cdef inline void prefetch(self, int64_t number) noexcept nogil:
        if number < self.count:
            fastio_prefetch(self.map.c_place(self.ids[number]))

    @property
    def last_offset(self):
        cdef uint64_t largest = 0
        cdef int64_t number
        for number in range(self.count):
            self.prefetch(number + AHEAD)
            largest = max(largest, self.map.c_offset(self.ids[number]))
        return largest

    def fan_out(self):
        cdef uint32_t counts[256]
        cdef uint32_t running = 0
        cdef int64_t number
        cdef unsigned char table[FAN_OUT]
        memset(counts, 0, sizeof(counts))
        for number in range(self.count):
            self.prefetch(number + AHEAD)
            counts[self.map.c_oid(self.ids[number])[0]] += 1
        for number in range(256):
            running += counts[number]
            put32(table + 4 * number, running)
        return PyBytes_FromStringAndSize(<char *>table, FAN_OUT)

    def names(self, int64_t start, int64_t stop, *, bint with_offsets=False):
        cdef size_t oid_size = self.map.oid_size
        cdef size_t stride = oid_size + 4 * with_offsets
        cdef int64_t number
        cdef bytes section
        cdef unsigned char *to
        start, stop = self.clipped(start, stop)
        section = PyBytes_FromStringAndSize(NULL, (stop - start) * stride)
        to = <unsigned char *>PyBytes_AS_STRING(section)
        with nogil:
            for number in range(start, stop):
                self.prefetch(number + AHEAD)
                if with_offsets:
                    put32(to, <uint32_t>self.map.c_offset(self.ids[number]))
                memcpy(to + 4 * with_offsets, self.map.c_oid(self.ids[number]), oid_size)
                to += stride
        return section

    def crcs(self, int64_t start, int64_t stop):
        cdef int64_t number
        cdef bytes section
        cdef unsigned char *to
        start, stop = self.clipped(start, stop)
        section = PyBytes_FromStringAndSize(NULL, (stop - start) * 4)
        to = <unsigned char *>PyBytes_AS_STRING(section)
        with nogil:
            for number in range(start, stop):
                self.prefetch(number + AHEAD)
                put32(to, self.map.c_crc(self.ids[number]))
                to += 4
        return section

    def offsets(self, int64_t start, int64_t stop, uint32_t large_before=0):
        cdef list large = []
        cdef int64_t number
        cdef uint64_t offset
        cdef bytes section
        cdef unsigned char *to
        start, stop = self.clipped(start, stop)
        section = PyBytes_FromStringAndSize(NULL, (stop - start) * 4)
        to = <unsigned char *>PyBytes_AS_STRING(section)
        for number in range(start, stop):
            self.prefetch(number + AHEAD)
            offset = self.map.c_offset(self.ids[number])
            if offset >= <uint64_t>LARGE_OFFSET:
                large.append(offset.to_bytes(8, "big"))
                offset = <uint64_t>LARGE_OFFSET | (large_before + len(large) - 1)
            put32(to, <uint32_t>offset)
            to += 4
        return section, b"".join(large)

    cdef (int64_t, int64_t) clipped(self, int64_t start, int64_t stop) noexcept:
        stop = min(stop, <int64_t>self.count)
        return min(max(start, 0), stop), stop


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
        if self.held:
            PyBuffer_Release(&self.buffer)

    def close(self):
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

    cdef int64_t c_position(self, const unsigned char *oid) noexcept nogil:
        cdef int64_t low, high, middle
        cdef uint64_t key, low_key, high_key, found
        cdef int order, _guess
        if self.count == 0:
            return -1
        low = get32(self.fan_out + 4 * (<int>oid[0] - 1)) if oid[0] else 0
        high = get32(self.fan_out + 4 * <int>oid[0])
        # Oids are uniform: a few guesses come closer, over fewer cache lines, than halving does.
        key, low_key = get64(oid), <uint64_t>oid[0] << 56
        high_key = low_key | <uint64_t>0xFFFFFFFFFFFFFF
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
        while low < high:
            middle = (low + high) >> 1
            order = memcmp(self.names + middle * self.name_stride, oid, self.oid_size)
            if order == 0:
                return middle
            if order < 0:
                low = middle + 1
            else:
                high = middle
        return -1

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

    def find(self, oid):
        cdef int64_t offset
        if not isinstance(oid, bytes) or PyBytes_GET_SIZE(oid) != self.oid_size:
            raise PackError(f"not an oid of {self.oid_size} bytes: {oid!r}")
        offset = self.c_find(<const unsigned char *>PyBytes_AS_STRING(oid))
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
