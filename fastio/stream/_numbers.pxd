"""Numbers of the stream in their usual spelling."""

from libc.stdint cimport UINT64_MAX, int64_t, uint64_t

cdef enum:
    MAX_DIGITS = 20  # of 64 bits; only the last of so many can be too much


cdef inline int64_t digits(
    const unsigned char *at, const unsigned char *stop, uint64_t *value
) noexcept nogil:
    """Read a decimal number; return how many digits it has, 0 if it is none or too great."""
    cdef int64_t length = 0
    cdef unsigned int digit
    value[0] = 0
    while length < MAX_DIGITS and at + length < stop and 48 <= at[length] <= 57:
        digit = at[length] - 48
        if length == MAX_DIGITS - 1 and value[0] > (UINT64_MAX - digit) // 10:
            return 0
        value[0] = value[0] * 10 + digit
        length += 1
    return length
