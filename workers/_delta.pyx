# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Loops that make deltas; see delta.py for how it works and what was measured.

All pointers are walked within [start, end) pairs that the callers pass; no Python sequence is
indexed here but at 0 after its length was looked at, so bounds checks would check nothing.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport UINT32_MAX, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from workers._delta_output cimport Output, add_copy, add_insert, flush_copy, put_size

cdef enum:
    BLOCK = 16  # bytes hashed together, and so the shortest match that is found
    NEAR = 2  # distance of indexed blocks in a window of the base
    MIDDLE = 4  # in a survey of the base's edited part
    FAR = 16  # and of what was trimmed away, where only moved or repeated text is looked for
    WINDOW = 512  # bytes of the base that are indexed behind a match
    WINDOW_BITS = 12
    WINDOW_BLOCKS = 2048
    PATIENCE = 64  # bytes of the target that are tried before the base is surveyed
    CHUNK = 512  # bytes compared by one memcmp while trimming
    MAX_CANDIDATES = 16  # blocks of one hash that are tried: keeps repetitive files linear
    MAX_BLOCKS = 1 << 20  # when there would be more, blocks are taken further apart

cdef int64_t SIZE_LIMIT = <int64_t>1 << 32  # copy offsets have 32 bits


# Blocks of the base near where the target probably goes on.
cdef struct Windows:
    uint32_t *heads  # hash → number of the first block
    uint32_t *links  # block → number of the next one with the same hash
    uint32_t *places  # block → offset in the base
    uint32_t last  # number of the newest block
    uint32_t floor  # blocks up to this number are forgotten

# Blocks from all over the base.
cdef struct Survey:
    uint32_t *places  # hash → offset in the base + 1, 0: none
    int64_t room
    int shift

# Kept from call to call because fresh pages cost more than filling them. The GIL guards them, so
# no loop here gives the GIL up.
cdef Windows windows
cdef Survey survey
memset(&windows, 0, sizeof(Windows))
memset(&survey, 0, sizeof(Survey))

cdef struct Base:
    const unsigned char *data
    int64_t size
    int64_t low  # base[low:high] is the edited part, between common prefix and suffix
    int64_t high

cdef struct Match:
    int64_t place  # in the base
    int64_t size
    int64_t back  # bytes of it that lie before the block


cdef inline uint64_t load(const unsigned char *at) noexcept nogil:
    cdef uint64_t word
    memcpy(&word, at, 8)
    return word


cdef inline uint32_t block_hash(const unsigned char *at, int shift) noexcept nogil:
    """Top bits of a sum that every bit of the block reaches."""
    return <uint32_t>(
        (load(at) * <uint64_t>0x9E3779B97F4A7C15 + load(at + 8) * <uint64_t>0xC2B2AE3D27D4EB4F)
        >> shift
    )


cdef inline bint same_block(const unsigned char *a, const unsigned char *b) noexcept nogil:
    return load(a) == load(b) and load(a + 8) == load(b + 8)


cdef int64_t common_prefix(
    const unsigned char *a, const unsigned char *b, int64_t limit
) noexcept nogil:
    """Count equal bytes from the start, at most *limit*."""
    cdef int64_t n = 0
    # Most calls end within a word or two; the long ones go by memcmp, the fastest loop there is.
    while n + 8 <= limit and n < 64:
        if load(a + n) != load(b + n):
            break
        n += 8
    if n == 64:
        while n + CHUNK <= limit and memcmp(a + n, b + n, CHUNK) == 0:
            n += CHUNK
        while n + 8 <= limit and load(a + n) == load(b + n):
            n += 8
    while n < limit and a[n] == b[n]:
        n += 1
    return n


cdef int64_t common_suffix(
    const unsigned char *a, const unsigned char *b, int64_t limit
) noexcept nogil:
    """Count equal bytes before the ends *a* and *b*, at most *limit*."""
    cdef int64_t n = 0
    while n + 8 <= limit and n < 64:
        if load(a - n - 8) != load(b - n - 8):
            break
        n += 8
    if n == 64:
        while n + CHUNK <= limit and memcmp(a - n - CHUNK, b - n - CHUNK, CHUNK) == 0:
            n += CHUNK
        while n + 8 <= limit and load(a - n - 8) == load(b - n - 8):
            n += 8
    while n < limit and a[-n - 1] == b[-n - 1]:
        n += 1
    return n


cdef bint reserve(uint32_t **table, int64_t *room, int64_t needed) noexcept nogil:
    """Make room for *needed* numbers, all 0; the old ones are not kept."""
    if needed <= room[0]:
        return True
    free(table[0])
    room[0] = 0
    table[0] = <uint32_t *>calloc(needed, sizeof(uint32_t))
    if table[0] == NULL:
        return False
    room[0] = needed
    return True


