from libc.stdint cimport int32_t, int64_t, uint32_t

cdef struct Task:
    int64_t raw_offset
    int64_t raw_size
    int64_t base_offset  # -1: no delta base
    int64_t base_size
    int64_t out_offset
    int64_t out_capacity
    int64_t max_delta  # largest inflated delta worth having
    int32_t kind  # git's object type number
    int32_t flags  # NO_OID or 0

cdef struct Result:
    int64_t packed_size
    int64_t inflated_size
    int32_t form  # FULL, DELTA or FAILED
    uint32_t crc  # of the packed payload
    unsigned char oid[32]

cdef enum:
    FULL = 0
    DELTA = 1
    FAILED = -1
    # The caller knows the oid already: the result's is left zero.
    NO_OID = 1

cdef inline int64_t c_deflate_bound(int64_t size) noexcept nogil:
    """Bytes of *size* bytes as stored zlib blocks: 2 header, 5 a block of 65535, 4 adler32."""
    return size + 6 + 5 * (1 if size == 0 else (size + 65534) // 65535)
