# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Deflating what is small.

What an import deflates is few bytes mostly: commits, and deltas of text. A library spends most of
its time on them with what is worth it for more: setting up, and searching a window of 32 KiB. Here
all is on the stack, and sized for what is small. The codes are the fixed ones or those that fit
best, whichever makes the stream shorter.

Sources: RFC 1950 and 1951; Moffat and Katajainen, In-place calculation of minimum-redundancy codes
(1995). Loops walk pointers within sizes that the callers pass; no table is smaller than what
indexes it.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport log2
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from workers._checksums cimport c_adler32

cdef extern from *:
    int ctzll "__builtin_ctzll"(unsigned long long) nogil

cdef enum:
    HASH_BITS = 10
    SHORTEST = 4  # bytes of a match
    LONGEST = 258
    TRIES = 4  # places looked at for a match
    GOOD = 32  # a match so long is not put off
    END = 256  # symbol of the end of a block
    FIRST_LENGTH = 257  # the first symbol that stands for a length
    SYMBOLS = 286
    DISTANCES = 30
    RUNS = 19  # symbols that tell code lengths
    COPY = 16  # such a symbol: the last length again
    SHORT_ZEROS = 17
    LONG_ZEROS = 18
    MOST_BITS = 15  # of a code
    MOST_RUN_BITS = 7
    TOLD = 74  # bits at least that tell codes, before the first symbol of them
    TELLING = 3  # bits at least that tell the code of a symbol

MOST = C_MOST  # bytes that can be deflated here


cdef struct Token:
    uint16_t length  # of a match; 0: a literal
    uint16_t value  # distance, or the literal


cdef struct Code:
    uint16_t bits  # first bit lowest
    uint16_t size  # in bits; 0: the symbol does not occur


cdef struct Codes:
    Code literals[SYMBOLS]  # and lengths
    Code distances[DISTANCES]


cdef struct Counts:
    uint16_t literals[SYMBOLS]
    uint16_t distances[DISTANCES]


cdef struct Run:
    uint8_t symbol
    uint8_t extra


cdef struct Writer:
    unsigned char *at
    uint64_t bits
    int held


cdef Codes fixed
# By length and by distance: the symbol. By symbol: the least that it stands for, and how many bits
# tell which.
cdef uint8_t length_symbols[LONGEST + 1]  # less FIRST_LENGTH
cdef uint16_t length_bases[SYMBOLS - FIRST_LENGTH]
cdef uint8_t length_extra[SYMBOLS - FIRST_LENGTH]
cdef uint8_t distance_symbols[C_MOST + 1]
cdef uint16_t distance_bases[DISTANCES]
cdef uint8_t distance_extra[DISTANCES]
cdef uint8_t turned[256]  # bytes, first bit last
cdef int64_t informations[C_MOST + 2]  # n log2 n, in 256ths of a bit
# RFC 1951, 3.2.7: the order in which the lengths of the code of code lengths are told.
cdef uint8_t *run_order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
# Bits of what follows a symbol that tells code lengths.
cdef uint8_t *run_extra = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 7]


# --- matches --------------------------------------------------------------------------------------


cdef int64_t find_tokens(
    const unsigned char *data, int64_t size, Token *tokens
) noexcept nogil:
    """Divide bytes into literals and matches with what came before; return how many of both."""
    cdef uint16_t heads[1 << HASH_BITS]  # the last place + 1 of each hash
    cdef uint16_t before[C_MOST]  # the place + 1 before it, of the same hash
    cdef int64_t at = 0, count = 0, last = size - SHORTEST
    cdef int64_t length, distance = 0, later, later_distance = 0
    memset(heads, 0, sizeof(heads))
    length = find_match(data, size, 0, heads, before, &distance) if last >= 0 else 0
    while at <= last:
        if length and length < GOOD and at < last:
            later = find_match(data, size, at + 1, heads, before, &later_distance)
            if later > length:
                tokens[count].length = 0
                tokens[count].value = data[at]
                count += 1
                at += 1
                length = later
                distance = later_distance
                continue
            tokens[count].length = <uint16_t>length
            tokens[count].value = <uint16_t>distance
            count += 1
            length += at
            at += 2
        elif length:
            tokens[count].length = <uint16_t>length
            tokens[count].value = <uint16_t>distance
            count += 1
            length += at
            at += 1
        else:
            tokens[count].length = 0
            tokens[count].value = data[at]
            count += 1
            length = at + 1
            at += 1
        while at < length:
            if at <= last:
                note(data, at, heads, before)
            at += 1
        length = 0
        if at <= last:
            length = find_match(data, size, at, heads, before, &distance)
    while at < size:
        tokens[count].length = 0
        tokens[count].value = data[at]
        count += 1
        at += 1
    return count


