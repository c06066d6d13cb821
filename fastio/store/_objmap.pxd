cimport cython
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from *:
    """
    #if defined(__GNUC__)
    /* The empty asm is what keeps it: gcc takes a function that does nothing but prefetch for one
       without effect, and leaves out the calls. */
    #define fastio_prefetch(address) \
        do { __builtin_prefetch(address); __asm__ __volatile__(""); } while (0)
    #else
    #define fastio_prefetch(address) ((void)(address))
    #endif
    """
    void fastio_prefetch(const void *address) noexcept nogil


cdef enum:
    CHUNK_BITS = 12
    CHUNK_SIZE = 4096
    CHUNK_MASK = 4095
    SHARDS = 256
    NO_ID = 0xFFFFF000  # no entry has this id, or one above
    NO_PACK = 0xFFFF  # ELSEWHERE, for C
    NO_PACK_YET = 0xFFFE  # PENDING


cdef packed struct Place:
    # The head of every entry; the oid's bytes follow it directly.
    uint32_t crc
    uint32_t offset_low
    uint16_t offset_high
    uint16_t pack
    uint16_t kind_depth  # kind in the low 3 bits, chain depth in the other 13


cdef struct Shard:
    uint32_t *slots
    uint64_t mask  # slots - 1; meaningless while slots is NULL
    uint32_t count
    uint32_t id_bits  # low bits of a slot that hold id + 1; the rest is a tag


cdef inline uint64_t spread(const unsigned char *oid) noexcept nogil:
    # Oids are uniform already. Byte 0 has chosen the shard; the next four choose the slot, the
    # four after them are the tag.
    cdef uint64_t value
    memcpy(&value, oid + 1, sizeof(value))
    return value


@cython.final
cdef class ObjectMap:
    cdef unsigned char **chunks
    cdef uint32_t chunk_count
    cdef uint32_t chunk_capacity  # length of the chunks array
    cdef uint32_t last_room  # entries that the last chunk has memory for
    cdef uint32_t count
    cdef uint32_t stride
    cdef readonly int oid_size
    cdef int64_t slot_bytes
    cdef Shard shards[SHARDS]

    # The id of *oid*, or -1.
    cdef int64_t c_find(self, const unsigned char *oid) noexcept nogil
    # Insert an oid that c_find did not find; gives its id. Raises MemoryError.
    cdef int64_t c_insert(
        self, const unsigned char *oid, uint16_t pack, uint64_t offset, uint16_t kind,
        uint16_t depth, uint32_t crc,
    ) except -1
    cdef int grow_shard(self, Shard *shard, uint64_t slots, uint32_t id_bits) except -1
    cdef int make_room(self) except -1
    cdef int64_t known(self, object id) except -1

    # Start loading what c_find(oid) will look at; call it a few oids ahead.
    cdef inline void c_prefetch(self, const unsigned char *oid) noexcept nogil:
        cdef Shard *shard = &self.shards[oid[0]]
        if shard.slots != NULL:
            fastio_prefetch(shard.slots + (spread(oid) & shard.mask))

    # Accessors by id. The caller knows that the id is one (0 <= id < len). Pointers are valid
    # until the next insert, values for good.
    cdef inline Place *c_place(self, uint32_t id) noexcept nogil:
        return <Place *>(
            self.chunks[id >> CHUNK_BITS] + <size_t>(id & CHUNK_MASK) * self.stride
        )

    cdef inline void c_prefetch_place(self, uint32_t id) noexcept nogil:
        # Every second entry lies across two cache lines.
        cdef unsigned char *place = <unsigned char *>self.c_place(id)
        fastio_prefetch(place)
        fastio_prefetch(place + self.stride - 1)

    cdef inline const unsigned char *c_oid(self, uint32_t id) noexcept nogil:
        return <const unsigned char *>self.c_place(id) + sizeof(Place)

    cdef inline uint16_t c_pack(self, uint32_t id) noexcept nogil:
        return self.c_place(id).pack

    cdef inline uint64_t c_offset(self, uint32_t id) noexcept nogil:
        cdef Place *place = self.c_place(id)
        return <uint64_t>place.offset_high << 32 | place.offset_low

    cdef inline uint16_t c_kind(self, uint32_t id) noexcept nogil:
        return self.c_place(id).kind_depth & 7

    cdef inline uint16_t c_depth(self, uint32_t id) noexcept nogil:
        return self.c_place(id).kind_depth >> 3

    cdef inline uint32_t c_crc(self, uint32_t id) noexcept nogil:
        return self.c_place(id).crc

    cdef inline void c_set_place(
        self, uint32_t id, uint16_t pack, uint64_t offset, uint16_t kind, uint16_t depth,
        uint32_t crc,
    ) noexcept nogil:
        cdef Place *place = self.c_place(id)
        place.crc = crc
        place.offset_low = <uint32_t>offset
        place.offset_high = <uint16_t>(offset >> 32)
        place.pack = pack
        place.kind_depth = kind | depth << 3
