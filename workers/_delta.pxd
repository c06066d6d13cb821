from libc.stdint cimport int64_t

cdef enum:
    NO_DELTA = -1  # none that small
    NO_MEMORY = -2

# Needs the GIL, although it touches no Python object: all calls share one index.
cdef int64_t c_encode_delta(
    const unsigned char *base,
    int64_t base_size,
    const unsigned char *target,
    int64_t target_size,
    unsigned char *out,
    int64_t max_size,
) noexcept