cdef bint start_windows(Windows *windows) noexcept nogil:
    """Forget all blocks; False: no memory."""
    if windows.heads == NULL:
        windows.heads = <uint32_t *>malloc(sizeof(uint32_t) << WINDOW_BITS)
        windows.links = <uint32_t *>malloc(sizeof(uint32_t) * (WINDOW_BLOCKS + 1))
        windows.places = <uint32_t *>malloc(sizeof(uint32_t) * (WINDOW_BLOCKS + 1))
        if windows.heads == NULL or windows.links == NULL or windows.places == NULL:
            return False
        windows.last = UINT32_MAX
    # Blocks are numbered on from call to call, so what is left of earlier ones need not be wiped.
    if windows.last >= UINT32_MAX - WINDOW_BLOCKS:
        memset(windows.heads, 0, sizeof(uint32_t) << WINDOW_BITS)
        windows.last = 0
    windows.floor = windows.last
    return True


cdef void add_window(Windows *windows, const Base *base, int64_t low, int64_t high) noexcept nogil:
    """Put the blocks of base[low:high] in front of their chains.

    From the last to the first, so that a chain begins with the lowest block: it can be extended
    furthest. Of equal neighbours (a run of one byte) only the lowest stays in the chain.
    """
    # Locals: a store to a table could else be one to the index as well, for all that C knows.
    cdef uint32_t *heads = windows.heads
    cdef uint32_t *links = windows.links
    cdef uint32_t *places = windows.places
    cdef const unsigned char *data = base.data
    cdef uint32_t last = windows.last, floor = windows.floor, slot, first
    cdef int64_t place = low + (high - low - BLOCK) // NEAR * NEAR
    if high - low < BLOCK:
        return
    while place >= low:
        slot = block_hash(data + place, 64 - WINDOW_BITS)
        first = heads[slot]
        # The test that hardly ever holds stands first: whether the slot was empty is a coin toss.
        if first == last and last > floor and places[last - floor] == place + NEAR and same_block(
            data + place, data + place + NEAR
        ):
            places[last - floor] = <uint32_t>place
        else:
            last += 1
            places[last - floor] = <uint32_t>place
            links[last - floor] = first
            heads[slot] = last
        place -= NEAR
    windows.last = last


cdef int64_t move_window(
    Windows *windows, const Base *base, int64_t place, int64_t indexed
) noexcept nogil:
    """Index the base from *place* on, but what is done up to *indexed*; return where that ends.

    Most edits are short: some bytes on, the target goes on where the base does.
    """
    cdef int64_t low = max(place, indexed), high = min(base.high, place + WINDOW)
    if high <= indexed or place < base.low:
        return indexed
    if windows.last - windows.floor + WINDOW // NEAR >= WINDOW_BLOCKS:
        start_windows(windows)
        low = place
    add_window(windows, base, low, high)
    return high


cdef void note_blocks(
    Survey *survey, const unsigned char *base, int64_t low, int64_t high, int64_t step
) noexcept nogil:
    """Note the blocks of base[low:high] that are *step* apart, for each hash the lowest."""
    cdef uint32_t *places = survey.places
    cdef int shift = survey.shift
    cdef int64_t place = low + (high - low - BLOCK) // step * step
    if high - low < BLOCK:
        return
    while place >= low:
        places[block_hash(base + place, shift)] = <uint32_t>place + 1
        place -= step


cdef bint fill_survey(Survey *survey, const Base *base) noexcept nogil:
    """Note blocks from all over the base, the edited part's last; False: no memory."""
    cdef int64_t thin = 1 + base.size // MIDDLE // MAX_BLOCKS
    cdef int64_t blocks = base.size // FAR + (base.high - base.low) // MIDDLE
    cdef int bits = 8
    while (<int64_t>1 << bits) < 2 * blocks // thin:
        bits += 1
    if not reserve(&survey.places, &survey.room, <int64_t>1 << bits):
        return False
    survey.shift = 64 - bits
    memset(survey.places, 0, sizeof(uint32_t) << bits)
    note_blocks(survey, base.data, base.high, base.size, FAR * thin)
    note_blocks(survey, base.data, 0, base.low, FAR * thin)
    note_blocks(survey, base.data, base.low, base.high, MIDDLE * thin)
    return True


cdef Match try_place(
    int64_t place,
    const Base *base,
    const unsigned char *target,
    int64_t before,
    int64_t after,
) noexcept nogil:
    """Compare base[place:] with what *target* points at; size 0: no match.

    A match reaches at most *before* bytes back and *after* bytes on.
    """
    cdef Match match
    cdef const unsigned char *at = base.data + place
    match.size = 0
    if same_block(at, target):
        match.back = common_suffix(at, target, min(before, place))
        match.place = place - match.back
        match.size = match.back + BLOCK + common_prefix(
            at + BLOCK, target + BLOCK, min(after, base.size - place) - BLOCK
        )
    return match


