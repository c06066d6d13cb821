from libc.stdint cimport int64_t

cdef enum:
    # Bytes that c_inflate may write behind the content, if they are there, and is faster for.
    INFLATE_SLACK = 320

cdef enum:  # what c_inflate returns instead of a size
    INFLATE_CUT = -1  # the stream goes on behind the input
    INFLATE_DAMAGED = -2
    INFLATE_TOO_LONG = -3  # more comes out than was promised
    INFLATE_TOO_SHORT = -4
    INFLATE_CHECKSUM = -5

# Inflate the zlib stream at [data, end) to *size* bytes at *out*, where [out, out_end) may be
# written to and holds at least *size*. Returns the size of the stream or one of the above.
cdef int64_t c_inflate(
    const unsigned char *data, const unsigned char *end,
    unsigned char *out, int64_t size, const unsigned char *out_end,
) noexcept nogil

# The same for a stream of which it is only known that no more than *room* bytes come out; *size* is
# set to how many did, unless the stream itself is damaged.
cdef int64_t c_inflate_all(
    const unsigned char *data, const unsigned char *end,
    unsigned char *out, int64_t room, const unsigned char *out_end, int64_t *size,
) noexcept nogil

# Inflate up to *room* bytes of the stream, checksum or not; returns how many came out. Never
# looks at more of the input than that takes, so it may well be damaged behind.
cdef int64_t c_inflate_head(
    const unsigned char *data, const unsigned char *end, unsigned char *out, int64_t room
) noexcept nogil

# In words, what c_inflate found.
cdef str inflate_problem(int64_t problem)
