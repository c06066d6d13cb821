# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Zlib streams, and which need no library: stored blocks, tiny ones of literals, small ones.

The loops walk pointers within sizes that the callers pass; the tables are indexed by bytes.
"""

from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from workers._checksums cimport c_adler32
from workers._small_deflate cimport C_MOST, ROOM, c_deflate_small
from workers._tasks cimport c_deflate_bound

cdef enum:
    MAX_STORED = 65535
    TINY_ROOM = 128  # of what TINY bytes become
    LAST_QUICK = 3  # the last level at which speed counts more than size

# RFC 1951, 3.2.6: the fixed code of each literal, first bit lowest, and its length.
cdef uint16_t literal_codes[256]
cdef uint8_t literal_bits[256]


cdef void fill_tables() noexcept nogil:
    cdef uint32_t code, turned, i
    cdef int bit
    for i in range(256):
        literal_bits[i] = 8 if i < 144 else 9
        code = 0x30 + i if i < 144 else 0x190 + i - 144
        turned = 0
        for bit in range(literal_bits[i]):
            turned = turned << 1 | (code >> bit & 1)
        literal_codes[i] = <uint16_t>turned


fill_tables()


cdef void put_header(unsigned char *out) noexcept nogil:
    out[0] = 0x78  # deflate, 32 KiB window
    out[1] = 0x01  # fastest; makes the two a multiple of 31


cdef void put_adler(unsigned char *out, uint32_t value) noexcept nogil:
    out[0] = value >> 24
    out[1] = value >> 16 & 0xFF
    out[2] = value >> 8 & 0xFF
    out[3] = value & 0xFF


cdef int64_t c_store(
    const unsigned char *data, int64_t size, unsigned char *out, int64_t capacity
) noexcept nogil:
    """Write a zlib stream of stored blocks, c_deflate_bound(size) bytes; -1: no room."""
    cdef int64_t left = size, part
    cdef unsigned char *at = out + 2
    if c_deflate_bound(size) > capacity:
        return -1
    put_header(out)
    while True:
        part = min(left, <int64_t>MAX_STORED)
        at[0] = part == left
        at[1] = part & 0xFF
        at[2] = part >> 8
        at[3] = ~at[1]
        at[4] = ~at[2]
        memcpy(at + 5, data + size - left, part)
        at += 5 + part
        left -= part
        if not left:
            break
    put_adler(at, c_adler32(1, data, size))
    return at + 4 - out


cdef int64_t c_deflate_tiny(
    const unsigned char *data, int64_t size, unsigned char *out, int64_t capacity
) noexcept nogil:
    """Deflate at most TINY bytes as literals of the fixed code; -1: no room.

    Three bytes less than a stored block, and the same as ISA-L makes of so little, for which a
    compressor needs 3 µs only to be set up. Falls back to a stored block where that is smaller.
    """
    cdef int64_t total = 3 + 7, i
    cdef uint64_t bits = 3  # last block, fixed codes
    cdef int held = 3
    cdef unsigned char *at = out + 2
    for i in range(size):
        total += literal_bits[data[i]]
    total = 6 + (total + 7) // 8
    if total > c_deflate_bound(size):
        return c_store(data, size, out, capacity)
    if total > capacity:
        return -1
    put_header(out)
    for i in range(size):
        bits |= <uint64_t>literal_codes[data[i]] << held
        held += literal_bits[data[i]]
        while held >= 8:
            at[0] = bits & 0xFF
            at += 1
            bits >>= 8
            held -= 8
    held += 7  # end of block: seven zero bits
    while held > 0:
        at[0] = bits & 0xFF
        at += 1
        bits >>= 8
        held -= 8
    put_adler(at, c_adler32(1, data, size))
    return total


cdef bint c_is_ours(int level, int64_t size) noexcept nogil:
    """Tell whether so many bytes, to be compressed, are deflated without a library."""
    return size <= TINY or (0 < level <= LAST_QUICK and size <= C_MOST)


cdef int64_t c_deflate_ours(
    const unsigned char *data, int64_t size, unsigned char *out, int64_t capacity
) noexcept nogil:
    """Write a zlib stream, never longer than stored blocks; return its size, -1: no room."""
    cdef unsigned char stream[ROOM]
    cdef int64_t packed
    if size <= TINY:
        return c_deflate_tiny(data, size, out, capacity)
    packed = c_deflate_small(data, size, stream)
    if not packed:
        return c_store(data, size, out, capacity)
    if packed > capacity:
        return -1
    memcpy(out, stream, packed)
    return packed


cdef bytes c_deflated(object compress, int level, const unsigned char *data, int64_t size):
    """Return bytes as a zlib stream; *compress* and *level* are as `codec.compressor` gave them."""
    cdef int64_t bound = c_deflate_bound(size)
    cdef unsigned char out[ROOM]
    if compress is not None and c_is_ours(level, size):
        size = c_deflate_ours(data, size, out, sizeof(out))
        return PyBytes_FromStringAndSize(<char *>out, size)
    if compress is not None:
        packed = <bytes>compress(PyMemoryView_FromMemory(<char *>data, size, PyBUF_READ), level)
        if PyBytes_GET_SIZE(packed) <= bound:
            return packed
    packed = PyBytes_FromStringAndSize(NULL, bound)
    c_store(data, size, <unsigned char *>PyBytes_AS_STRING(packed), bound)
    return packed


def deflated(compress, int level, const unsigned char[::1] data):
    """Return *data* as a zlib stream; *compress* is None where nothing compresses."""
    cdef int64_t size = data.shape[0]
    return c_deflated(compress, level, &data[0] if size else NULL, size)


def deflate_bound(int64_t size):
    """Return how many bytes *size* bytes are as stored blocks."""
    return c_deflate_bound(size)


def store(const unsigned char[::1] data):
    """Return *data* as a zlib stream of stored blocks."""
    cdef int64_t size = data.shape[0], bound = c_deflate_bound(size)
    stream = PyBytes_FromStringAndSize(NULL, bound)
    c_store(&data[0] if size else NULL, size, <unsigned char *>PyBytes_AS_STRING(stream), bound)
    return stream


def deflate_tiny(const unsigned char[::1] data):
    """Return at most TINY bytes as a zlib stream of one block."""
    cdef unsigned char out[TINY_ROOM]
    cdef int64_t size = data.shape[0]
    if size > TINY:
        raise ValueError(f"{size} bytes are not tiny")
    size = c_deflate_tiny(&data[0] if size else NULL, size, out, sizeof(out))
    return PyBytes_FromStringAndSize(<char *>out, size)
