from libc.stdint cimport int64_t

cdef enum:
    TINY = 40  # payloads up to this size are deflated here, see codec.py

cdef int64_t c_store(
    const unsigned char *data, int64_t size, unsigned char *out, int64_t capacity
) noexcept nogil

cdef bint c_is_ours(int level, int64_t size) noexcept nogil

cdef int64_t c_deflate_ours(
    const unsigned char *data, int64_t size, unsigned char *out, int64_t capacity
) noexcept nogil

cdef bytes c_deflated(object compress, int level, const unsigned char *data, int64_t size)
