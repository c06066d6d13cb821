# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Inflates zlib streams that lie in memory whole and whose inflated size is known.

Those are the entries of packs. Most are so short that a library's inflater spends its time on them
before the first byte comes out. All 406,000 entries of a repacked git.git, called from C, checksums
included but for ISA-L (one core):

    ===================== ========= ========= ======== =======
    inflated size         zlib      zlib-ng   ISA-L    ours
    ===================== ========= ========= ======== =======
    up to 300 bytes       0.30 us   0.28 us   0.50 us  0.20 us
    up to 8,000 (907)     7.2 us    5.8 us    5.0 us   4.4 us
    above (31 KB)         132 us    69 us     56 us    62 us
    all of them           1.37 s    0.97 s    0.90 s   0.76 s
    ===================== ========= ========= ======== =======

Nor do the libraries' wheels offer themselves to C; by way of Python a call takes longer still.

A table of 2**bits entries tells by the next bits of the input what they stand for; codes that are
longer go on in a second table behind it. Both are filled from the code lengths that a block begins
with. An entry holds all that a symbol needs: a value, how many bits its code has, and how many
with its extra bits. The loop is written twice: `run_fast` as long as eight bytes may be read and
the longest match written without looking, `run_safe` near both ends.

Pointers are compared with the ends of their buffers before they are followed, table indexes are
masked by the table's size or taken from entries that `build` has made.

Source: RFC 1950, RFC 1951.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from workers.errors import CodecError

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
    END_OF_BLOCK = 256
    ADLER_BASE = 65521
    ADLER_RUN = 4096  # bytes; no sum of so many overflows
    LANE = 32

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

cdef uint32_t literal_results[288]
cdef uint32_t distance_results[32]
cdef uint32_t length_results[19]
cdef uint32_t fixed_literals[LITERAL_ROOM]
cdef uint32_t fixed_distances[DISTANCE_ROOM]
cdef uint8_t turned[256]  # each byte with its bits in reverse
cdef int16_t weights[LANE]
cdef uint8_t *LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]


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


cdef void fill_constants() noexcept nogil:
    cdef uint32_t i, bit, base, extra
    cdef uint8_t lengths[288]
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
    for i in range(LANE):
        weights[i] = LANE - i
    for i in range(288):
        lengths[i] = 8 if i < 144 else 9 if i < 256 else 7 if i < 280 else 8
    build(lengths, 288, literal_results, fixed_literals, LITERAL_BITS)
    memset(lengths, 5, 32)
    build(lengths, 32, distance_results, fixed_distances, DISTANCE_BITS)


cdef inline uint32_t entry_of(uint32_t result, int bits) noexcept nogil:
    # The result has its extra bits where the sum is to stand.
    return result + bits + (bits << CODE_SHIFT)


cdef bint build(
    const uint8_t *lengths, int count, const uint32_t *results, uint32_t *table, int bits
) noexcept nogil:
    """Fill a table from code lengths; False if they are no prefix code."""
    cdef int starts[MAX_BITS + 2]
    cdef int counts[MAX_BITS + 1]
    cdef uint16_t symbols[288]
    cdef int i, length, longest = 0, left = 1, second_bits, index = 0
    cdef uint32_t code = 0, prefix, last = 0xFFFFFFFF, reversed_code, second = 0, at, entry
    memset(counts, 0, sizeof(counts))
    for i in range(count):
        counts[lengths[i]] += 1
    starts[0], starts[1] = 0, counts[0]
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
    for i in range(count):  # those without a code are sorted too: asking would take longer
        symbols[starts[lengths[i]]] = i
        starts[lengths[i]] += 1
    index = counts[0]
    for length in range(1, min(bits, longest) + 1):
        for _ in range(counts[length]):
            reversed_code = (turned[code & 0xFF] << 8 | turned[code >> 8]) >> (16 - length)
            table[reversed_code] = entry_of(results[symbols[index]], length)
            index += 1
            code += 1
        code <<= 1
        if length < bits and not left:
            memcpy(table + (1 << length), table, sizeof(uint32_t) << length)
    if left and longest:
        for i in range(2, 1 << bits, 2):
            table[i] = table[0]
    if longest < bits and not left:
        for length in range(longest + 1, bits):
            memcpy(table + (1 << length), table, sizeof(uint32_t) << length)
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