cdef inline uint32_t read_four(const unsigned char *data) noexcept nogil:
    cdef uint32_t four
    memcpy(&four, data, 4)
    return four


cdef inline uint32_t hash_of(const unsigned char *data) noexcept nogil:
    return (read_four(data) * <uint32_t>2654435761) >> (32 - HASH_BITS)


cdef inline void note(
    const unsigned char *data, int64_t at, uint16_t *heads, uint16_t *before
) noexcept nogil:
    cdef uint32_t number = hash_of(data + at)
    before[at] = heads[number]
    heads[number] = <uint16_t>(at + 1)


cdef inline int64_t find_match(
    const unsigned char *data, int64_t size, int64_t at,
    uint16_t *heads, uint16_t *before, int64_t *distance,
) noexcept nogil:
    """Find the longest match of a place, and note the place; 0: there is none."""
    cdef uint32_t number = hash_of(data + at), four = read_four(data + at)
    cdef int64_t place = heads[number], best = 0, length, most = min(size - at, <int64_t>LONGEST)
    cdef int _
    before[at] = <uint16_t>place
    heads[number] = <uint16_t>(at + 1)
    for _ in range(TRIES):
        if not place:
            break
        place -= 1
        if read_four(data + place) == four and (
            best == 0 or (best < most and data[place + best] == data[at + best])
        ):
            length = matched(data + place, data + at, most)
            if length > best:
                best = length
                distance[0] = at - place
                if length >= GOOD:
                    break
        place = before[place]
    return best


cdef inline int64_t matched(
    const unsigned char *first, const unsigned char *second, int64_t most
) noexcept nogil:
    """How many bytes are the same in both; four are."""
    cdef uint64_t one, other
    cdef int64_t length = SHORTEST
    while length + 8 <= most:
        memcpy(&one, first + length, 8)
        memcpy(&other, second + length, 8)
        if one != other:
            return length + (ctzll(one ^ other) >> 3)
        length += 8
    while length < most and first[length] == second[length]:
        length += 1
    return length


# --- codes ----------------------------------------------------------------------------------------


cdef int64_t sort_used(const uint16_t *counts, int64_t number, uint32_t *used) noexcept nogil:
    """List symbols that occur, the rarest first: count, and symbol in the lowest nine bits."""
    cdef uint32_t other[SYMBOLS + 1]
    cdef uint32_t most = 0
    cdef int64_t i, found = 0
    for i in range(number):  # without a branch that nobody can foresee
        other[found] = <uint32_t>counts[i] << 9 | <uint32_t>i
        found += counts[i] > 0
        most |= counts[i]
    sort_by(other, used, found, 9)
    if most >= 128:
        sort_by(used, other, found, 16)
        memcpy(used, other, found * sizeof(uint32_t))
    return found


cdef void sort_by(const uint32_t *rows, uint32_t *out, int64_t count, int low) noexcept nogil:
    """Sort by the seven bits from *low* on; what is equal there stays in order."""
    cdef uint16_t places[129]
    cdef int64_t i
    cdef uint32_t key
    memset(places, 0, sizeof(places))
    for i in range(count):
        places[(rows[i] >> low & 127) + 1] += 1
    for i in range(128):
        places[i + 1] += places[i]
    for i in range(count):
        key = rows[i] >> low & 127
        out[places[key]] = rows[i]
        places[key] += 1


