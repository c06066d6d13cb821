from libc.stdint cimport int64_t

cdef enum:
    C_MOST = 1024  # bytes that can be deflated here; for more a library is the faster one
    ROOM = C_MOST * 9 // 8 + 640  # for nine bits a byte, what tells the codes, and what is spilt

cdef int64_t c_deflate_small(
    const unsigned char *data, int64_t size, unsigned char *out
) noexcept nogil