cdef inline uint64_t load64(const unsigned char *at) noexcept nogil:
    # Compilers make one instruction of this where they can.
    return (
        <uint64_t>at[0] | <uint64_t>at[1] << 8 | <uint64_t>at[2] << 16 | <uint64_t>at[3] << 24
        | <uint64_t>at[4] << 32 | <uint64_t>at[5] << 40 | <uint64_t>at[6] << 48
        | <uint64_t>at[7] << 56
    )


cdef inline void copy8(unsigned char *to, const unsigned char *start) noexcept nogil:
    cdef uint64_t word
    memcpy(&word, start, 8)
    memcpy(to, &word, 8)


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


cdef int read_tables(Stream *stream, Tables *tables) noexcept nogil:
    """Read the code lengths of a block with codes of its own (RFC 1951, 3.2.7)."""
    cdef uint8_t lengths[320 + 138]
    cdef uint8_t first[19]
    cdef int literals, distances, count, i = 0, repeat
    cdef uint32_t entry, symbol
    refill(stream)
    literals = 257 + take(stream, 5)
    distances = 1 + take(stream, 5)
    count = 4 + take(stream, 4)
    if literals > 286 or distances > 30:
        return INFLATE_DAMAGED
    memset(first, 0, sizeof(first))
    for i in range(count):
        if stream.count < 3:
            refill(stream)
        first[LENGTH_ORDER[i]] = take(stream, 3)
    if not build(first, 19, length_results, tables.lengths, LENGTH_BITS):
        return INFLATE_DAMAGED
    i = 0
    while i < literals + distances:
        if stream.count < 14:
            refill(stream)
        entry = tables.lengths[stream.held & (LENGTH_ROOM - 1)]
        if entry & WRONG:
            return INFLATE_DAMAGED
        take(stream, entry & BITS)
        symbol = entry >> VALUE_SHIFT
        if symbol < 16:
            lengths[i] = symbol
            i += 1
            continue
        if symbol == 16:
            if i == 0:
                return INFLATE_DAMAGED
            symbol = lengths[i - 1]
            repeat = 3 + take(stream, 2)
        else:
            repeat = 3 + take(stream, 3) if symbol == 17 else 11 + take(stream, 7)
            symbol = 0
        memset(lengths + i, symbol, repeat)
        i += repeat
    if i > literals + distances or lengths[END_OF_BLOCK] == 0 or is_past_end(stream):
        return INFLATE_DAMAGED
    if not build(lengths, literals, literal_results, tables.literals, LITERAL_BITS):
        return INFLATE_DAMAGED
    if not build(
        lengths + literals, distances, distance_results, tables.distances, DISTANCE_BITS
    ):
        return INFLATE_DAMAGED
    return 0