cdef void find_depths(uint32_t *weights, int64_t count) noexcept nogil:
    """Replace at least two weights, the least first, by the lengths of their codes."""
    cdef int64_t leaf = 2, root = 0, next, free, used, depth
    weights[0] += weights[1]
    for next in range(1, count - 1):
        if leaf >= count or weights[root] < weights[leaf]:
            weights[next] = weights[root]
            weights[root] = <uint32_t>next
            root += 1
        else:
            weights[next] = weights[leaf]
            leaf += 1
        if leaf >= count or (root < next and weights[root] < weights[leaf]):
            weights[next] += weights[root]
            weights[root] = <uint32_t>next
            root += 1
        else:
            weights[next] += weights[leaf]
            leaf += 1
    weights[count - 2] = 0
    for next in range(count - 3, -1, -1):
        weights[next] = weights[weights[next]] + 1
    free, used, depth = 1, 0, 0
    root, next = count - 2, count - 1
    while free > 0:
        while root >= 0 and weights[root] == <uint32_t>depth:
            used += 1
            root -= 1
        while free > used:
            weights[next] = <uint32_t>depth
            next -= 1
            free -= 1
        free = 2 * used
        depth += 1
        used = 0


cdef void make_codes(uint16_t *counts, int64_t number, int most, Code *codes) noexcept nogil:
    """Make the prefix code that takes the fewest bits, none of them longer than *most*.

    At least two symbols get a code: not every reader takes less.
    """
    cdef uint32_t used[SYMBOLS]
    cdef uint32_t depths[SYMBOLS]
    cdef int64_t tally[SYMBOLS + 1]  # codes of each length
    cdef int64_t found = sort_used(counts, number, used), i, size, sum = 0, _
    if found < 2:
        counts[0] += 1
        counts[1] += not counts[1]
        found = sort_used(counts, number, used)
    for i in range(found):
        depths[i] = used[i] >> 9
    find_depths(depths, found)
    memset(tally, 0, sizeof(tally))
    for i in range(found):
        tally[min(<int64_t>depths[i], <int64_t>most)] += 1
    for size in range(1, most + 1):
        sum += tally[size] << (most - size)
    while sum > 1 << most:  # too many are short now: lengthen one, beside which one more has room
        size = most - 1
        while not tally[size]:
            size -= 1
        tally[size] -= 1
        tally[size + 1] += 2
        tally[most] -= 1
        sum -= 1
    memset(codes, 0, number * sizeof(Code))
    i = 0
    for size in range(most, 0, -1):
        for _ in range(tally[size]):
            codes[used[i] & 511].size = <uint16_t>size
            i += 1
    assign_bits(codes, number)


cdef void assign_bits(Code *codes, int64_t number) noexcept nogil:
    """Number the codes by their sizes (RFC 1951, 3.2.2)."""
    cdef uint32_t next[MOST_BITS + 1]
    cdef uint32_t tally[MOST_BITS + 1]
    cdef uint32_t code = 0
    cdef int64_t i
    memset(tally, 0, sizeof(tally))
    for i in range(number):
        tally[codes[i].size] += 1
    tally[0] = next[0] = 0
    for i in range(1, MOST_BITS + 1):
        code = code + tally[i - 1] << 1
        next[i] = code
    for i in range(number):
        code = next[codes[i].size]
        next[codes[i].size] += codes[i].size > 0
        code = <uint32_t>turned[code & 0xFF] << 8 | turned[code >> 8]
        codes[i].bits = <uint16_t>(code >> (16 - codes[i].size))


cdef int64_t find_runs(const uint8_t *sizes, int64_t count, Run *runs) noexcept nogil:
    """Write code lengths as symbols with what follows them; return how many there are."""
    cdef int64_t at = 0, end, left, part, found = 0
    cdef uint8_t size
    while at < count:
        size = sizes[at]
        end = at + 1
        while end < count and sizes[end] == size:
            end += 1
        left = end - at
        if size:
            runs[found].symbol = size
            found += 1
            left -= 1
        while left >= 3:
            part = min(left, <int64_t>(6 if size else 138))
            runs[found].symbol = COPY if size else SHORT_ZEROS if part < 11 else LONG_ZEROS
            runs[found].extra = <uint8_t>(part - (11 if runs[found].symbol == LONG_ZEROS else 3))
            found += 1
            left -= part
        while left > 0:
            runs[found].symbol = size
            found += 1
            left -= 1
        at = end
    return found


