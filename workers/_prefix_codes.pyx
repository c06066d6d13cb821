# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Tables of the codes that deflate uses, and the bits that they are read with.

A table of 2**bits entries tells by the next bits of the input what they stand for; codes that are
longer go on in a second table behind it. Both are filled from the code lengths that a block begins
with. An entry holds all that a symbol needs: a value, how many bits its code has, and how many
with its extra bits.

Source: RFC 1951, 3.2.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memmove, memset

cdef enum:
    END_OF_BLOCK = 256

cdef uint32_t literal_results[288]
cdef uint32_t distance_results[32]
cdef uint32_t length_results[19]
cdef uint32_t fixed_literal_table[LITERAL_ROOM]
cdef uint32_t fixed_distance_table[DISTANCE_ROOM]
cdef uint8_t turned[256]  # each byte with its bits in reverse
cdef uint8_t *LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]


cdef void fill_constants() noexcept nogil:
    cdef uint32_t i, bit, base, extra
    cdef uint8_t lengths[288]
    cdef uint16_t used[288]
    for i in range(256):
        turned[i] = 0
        for bit in range(8):
            turned[i] |= (i >> bit & 1) << (7 - bit)
        literal_results[i] = <uint32_t>LITERAL | i << VALUE_SHIFT
    literal_results[END_OF_BLOCK] = STOP
    base = 3
    for i in range(28):  # RFC 1951, 3.2.5
        extra = 0 if i < 8 else (i - 4) >> 2
        literal_results[257 + i] = base << VALUE_SHIFT | extra
        base += 1 << extra
    literal_results[285] = MAX_MATCH << VALUE_SHIFT
    literal_results[286] = literal_results[287] = WRONG
    base = 1
    for i in range(30):
        extra = 0 if i < 4 else (i - 2) >> 1
        distance_results[i] = base << VALUE_SHIFT | extra
        base += 1 << extra
    distance_results[30] = distance_results[31] = WRONG
    for i in range(19):
        length_results[i] = i << VALUE_SHIFT
    for i in range(288):
        lengths[i] = 8 if i < 144 else 9 if i < 256 else 7 if i < 280 else 8
        used[i] = i
    build(lengths, used, 288, literal_results, fixed_literal_table, LITERAL_BITS)
    memset(lengths, 5, 32)
    build(lengths, used, 32, distance_results, fixed_distance_table, DISTANCE_BITS)


cdef inline uint32_t entry_of(uint32_t result, int bits) noexcept nogil:
    # The result has its extra bits where the sum is to stand.
    return result + bits + (bits << CODE_SHIFT)


cdef inline void repeat(uint32_t *table, int length) noexcept nogil:
    """Repeat the first 2**length entries behind them."""
    # Of a memcpy gcc makes "rep movsq", which takes longer to begin than most of these to be done.
    memmove(table + (1 << length), table, sizeof(uint32_t) << length)