cdef int run_fast(
    Stream *stream, const uint32_t *literals, const uint32_t *distances
) noexcept nogil:
    """Inflate a block until it ends (1) or an end is near (0)."""
    cdef const unsigned char *at = stream.at
    cdef const unsigned char *last = stream.end - 16
    cdef unsigned char *out = stream.out
    cdef const unsigned char *safe = stream.room_end - (MAX_MATCH + 24)
    cdef const unsigned char *source
    cdef unsigned char *stop
    cdef uint64_t held = stream.held, saved
    cdef int count = stream.count, result = 0
    cdef uint32_t entry, length, distance
    while at < last and out < safe:
        held |= load64(at) << count
        at += (63 - count) >> 3
        count |= 56
        entry = literals[held & ((1 << LITERAL_BITS) - 1)]
        if entry & <uint32_t>LITERAL:  # at most three of 10 bits each
            held >>= entry & BITS
            count -= entry & BITS
            out[0] = entry >> VALUE_SHIFT & BITS
            out += 1
            entry = literals[held & ((1 << LITERAL_BITS) - 1)]
            if entry & <uint32_t>LITERAL:
                held >>= entry & BITS
                count -= entry & BITS
                out[0] = entry >> VALUE_SHIFT & BITS
                out += 1
                entry = literals[held & ((1 << LITERAL_BITS) - 1)]
                if entry & <uint32_t>LITERAL:
                    held >>= entry & BITS
                    count -= entry & BITS
                    out[0] = entry >> VALUE_SHIFT & BITS
                    out += 1
                    continue
        if entry & SPECIAL:
            if entry & SECOND:
                held >>= LITERAL_BITS
                count -= LITERAL_BITS
                entry = literals[
                    (entry >> VALUE_SHIFT) + (held & ((1 << (entry >> CODE_SHIFT & CODE)) - 1))
                ]
                if entry & <uint32_t>LITERAL:
                    held >>= entry & BITS
                    count -= entry & BITS
                    out[0] = entry >> VALUE_SHIFT & BITS
                    out += 1
                    continue
            if entry & (STOP | WRONG):
                held >>= entry & BITS
                count -= entry & BITS
                result = INFLATE_DAMAGED if entry & WRONG else 1
                break
        saved = held & ((<uint64_t>1 << (entry & BITS)) - 1)
        length = (entry >> VALUE_SHIFT) + <uint32_t>(saved >> (entry >> CODE_SHIFT & CODE))
        held >>= entry & BITS
        count -= entry & BITS
        if count < 28 + MAX_BITS:
            held |= load64(at) << count
            at += (63 - count) >> 3
            count |= 56
        entry = distances[held & ((1 << DISTANCE_BITS) - 1)]
        if entry & SPECIAL:
            if entry & SECOND:
                held >>= DISTANCE_BITS
                count -= DISTANCE_BITS
                entry = distances[
                    (entry >> VALUE_SHIFT) + (held & ((1 << (entry >> CODE_SHIFT & CODE)) - 1))
                ]
            if entry & WRONG:
                result = INFLATE_DAMAGED
                break
        saved = held & ((<uint64_t>1 << (entry & BITS)) - 1)
        distance = (entry >> VALUE_SHIFT) + <uint32_t>(saved >> (entry >> CODE_SHIFT & CODE))
        held >>= entry & BITS
        count -= entry & BITS
        if distance > out - stream.start:
            result = INFLATE_DAMAGED
            break
        source = out - distance
        stop = out + length
        if distance >= 8:
            copy8(out, source)
            copy8(out + 8, source + 8)
            while out + 16 < stop:
                out += 16
                source += 16
                copy8(out, source)
                copy8(out + 8, source + 8)
        elif distance == 1:
            memset(out, source[0], length)
        else:
            while out < stop:
                out[0] = source[0]
                out += 1
                source += 1
        out = stop
    stream.at, stream.out, stream.held, stream.count = at, out, held, count
    return result