cdef Match best_match(
    const Windows *windows,
    uint32_t block,
    const Base *base,
    const unsigned char *target,
    int64_t before,
    int64_t after,
) noexcept nogil:
    """Try the chain from *block* on; see try_place."""
    cdef Match best, match
    cdef int tries = MAX_CANDIDATES
    best.size = 0
    while block > windows.floor and tries:
        match = try_place(windows.places[block - windows.floor], base, target, before, after)
        if match.size > best.size:
            best = match
        block = windows.links[block - windows.floor]
        tries -= 1
    return best


cdef int add_middle(
    Output *out,
    const Base *base,
    const unsigned char *target,
    int64_t start,
    int64_t end,
) noexcept nogil:
    """Write target[start:end] as copies from the base and inserts; return 0 or what is wrong."""
    cdef int64_t at = start, anchor = start, last, indexed
    cdef int64_t survey_at = start + PATIENCE
    cdef bint surveyed = False
    cdef uint32_t block
    cdef Match match
    if not start_windows(&windows):
        return NO_MEMORY
    indexed = min(base.high, base.low + WINDOW)
    add_window(&windows, base, base.low, indexed)
    # What is inserted from the anchor on must fit: stop early with objects that are not alike.
    last = min(end - BLOCK, anchor + (out.end - out.at))
    while at <= last:
        match.size = 0
        block = windows.heads[block_hash(target + at, 64 - WINDOW_BITS)]
        if block > windows.floor:
            match = best_match(&windows, block, base, target + at, at - anchor, end - at)
        if not match.size and surveyed:
            block = survey.places[block_hash(target + at, survey.shift)]
            if block:
                match = try_place(block - 1, base, target + at, at - anchor, end - at)
        if not match.size:
            at += 1
            if at == survey_at and not surveyed:
                if not fill_survey(&survey, base):
                    return NO_MEMORY
                surveyed = True
                at = anchor
            continue
        at -= match.back
        if not add_insert(out, target + anchor, at - anchor):
            return NO_DELTA
        if not add_copy(out, match.place, match.size):
            return NO_DELTA
        at += match.size
        anchor = at
        survey_at = at + PATIENCE
        last = min(end - BLOCK, anchor + (out.end - out.at))
        indexed = move_window(&windows, base, match.place + match.size, indexed)
    if last != end - BLOCK or not add_insert(out, target + anchor, end - anchor):
        return NO_DELTA
    return 0


cdef int64_t c_encode_delta(
    const unsigned char *base,
    int64_t base_size,
    const unsigned char *target,
    int64_t target_size,
    unsigned char *out,
    int64_t max_size,
) noexcept:
    """Write a delta of at most *max_size* bytes to *out*; return its size or NO_DELTA."""
    cdef Output output
    cdef int64_t limit = min(base_size, target_size), prefix, suffix
    cdef Base old
    cdef int problem
    if base_size >= SIZE_LIMIT or target_size >= SIZE_LIMIT or max_size <= 0:
        return NO_DELTA
    output.at, output.end = out, out + max_size
    output.copy_offset = output.copy_size = 0
    prefix = common_prefix(base, target, limit)
    suffix = common_suffix(base + base_size, target + target_size, limit - prefix)
    if not (put_size(&output, base_size) and put_size(&output, target_size)):
        return NO_DELTA
    if prefix and not add_copy(&output, 0, prefix):
        return NO_DELTA
    if target_size - prefix - suffix < BLOCK or base_size < BLOCK:
        if not add_insert(&output, target + prefix, target_size - prefix - suffix):
            return NO_DELTA
    else:
        old.data, old.size, old.low, old.high = base, base_size, prefix, base_size - suffix
        problem = add_middle(&output, &old, target, prefix, target_size - suffix)
        if problem:
            return problem
    if suffix and not add_copy(&output, base_size - suffix, suffix):
        return NO_DELTA
    if not flush_copy(&output):
        return NO_DELTA
    return output.at - out


def encode_delta(const unsigned char[::1] base, const unsigned char[::1] target, int64_t max_size):
    """Return the delta as bytes, None when it would be longer than *max_size*."""
    cdef int64_t base_size = base.shape[0], target_size = target.shape[0], size
    cdef const unsigned char *old = &base[0] if base_size else NULL
    cdef const unsigned char *new = &target[0] if target_size else NULL
    cdef unsigned char *out
    # Two sizes, the inserts with their lengths, and a copy each for prefix and suffix: copies in
    # the middle are never longer than what they stand for.
    max_size = min(max_size, 48 + target_size + target_size // 64)
    if max_size <= 0:
        return None
    out = <unsigned char *>malloc(max_size)
    if out == NULL:
        raise MemoryError
    try:
        size = c_encode_delta(old, base_size, new, target_size, out, max_size)
        if size == NO_MEMORY:
            raise MemoryError
        return None if size < 0 else PyBytes_FromStringAndSize(<char *>out, size)
    finally:
        free(out)