cdef bint build(
    const uint8_t *lengths, const uint16_t *used, int count, const uint32_t *results,
    uint32_t *table, int bits,
) noexcept nogil:
    """Fill a table from code lengths; False if they are no prefix code.

    Args:
        lengths: For each symbol, 0 for one that has no code.
        used: The symbols that have one, ascending: mostly a few of all.
        count: How many these are.
        results: For each symbol, what its entry holds.
        table: Is filled.
        bits: Of the first table.
    """
    cdef int starts[MAX_BITS + 2]
    cdef int counts[MAX_BITS + 1]
    cdef uint16_t symbols[288]
    cdef int i, length, longest = 0, left = 1, second_bits, index = 0
    cdef uint32_t code = 0, prefix, last = 0xFFFFFFFF, reversed_code, second = 0, at, entry
    memset(counts, 0, sizeof(counts))
    for i in range(count):
        counts[lengths[used[i]]] += 1
    starts[1] = 0
    for length in range(1, MAX_BITS + 1):
        left = (left << 1) - counts[length]
        if left < 0:
            return False
        starts[length + 1] = starts[length] + counts[length]
        if counts[length]:
            longest = length
    if left and longest > 1:
        return False
    if left:  # no code at all or one of one bit: what has none must not come
        for i in range(1 << bits):
            table[i] = WRONG
    for i in range(count):
        length = lengths[used[i]]
        symbols[starts[length]] = used[i]
        starts[length] += 1
    for length in range(1, min(bits, longest) + 1):
        for _ in range(counts[length]):
            reversed_code = (turned[code & 0xFF] << 8 | turned[code >> 8]) >> (16 - length)
            table[reversed_code] = entry_of(results[symbols[index]], length)
            index += 1
            code += 1
        code <<= 1
        if length < bits and not left:
            repeat(table, length)
    if left and longest:
        for i in range(2, 1 << bits, 2):
            table[i] = table[0]
    if longest < bits and not left:
        for length in range(longest + 1, bits):
            repeat(table, length)
    second_bits = longest - bits
    for length in range(bits + 1, longest + 1):
        for _ in range(counts[length]):
            reversed_code = (turned[code & 0xFF] << 8 | turned[code >> 8]) >> (16 - length)
            prefix = reversed_code & ((1 << bits) - 1)
            if prefix != last:
                last = prefix
                second = 1 << bits if second == 0 else second + (1 << second_bits)
                table[prefix] = (
                    SECOND | second << VALUE_SHIFT | bits | <uint32_t>second_bits << CODE_SHIFT
                )
            entry = entry_of(results[symbols[index]], length - bits)
            at = reversed_code >> bits
            while at < <uint32_t>1 << second_bits:
                table[second + at] = entry
                at += 1 << (length - bits)
            index += 1
            code += 1
        code <<= 1
    return True


fill_constants()


cdef const uint32_t *fixed_literals() noexcept nogil:
    return fixed_literal_table


cdef const uint32_t *fixed_distances() noexcept nogil:
    return fixed_distance_table


cdef bint read_tables(Stream *stream, Tables *tables) noexcept nogil:
    cdef uint8_t lengths[320 + 138]
    cdef uint16_t used[320 + 138]
    cdef uint8_t first[19]
    cdef int literals, distances, count, i = 0, stop, used_count = 0, literal_count
    cdef uint32_t entry, symbol
    refill(stream)
    literals = 257 + take(stream, 5)
    distances = 1 + take(stream, 5)
    count = 4 + take(stream, 4)
    if literals > 286 or distances > 30:
        return False
    memset(first, 0, sizeof(first))
    memset(lengths, 0, sizeof(lengths))
    for i in range(count):
        if stream.count < 3:
            refill(stream)
        first[LENGTH_ORDER[i]] = take(stream, 3)
    for i in range(19):
        used[used_count] = i
        used_count += first[i] != 0
    if not build(first, used, used_count, length_results, tables.lengths, LENGTH_BITS):
        return False
    i = used_count = 0
    while i < literals + distances:
        if stream.count < 14:
            refill(stream)
        entry = tables.lengths[stream.held & (LENGTH_ROOM - 1)]
        if entry & WRONG:
            return False
        take(stream, entry & BITS)
        symbol = entry >> VALUE_SHIFT
        if symbol < 16:
            lengths[i] = symbol
            used[used_count] = i
            used_count += symbol != 0
            i += 1
        elif symbol > 16:
            i += 3 + take(stream, 3) if symbol == 17 else 11 + take(stream, 7)
        elif i == 0:
            return False
        else:
            symbol = lengths[i - 1]
            stop = i + 3 + <int>take(stream, 2)
            while i < stop:
                lengths[i] = symbol
                used[used_count] = i
                used_count += symbol != 0
                i += 1
    if i > literals + distances or lengths[END_OF_BLOCK] == 0 or is_past_end(stream):
        return False
    literal_count = used_count
    while used[literal_count - 1] >= literals:  # ends: there is END_OF_BLOCK
        literal_count -= 1
        used[literal_count] -= literals
    return build(
        lengths, used, literal_count, literal_results, tables.literals, LITERAL_BITS
    ) and build(
        lengths + literals, used + literal_count, used_count - literal_count, distance_results,
        tables.distances, DISTANCE_BITS,
    )