# --- streams --------------------------------------------------------------------------------------


cdef inline void put(Writer *to, uint64_t bits, int size) noexcept nogil:
    """Add up to 56 bits; eight bytes from where it stands may be written."""
    to.bits |= bits << to.held
    to.held += size
    memcpy(to.at, &to.bits, 8)
    to.at += to.held >> 3
    to.bits >>= to.held & 56
    to.held &= 7


cdef inline void put_symbol(Writer *to, Code code) noexcept nogil:
    put(to, code.bits, code.size)


cdef void put_codes(Writer *to, const Codes *codes) noexcept nogil:
    """Begin a last block that has codes of its own."""
    cdef uint8_t sizes[SYMBOLS + DISTANCES]
    cdef Run runs[SYMBOLS + DISTANCES]
    cdef uint16_t counts[RUNS]
    cdef Code own[RUNS]
    cdef int64_t literals = SYMBOLS, distances = DISTANCES, i, count, told = RUNS
    while not codes.literals[literals - 1].size:
        literals -= 1
    while not codes.distances[distances - 1].size:
        distances -= 1
    for i in range(literals):
        sizes[i] = <uint8_t>codes.literals[i].size
    for i in range(distances):
        sizes[literals + i] = <uint8_t>codes.distances[i].size
    count = find_runs(sizes, literals + distances, runs)
    memset(counts, 0, sizeof(counts))
    for i in range(count):
        counts[runs[i].symbol] += 1
    make_codes(counts, RUNS, MOST_RUN_BITS, own)
    while not own[run_order[told - 1]].size:
        told -= 1
    put(to, 5 | (literals - 257) << 3 | (distances - 1) << 8 | (told - 4) << 13, 17)
    for i in range(told):
        put(to, own[run_order[i]].size, 3)
    for i in range(count):
        put_symbol(to, own[runs[i].symbol])
        if runs[i].symbol >= COPY:
            put(to, runs[i].extra, run_extra[runs[i].symbol])


cdef void put_tokens(
    Writer *to, const Codes *codes, const Token *tokens, int64_t count
) noexcept nogil:
    cdef int symbol
    cdef int64_t i
    for i in range(count):
        if not tokens[i].length:
            put_symbol(to, codes.literals[tokens[i].value])
            continue
        symbol = length_symbols[tokens[i].length]
        put_symbol(to, codes.literals[FIRST_LENGTH + symbol])
        put(to, tokens[i].length - length_bases[symbol], length_extra[symbol])
        symbol = distance_symbols[tokens[i].value]
        put_symbol(to, codes.distances[symbol])
        put(to, tokens[i].value - distance_bases[symbol], distance_extra[symbol])
    put_symbol(to, codes.literals[END])


cdef void count_symbols(const Token *tokens, int64_t count, Counts *counts) noexcept nogil:
    cdef int64_t i
    memset(counts, 0, sizeof(Counts))
    counts.literals[END] = 1
    for i in range(count):
        if tokens[i].length:
            counts.literals[FIRST_LENGTH + length_symbols[tokens[i].length]] += 1
            counts.distances[distance_symbols[tokens[i].value]] += 1
        else:
            counts.literals[tokens[i].value] += 1


cdef int64_t bits_of(const Counts *counts, const Codes *codes) noexcept nogil:
    """How many bits a block's symbols take, without what follows lengths and distances."""
    cdef int64_t bits = 0, i
    for i in range(SYMBOLS):
        bits += <int64_t>counts.literals[i] * codes.literals[i].size
    for i in range(DISTANCES):
        bits += <int64_t>counts.distances[i] * codes.distances[i].size
    return bits


cdef int64_t least_bits(const uint16_t *counts, int64_t number) noexcept nogil:
    """How many bits symbols with codes of their own take at least, and what tells the codes."""
    cdef int64_t information = 0, total = 0, occur = 0, i
    for i in range(number):
        information += informations[counts[i]]
        total += counts[i]
        occur += counts[i] > 0
    return (informations[total] - information) // 256 + occur * TELLING


