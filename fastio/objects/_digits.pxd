"""Numbers and oids as text."""

from libc.stdint cimport uint64_t

cdef enum:
    NUMBER_ROOM = 20  # digits of the largest of 64 bits


cdef inline unsigned char *number_before(unsigned char *end, uint64_t number) noexcept nogil:
    """Write a number in decimal right before *end*; return where it begins."""
    while True:
        end -= 1
        end[0] = <unsigned char>(48 + number % 10)
        number //= 10
        if not number:
            return end


cdef inline int hex_digit(unsigned char text) noexcept nogil:
    """Return what a digit in lower case stands for, -1 if it is none.

    Without a branch: whether a digit is a letter cannot be foreseen, and reading takes a third.
    """
    cdef unsigned int number = <unsigned int>text - 48, letter = <unsigned int>text - 97
    cdef int is_number = number < 10, is_letter = letter < 6
    cdef int value = <int>(number & <unsigned int>-is_number)
    return value | <int>((letter + 10) & <unsigned int>-is_letter) | ((is_number | is_letter) - 1)


cdef inline bint read_hex(
    const unsigned char *text, unsigned char *oid, int oid_size
) noexcept nogil:
    """Read 2 * *oid_size* digits in lower case; False if one of them is none."""
    cdef int number, high, low
    for number in range(oid_size):
        high, low = hex_digit(text[2 * number]), hex_digit(text[2 * number + 1])
        if high < 0 or low < 0:
            return False
        oid[number] = <unsigned char>(high << 4 | low)
    return True


cdef inline unsigned char *write_hex(
    unsigned char *text, const unsigned char *oid, int oid_size
) noexcept nogil:
    """Write an oid in 2 * *oid_size* digits; return where they end."""
    cdef const char *digits = b"0123456789abcdef"
    cdef int number
    for number in range(oid_size):
        text[0] = digits[oid[number] >> 4]
        text[1] = digits[oid[number] & 15]
        text += 2
    return text
