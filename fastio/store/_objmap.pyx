"""Loops of the object map; objmap.py tells how it is laid out."""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from fastio.objects._oids cimport checked_oid
from workers._arrays cimport resized

from array import array

from fastio.errors import PackError

cdef enum:
    FIRST_SLOTS = 4
    AHEAD = 16  # entries loaded ahead while a shard grows


ELSEWHERE, PENDING = NO_PACK, NO_PACK_YET


cdef inline uint32_t low_bits(uint32_t bits) noexcept nogil:
    return 0xFFFFFFFF if bits >= 32 else (<uint32_t>1 << bits) - 1


@cython.final
cdef class ObjectMap:
    """Places by oid. An entry's id is its number in order of insertion, and stays.

    Raises PackError for what is no oid, id or place, and for an oid that is inserted twice.
    """

    def __cinit__(self, int oid_size=20, int64_t capacity=1):
        cdef uint64_t slots = FIRST_SLOTS
        cdef int number
        if not 9 <= oid_size <= 64:
            raise PackError(f"no hash algorithm has oids of {oid_size} bytes")
        memset(self.shards, 0, sizeof(self.shards))
        self.oid_size = oid_size
        self.stride = sizeof(Place) + oid_size
        if capacity <= SHARDS:
            return
        while slots * 4 * SHARDS < <uint64_t>capacity * 5:
            slots *= 2
        for number in range(SHARDS):
            self.grow_shard(&self.shards[number], slots, 16)

    def __dealloc__(self):
        cdef int shard
        cdef uint32_t chunk
        for shard in range(SHARDS):
            free(self.shards[shard].slots)
        for chunk in range(self.chunk_count):
            free(self.chunks[chunk])
        free(self.chunks)

    cdef int64_t c_find(self, const unsigned char *oid) noexcept nogil:
        cdef Shard *shard = &self.shards[oid[0]]
        cdef uint64_t hashed = spread(oid)
        cdef uint64_t at
        cdef uint32_t id_mask, tag, slot, id
        if shard.slots == NULL:
            return -1
        id_mask = low_bits(shard.id_bits)
        tag = <uint32_t>(hashed >> 32) & ~id_mask
        at = hashed & shard.mask
        while True:  # ends: a shard always keeps empty slots
            slot = shard.slots[at]
            if slot == 0:
                return -1
            if (slot & ~id_mask) == tag:
                id = (slot & id_mask) - 1
                if memcmp(self.c_oid(id), oid, self.oid_size) == 0:
                    return id
            at = (at + 1) & shard.mask

    cdef int64_t c_insert(
        self, const unsigned char *oid, uint16_t pack, uint64_t offset, uint16_t kind,
        uint16_t depth, uint32_t crc,
    ) except -1:
        cdef Shard *shard = &self.shards[oid[0]]
        cdef uint32_t id = self.count
        cdef uint64_t hashed = spread(oid)
        cdef uint64_t at, slots
        if self.chunk_count == 0 or id >= (self.chunk_count - 1) * CHUNK_SIZE + self.last_room:
            self.make_room()
        slots = shard.mask + 1 if shard.slots != NULL else FIRST_SLOTS
        if shard.slots == NULL or (<uint64_t>shard.count + 1) * 5 > slots * 4:
            self.grow_shard(
                shard, slots * 2 if shard.slots != NULL else slots, bits_for(id + 1, 1)
            )
        elif id + 1 > low_bits(shard.id_bits):
            self.grow_shard(shard, slots, bits_for(id + 1, 1))
        memcpy(<unsigned char *>self.c_oid(id), oid, self.oid_size)
        self.c_set_place(id, pack, offset, kind, depth, crc)
        at = hashed & shard.mask
        while shard.slots[at] != 0:
            at = (at + 1) & shard.mask
        shard.slots[at] = (<uint32_t>(hashed >> 32) & ~low_bits(shard.id_bits)) | (id + 1)
        shard.count += 1
        self.count = id + 1
        return id

    cdef int grow_shard(self, Shard *shard, uint64_t slots, uint32_t id_bits) except -1:
        cdef uint32_t *old = shard.slots
        cdef uint64_t old_slots = shard.mask + 1 if old != NULL else 0
        cdef uint32_t old_mask = low_bits(shard.id_bits)
        cdef uint32_t new_mask
        cdef uint64_t number, at, hashed
        cdef uint32_t slot, id
        cdef uint32_t *fresh = <uint32_t *>calloc(slots, sizeof(uint32_t))
        if fresh == NULL:
            raise MemoryError
        if id_bits < shard.id_bits:
            id_bits = shard.id_bits
        new_mask = low_bits(id_bits)
        with nogil:
            for number in range(old_slots):
                if number + AHEAD < old_slots and old[number + AHEAD] != 0:
                    fastio_prefetch(self.c_oid((old[number + AHEAD] & old_mask) - 1))
                slot = old[number]
                if slot == 0:
                    continue
                id = (slot & old_mask) - 1
                hashed = spread(self.c_oid(id))
                at = hashed & (slots - 1)
                while fresh[at] != 0:
                    at = (at + 1) & (slots - 1)
                fresh[at] = (<uint32_t>(hashed >> 32) & ~new_mask) | (id + 1)
        self.slot_bytes += <int64_t>(slots - old_slots) * <int64_t>sizeof(uint32_t)
        shard.slots, shard.mask, shard.id_bits = fresh, slots - 1, id_bits
        free(old)
        return 0

    cdef int make_room(self) except -1:
        # The last chunk grows by a sixteenth of the map, so that small maps stay small; a new
        # chunk is begun when it is full. Ids stay, addresses within the last chunk may not.
        cdef uint32_t used = self.count - (self.chunk_count - 1) * CHUNK_SIZE
        cdef uint32_t room, capacity, last
        cdef void *memory
        if self.count >= NO_ID:
            raise PackError("the object map is full: 2^32 - 4096 objects")
        if self.chunk_count == 0 or used == CHUNK_SIZE:
            if self.chunk_count == self.chunk_capacity:
                capacity = max(8, self.chunk_capacity * 2)
                self.chunks = <unsigned char **>resized(self.chunks, capacity * sizeof(void *))
                self.chunk_capacity = capacity
            room = min(CHUNK_SIZE, max(16, self.count // 16))
            memory = malloc(<size_t>room * self.stride)
            if memory == NULL:
                raise MemoryError
            self.chunks[self.chunk_count] = <unsigned char *>memory
            self.chunk_count += 1
        else:
            room = min(CHUNK_SIZE, used + max(16, self.count // 16))
            last = self.chunk_count - 1
            self.chunks[last] = <unsigned char *>resized(
                self.chunks[last], <size_t>room * self.stride
            )
        self.last_room = room
        return 0

    def find(self, oid):
        return self.c_find(checked_oid(oid, self.oid_size, PackError))

    def insert(self, oid, *, pack, offset, kind, depth=0, crc=0):
        cdef const unsigned char *raw = checked_oid(oid, self.oid_size, PackError)
        check_place(pack, offset, kind, depth)
        if self.c_find(raw) >= 0:
            raise PackError(f"object {oid.hex()} is in the map already")
        return self.c_insert(raw, pack, offset, kind, depth, crc)

    def set_place(self, entry_id, *, pack, offset, kind, depth=0, crc=0):
        check_place(pack, offset, kind, depth)
        self.c_set_place(self.known(entry_id), pack, offset, kind, depth, crc)

    def oid(self, entry_id):
        cdef const unsigned char *oid = self.c_oid(self.known(entry_id))
        return PyBytes_FromStringAndSize(<const char *>oid, self.oid_size)

    def pack(self, entry_id):
        return self.c_pack(self.known(entry_id))

    def offset(self, entry_id):
        return self.c_offset(self.known(entry_id))

    def kind(self, entry_id):
        return self.c_kind(self.known(entry_id))

    def depth(self, entry_id):
        return self.c_depth(self.known(entry_id))

    def crc(self, entry_id):
        return self.c_crc(self.known(entry_id))

    def ids_of_pack(self, pack, first_id=0):
        cdef uint32_t wanted = pack
        cdef uint32_t id
        found = array("I")
        for id in range(first_id, self.count):
            if self.c_pack(id) == wanted:
                found.append(id)
        return found

    def __len__(self):
        return self.count

    def __contains__(self, oid):
        return self.c_find(checked_oid(oid, self.oid_size, PackError)) >= 0

    @property
    def nbytes(self):
        cdef int64_t room = 0
        if self.chunk_count:
            room = <int64_t>(self.chunk_count - 1) * CHUNK_SIZE + self.last_room
        return (
            <int64_t>sizeof(self.shards)
            + self.slot_bytes
            + room * self.stride
            + self.chunk_capacity * <int64_t>sizeof(void *)
        )

    cdef int64_t known(self, object id) except -1:
        cdef object number = id
        if not 0 <= number < self.count:
            raise PackError(f"no entry {id} in an object map of {self.count}")
        return number


cdef inline uint32_t bits_for(uint32_t value, uint32_t spare) noexcept nogil:
    # Bits that *value* needs, and *spare* more so that the map may grow before tags must shrink.
    cdef uint32_t bits = 1
    while bits < 32 and value >> bits:
        bits += 1
    return min(<uint32_t>32, bits + spare)


cdef int check_place(object pack, object offset, object kind, object depth) except -1:
    if 0 <= pack <= 0xFFFF and 0 <= offset < 1 << 48 and 0 <= kind < 8 and 0 <= depth < 8192:
        return 0
    raise PackError(f"no such place: {pack=} {offset=} {kind=} {depth=}")