cdef int64_t c_deflate_small(
    const unsigned char *data, int64_t size, unsigned char *out
) noexcept nogil:
    """Write at most MOST bytes to *out*, ROOM bytes, as a zlib stream; return its size.

    0: stored blocks are shorter.
    """
    cdef Token tokens[C_MOST]
    cdef Counts counts
    cdef Codes codes
    cdef Writer to
    cdef uint32_t adler
    cdef int64_t count = find_tokens(data, size, tokens), i, bits, plain, least
    cdef const Codes *chosen = &fixed
    count_symbols(tokens, count, &counts)
    out[0] = 0x78  # deflate, 32 KiB window
    out[1] = 0x01
    to.at, to.bits, to.held = out + 2, 0, 0
    plain = 3 + bits_of(&counts, &fixed)
    least = least_bits(counts.literals, SYMBOLS) + least_bits(counts.distances, DISTANCES)
    if TOLD + least < plain:
        make_codes(counts.literals, SYMBOLS, MOST_BITS, codes.literals)
        make_codes(counts.distances, DISTANCES, MOST_BITS, codes.distances)
        put_codes(&to, &codes)
        bits = 8 * (to.at - out - 2) + to.held + bits_of(&counts, &codes)
        if bits < plain:
            chosen = &codes
    if chosen != &codes:
        to.at, to.bits, to.held = out + 2, 0, 0
        put(&to, 3, 3)
    put_tokens(&to, chosen, tokens, count)
    to.at += to.held > 0
    adler = c_adler32(1, data, size)
    for i in range(4):
        to.at[i] = adler >> (24 - 8 * i) & 0xFF
    i = to.at + 4 - out
    return i if i <= size + 11 else 0  # what c_deflate_bound says of one stored block


# --- tables ---------------------------------------------------------------------------------------


cdef void fill_tables() noexcept nogil:
    cdef int64_t i, bit, symbol, base = 3
    for i in range(256):
        for bit in range(8):
            turned[i] |= (i >> bit & 1) << (7 - bit)
    for symbol in range(SYMBOLS - FIRST_LENGTH):
        length_extra[symbol] = <uint8_t>(max(symbol // 4 - 1, <int64_t>0) if symbol < 28 else 0)
        length_bases[symbol] = <uint16_t>(base if symbol < 28 else LONGEST)
        for i in range(length_bases[symbol], min(base + (1 << length_extra[symbol]), LONGEST + 1)):
            length_symbols[i] = <uint8_t>symbol
        base += 1 << length_extra[symbol]
    length_symbols[LONGEST] = SYMBOLS - FIRST_LENGTH - 1
    base = 1
    for symbol in range(DISTANCES):
        distance_extra[symbol] = <uint8_t>max(symbol // 2 - 1, <int64_t>0)
        distance_bases[symbol] = <uint16_t>base
        for i in range(base, min(base + (1 << distance_extra[symbol]), <int64_t>C_MOST + 1)):
            distance_symbols[i] = <uint8_t>symbol
        base += 1 << distance_extra[symbol]
    for i in range(1, C_MOST + 2):
        informations[i] = <int64_t>(256 * i * log2(<double>i))
    fill_fixed()


cdef void fill_fixed() noexcept nogil:
    """RFC 1951, 3.2.6: there are two more symbols of each kind, which do not occur."""
    cdef Code literals[SYMBOLS + 2]
    cdef Code distances[DISTANCES + 2]
    cdef int64_t i
    for i in range(SYMBOLS + 2):
        literals[i].size = 8 if i < 144 else 9 if i < 256 else 7 if i < 280 else 8
    for i in range(DISTANCES + 2):
        distances[i].size = 5
    assign_bits(literals, SYMBOLS + 2)
    assign_bits(distances, DISTANCES + 2)
    memcpy(fixed.literals, literals, sizeof(fixed.literals))
    memcpy(fixed.distances, distances, sizeof(fixed.distances))


fill_tables()


def deflate_small(const unsigned char[::1] data):
    """Return at most MOST bytes as a zlib stream of one block; None: it is not worth it."""
    cdef unsigned char out[ROOM]
    cdef int64_t size = data.shape[0]
    if not 0 < size <= C_MOST:
        raise ValueError(f"{size} bytes are not small")
    size = c_deflate_small(&data[0], size, out)
    return PyBytes_FromStringAndSize(<char *>out, size) if size else None
