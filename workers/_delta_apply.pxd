from libc.stdint cimport int64_t, uint32_t

from workers._delta_output cimport MAX_COPY

cdef enum:
    MOST_COPY = 7  # bytes that tell a copy's range

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

# Check the instructions in [at, end), and how many bytes they insert, without carrying them out;
# *target*, which is what they must build, or what is wrong. MOST_COPY bytes behind may be read.
cdef int64_t measure(
    const unsigned char *at, const unsigned char *end, int64_t base_size, int64_t target,
    size_t *literal_size,
) noexcept nogil

# In words, what is wrong with a delta.
cdef str delta_problem(int64_t problem)


cdef inline const unsigned char *read_copy(
    const unsigned char *at, uint32_t code, uint32_t *offset, uint32_t *size
) noexcept nogil:
    """Read a copy's range, at most MOST_COPY bytes."""
    cdef uint32_t start = 0, length = 0
    if code & 0x01:
        start = at[0]
        at += 1
    if code & 0x02:
        start |= <uint32_t>at[0] << 8
        at += 1
    if code & 0x04:
        start |= <uint32_t>at[0] << 16
        at += 1
    if code & 0x08:
        start |= <uint32_t>at[0] << 24
        at += 1
    if code & 0x10:
        length = at[0]
        at += 1
    if code & 0x20:
        length |= <uint32_t>at[0] << 8
        at += 1
    if code & 0x40:
        length |= <uint32_t>at[0] << 16
        at += 1
    offset[0], size[0] = start, length if length else MAX_COPY
    return at
