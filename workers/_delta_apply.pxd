from libc.stdint cimport int64_t

cdef enum:  # what is wrong with a delta
    DAMAGED_CUT = -1
    DAMAGED_BASE = -2  # made for a base of another size
    DAMAGED_COPY = -3  # copies from outside its base
    DAMAGED_OPCODE = -4
    DAMAGED_TARGET = -5  # does not build the size it promises

# Read a size header; DAMAGED_CUT if it does not end, *limit* + 1 if it says more.
cdef int64_t get_size(
    const unsigned char **at, const unsigned char *end, int64_t limit
) noexcept nogil

# Carry out the instructions in [at, end); 0 or what is wrong with them.
cdef int64_t c_apply(
    const unsigned char *base, int64_t base_size,
    const unsigned char *at, const unsigned char *end,
    unsigned char *out, unsigned char *out_end,
) noexcept nogil
