from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    MAX_BITS = 15  # of a code
    LITERAL_BITS = 10  # of the first table
    DISTANCE_BITS = 8
    LENGTH_BITS = 7
    # Long codes come at least in pairs, and each pair's table has room for the longest.
    LITERAL_ROOM = (1 << LITERAL_BITS) + 144 * (1 << (MAX_BITS - LITERAL_BITS))
    DISTANCE_ROOM = (1 << DISTANCE_BITS) + 16 * (1 << (MAX_BITS - DISTANCE_BITS))
    LENGTH_ROOM = 1 << LENGTH_BITS
    MAX_MATCH = 258

# What an entry is made of: bits 0 to 7 the bits to drop, 8 to 11 those of the code alone (or of
# a second table's index), 12 to 14 what it is, 15 to 30 the value, and whether it is a literal.
cdef enum:
    BITS = 0xFF
    CODE_SHIFT = 8
    CODE = 0xF
    SECOND = 1 << 12
    STOP = 1 << 13
    WRONG = 1 << 14
    SPECIAL = SECOND | STOP | WRONG
    VALUE_SHIFT = 15
    LITERAL = 0x80000000


cdef struct Tables:
    uint32_t literals[LITERAL_ROOM]
    uint32_t distances[DISTANCE_ROOM]
    uint32_t lengths[LENGTH_ROOM]


cdef struct Stream:
    const unsigned char *at
    const unsigned char *end
    uint64_t held  # bits taken from the input, the next one lowest
    int count  # how many of them are valid
    int missing  # bytes behind the end that were taken as zeros
    unsigned char *start  # of the output
    unsigned char *out
    unsigned char *limit  # where the promised bytes end
    const unsigned char *room_end  # where writing must end


# The tables of blocks with fixed codes (RFC 1951, 3.2.6).
cdef const uint32_t *fixed_literals() noexcept nogil
cdef const uint32_t *fixed_distances() noexcept nogil

# Read the code lengths of a block with codes of its own (RFC 1951, 3.2.7), and fill its tables;
# False if they are damaged.
cdef bint read_tables(Stream *stream, Tables *tables) noexcept nogil


cdef inline uint64_t load64(const unsigned char *at) noexcept nogil:
    # Compilers make one instruction of this where they can.
    return (
        <uint64_t>at[0] | <uint64_t>at[1] << 8 | <uint64_t>at[2] << 16 | <uint64_t>at[3] << 24
        | <uint64_t>at[4] << 32 | <uint64_t>at[5] << 40 | <uint64_t>at[6] << 48
        | <uint64_t>at[7] << 56
    )


cdef inline void refill(Stream *stream) noexcept nogil:
    """Have at least 56 bits, zeros behind the end of the input."""
    if stream.end - stream.at >= 8:
        stream.held |= load64(stream.at) << stream.count
        stream.at += (63 - stream.count) >> 3
        stream.count |= 56
        return
    # What fast refills leave above the count are bits of the very bytes that come next.
    while stream.count < 56:
        if stream.at < stream.end:
            stream.held |= <uint64_t>stream.at[0] << stream.count
            stream.at += 1
        else:
            stream.missing += 1
        stream.count += 8


cdef inline uint32_t take(Stream *stream, int bits) noexcept nogil:
    cdef uint32_t value = stream.held & ((1 << bits) - 1)
    stream.held >>= bits
    stream.count -= bits
    return value


cdef inline bint is_past_end(Stream *stream) noexcept nogil:
    return stream.missing * 8 > stream.count
