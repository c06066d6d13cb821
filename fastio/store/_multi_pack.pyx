# cython: language_level=3
"""Look-ups in a multi-pack-index; see multi_pack_index.py.

Oids and offsets stand in it as in a pack's idx, but for the number of a pack in front of each
offset: so the look-ups are those of an idx.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcmp

from fastio.errors import PackError

cdef enum:
    HEADER = 12  # magic; versions of file and oids; counts of chunks, of files before, of packs
    CHUNK = 12  # id and offset
    FAN_OUT = 1024
    PLACE = 8  # number of a pack and offset


cdef inline uint32_t get32(const unsigned char *at) noexcept nogil:
    return <uint32_t>at[0] << 24 | <uint32_t>at[1] << 16 | <uint32_t>at[2] << 8 | at[3]


cdef class MultiPackView(IndexView):
    """Look-ups in the bytes of a multi-pack-index; raises PackError for what is none."""

    cdef int lay_out(self, const unsigned char *start, uint64_t size) except -1:
        cdef dict chunks = read_chunks(start, size, self.oid_size)
        cdef const unsigned char *fan_out = start + self.chunk(chunks, b"OIDF", FAN_OUT)
        cdef uint32_t count, packs = get32(start + 8)
        cdef int number
        for number in range(1, 256):
            if get32(fan_out + 4 * number) < get32(fan_out + 4 * (number - 1)):
                raise PackError(f"multi-pack-index has a wrong fan-out count at {number}")
        count = get32(fan_out + FAN_OUT - 4)
        self.names = start + self.chunk(chunks, b"OIDL", <uint64_t>count * self.oid_size)
        self.name_stride = self.oid_size
        self.offsets = start + self.chunk(chunks, b"OOFF", <uint64_t>count * PLACE) + 4
        self.offset_stride = PLACE
        self.version = 1
        if b"LOFF" in chunks:  # without it, offsets use all of their four bytes
            self.version = 2
            self.large_offsets = start + <uint64_t>chunks[b"LOFF"][0]
            self.large_count = <uint64_t>chunks[b"LOFF"][1] // 8
        at, length = chunks.get(b"PNAM", (0, 0))
        names = PyBytes_FromStringAndSize(<const char *>start + <uint64_t>at, length).split(b"\0")
        if len(names) <= packs:
            raise PackError("multi-pack-index has fewer names than packs")
        self.pack_names = names[:packs]
        self.fan_out, self.count = fan_out, count
        return 0

    cdef uint64_t chunk(self, dict chunks, bytes name, uint64_t size) except? 0:
        at, length = chunks.get(name, (0, -1))
        if length != size:
            raise PackError(f"multi-pack-index has a chunk {name.decode()} of a wrong size")
        return at

    cdef uint32_t c_pack_at(self, uint32_t position) noexcept nogil:
        return get32(self.offsets + <uint64_t>position * PLACE - 4)

    def pack_of(self, oid):
        """Return the number of the pack that has an object, -1 for none."""
        cdef int64_t position = -1
        if isinstance(oid, bytes) and len(oid) == self.oid_size:
            position = self.c_position(<const unsigned char *>PyBytes_AS_STRING(oid))
        return -1 if position < 0 else self.c_pack_at(<uint32_t>position)


cdef dict read_chunks(const unsigned char *start, uint64_t size, int oid_size):
    """Return where each chunk begins, and its size."""
    cdef uint64_t end = size - oid_size, at, last
    cdef const unsigned char *row
    cdef dict chunks = {}
    cdef int number
    if size < HEADER + CHUNK + oid_size or memcmp(start, b"MIDX", 4) != 0:
        raise PackError("no multi-pack-index")
    if start[4] not in (1, 2) or start[5] != (1 if oid_size == 20 else 2) or start[7]:
        raise PackError("multi-pack-index of an unknown version")
    if HEADER + (start[6] + 1) * CHUNK > end:
        raise PackError("multi-pack-index is cut short")
    last = HEADER + (start[6] + 1) * CHUNK
    for number in range(start[6] + 1):
        row = start + HEADER + number * CHUNK
        at = <uint64_t>get32(row + 4) << 32 | get32(row + 8)
        if not last <= at <= end:
            raise PackError("multi-pack-index has chunks out of order")
        if number:
            chunks[PyBytes_FromStringAndSize(<const char *>row - CHUNK, 4)] = last, at - last
        last = at
    return chunks