cdef int run_safe(
    Stream *stream, const uint32_t *literals, const uint32_t *distances
) noexcept nogil:
    """Inflate a block until it ends (1), looking at both ends."""
    cdef uint32_t entry, length, distance
    cdef int bits
    while True:
        refill(stream)
        entry = literals[stream.held & ((1 << LITERAL_BITS) - 1)]
        if not entry & <uint32_t>LITERAL and entry & SECOND:
            take(stream, LITERAL_BITS)
            bits = entry >> CODE_SHIFT & CODE
            entry = literals[(entry >> VALUE_SHIFT) + (stream.held & ((1 << bits) - 1))]
        bits = entry >> CODE_SHIFT & CODE
        take(stream, bits)
        if is_past_end(stream):
            return INFLATE_CUT
        if entry & <uint32_t>LITERAL:
            if stream.out >= stream.limit:
                return INFLATE_TOO_LONG
            stream.out[0] = entry >> VALUE_SHIFT & BITS
            stream.out += 1
            continue
        if entry & (STOP | WRONG):
            return INFLATE_DAMAGED if entry & WRONG else 1
        length = (entry >> VALUE_SHIFT) + take(stream, (entry & BITS) - bits)
        refill(stream)
        entry = distances[stream.held & ((1 << DISTANCE_BITS) - 1)]
        if entry & SECOND:
            take(stream, DISTANCE_BITS)
            bits = entry >> CODE_SHIFT & CODE
            entry = distances[(entry >> VALUE_SHIFT) + (stream.held & ((1 << bits) - 1))]
        if entry & WRONG:
            return INFLATE_DAMAGED
        bits = entry >> CODE_SHIFT & CODE
        take(stream, bits)
        distance = (entry >> VALUE_SHIFT) + take(stream, (entry & BITS) - bits)
        if is_past_end(stream):
            return INFLATE_CUT
        if distance > stream.out - stream.start:
            return INFLATE_DAMAGED
        if length > stream.limit - stream.out:
            length = <uint32_t>(stream.limit - stream.out)
            entry = 0  # the head of a stream may well end within a match
        for _ in range(length):
            stream.out[0] = (stream.out - distance)[0]
            stream.out += 1
        if entry == 0:
            return INFLATE_TOO_LONG


cdef int run_stored(Stream *stream) noexcept nogil:
    """Copy a stored block; returns 1."""
    cdef int64_t size
    if stream.missing:
        return INFLATE_CUT
    stream.at -= stream.count >> 3
    stream.held = stream.count = 0
    if stream.end - stream.at < 4:
        return INFLATE_CUT
    size = stream.at[0] | stream.at[1] << 8
    if size != ((stream.at[2] | stream.at[3] << 8) ^ 0xFFFF):
        return INFLATE_DAMAGED
    stream.at += 4
    if size > stream.end - stream.at:
        return INFLATE_CUT
    if size > stream.limit - stream.out:
        size = stream.limit - stream.out
        memcpy(stream.out, stream.at, size)
        stream.out += size
        return INFLATE_TOO_LONG
    memcpy(stream.out, stream.at, size)
    stream.at += size
    stream.out += size
    return 1


cdef int run_blocks(Stream *stream) noexcept nogil:
    """Inflate block after block; 0 after the last one, else what is wrong."""
    cdef Tables tables
    cdef const uint32_t *literals
    cdef const uint32_t *distances
    cdef uint32_t header
    cdef int result
    while True:
        refill(stream)
        header = take(stream, 3)
        if header >> 1 == 0:
            result = run_stored(stream)
        elif header >> 1 == 3:
            return INFLATE_DAMAGED
        else:
            literals, distances = fixed_literals, fixed_distances
            if header >> 1 == 2:
                result = read_tables(stream, &tables)
                if result < 0:
                    return result
                literals, distances = tables.literals, tables.distances
            result = run_fast(stream, literals, distances)
            if result == 0:
                # The fast loop may have passed the promised end, within the room behind it.
                if stream.out > stream.limit:
                    return INFLATE_TOO_LONG
                result = run_safe(stream, literals, distances)
        if result < 0:
            return result
        if stream.out > stream.limit:
            return INFLATE_TOO_LONG
        if header & 1:
            return 0


cdef int begin(
    Stream *stream, const unsigned char *data, const unsigned char *end,
    unsigned char *out, int64_t size, const unsigned char *out_end,
) noexcept nogil:
    """Check the two bytes that a zlib stream begins with (RFC 1950, 2.2)."""
    if end - data < 2:
        return INFLATE_CUT
    if data[0] & 0xF != 8 or data[0] >> 4 > 7 or data[1] & 0x20 or (data[0] << 8 | data[1]) % 31:
        return INFLATE_DAMAGED
    stream.at, stream.end = data + 2, end
    stream.held = stream.count = stream.missing = 0
    stream.start = stream.out = out
    stream.limit, stream.room_end = out + size, out_end
    return 0


cdef int64_t c_inflate(
    const unsigned char *data, const unsigned char *end,
    unsigned char *out, int64_t size, const unsigned char *out_end,
) noexcept nogil:
    cdef Stream stream
    cdef const unsigned char *sum
    cdef int result = begin(&stream, data, end, out, size, out_end)
    if result == 0:
        result = run_blocks(&stream)
    if result < 0:
        return result
    if stream.out < stream.limit:
        return INFLATE_TOO_SHORT
    if is_past_end(&stream):
        return INFLATE_CUT
    sum = stream.at + stream.missing - (stream.count >> 3)
    if end - sum < 4:
        return INFLATE_CUT
    if c_adler32(1, out, size) != (
        <uint32_t>sum[0] << 24 | <uint32_t>sum[1] << 16 | <uint32_t>sum[2] << 8 | sum[3]
    ):
        return INFLATE_CHECKSUM
    return sum + 4 - data


cdef int64_t c_inflate_head(
    const unsigned char *data, const unsigned char *end, unsigned char *out, int64_t room
) noexcept nogil:
    cdef Stream stream
    if begin(&stream, data, end, out, room, out + room) < 0:
        return 0
    run_blocks(&stream)
    return min(room, stream.out - out)


cdef uint32_t c_adler32(uint32_t adler, const unsigned char *data, int64_t size) noexcept nogil:
    cdef uint32_t low = adler & 0xFFFF, high = adler >> 16, sums, weighted
    cdef int64_t run, i
    cdef int k
    while size:
        run = min(size, <int64_t>ADLER_RUN)
        size -= run
        while run >= LANE:
            sums = weighted = 0
            for k in range(LANE):
                sums += data[k]
                weighted += <int16_t>data[k] * weights[k]
            high += LANE * low + weighted
            low += sums
            data += LANE
            run -= LANE
        for i in range(run):
            low += data[i]
            high += low
        data += run
        low %= ADLER_BASE
        high %= ADLER_BASE
    return high << 16 | low


fill_constants()

cdef dict REASONS = {
    INFLATE_CUT: "zlib stream is cut short",
    INFLATE_DAMAGED: "zlib stream is damaged",
    INFLATE_TOO_LONG: "zlib stream holds more than it should",
    INFLATE_TOO_SHORT: "zlib stream holds less than it should",
    INFLATE_CHECKSUM: "zlib stream has a wrong checksum",
}


cdef str inflate_problem(int64_t problem):
    return REASONS[problem]


def inflate(const unsigned char[::1] data, int64_t size):
    """Return the *size* bytes of the zlib stream that *data* begins with, and its own size."""
    cdef int64_t result, given = data.shape[0]
    cdef const unsigned char *start = &data[0] if given else NULL
    cdef bytes content = PyBytes_FromStringAndSize(NULL, size)
    cdef unsigned char *out = <unsigned char *>PyBytes_AS_STRING(content)
    result = c_inflate(start, start + given, out, size, out + size)
    if result < 0:
        raise CodecError(inflate_problem(result))
    return content, result


def inflate_head(const unsigned char[::1] data, int64_t room):
    """Return up to *room* bytes that the zlib stream begins with."""
    cdef int64_t size, given = data.shape[0]
    cdef const unsigned char *start = &data[0] if given else NULL
    cdef bytes content = PyBytes_FromStringAndSize(NULL, room)
    size = c_inflate_head(start, start + given, <unsigned char *>PyBytes_AS_STRING(content), room)
    return content[:size]


def adler32(const unsigned char[::1] data):
    """Return the Adler-32 checksum of *data*."""
    return c_adler32(1, &data[0] if data.shape[0] else NULL, data.shape[0])
