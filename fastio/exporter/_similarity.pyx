# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Loops that estimate how similar two files are; see similarity.py."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr

from fastio.exporter._sides cimport Side
from fastio.store._object_reader cimport Content, ObjectReader

cdef enum:
    LONGEST_CHUNK = 64
    NUMBERS = 107927  # chunks have numbers below this, a prime
    LOOKED_AT = 8000  # bytes in which a NUL makes a file binary
    BEST = 4  # sources that are remembered for each destination
    FULL_SCORE = 60000
    PROFILE_WEIGHT = 240  # bytes of a Profile, its key and its place in a dict

cdef uint64_t MOST = 0xFFFFFFFF  # bytes that a sum can tell
cdef uint64_t HIGH_HALF = MOST << 32


@cython.final
cdef class Profile:
    def __cinit__(self):
        self.size = self.count = -1

    def __dealloc__(self):
        free(self.chunks)


@cython.final
cdef class Similarity:
    """Tells how similar blobs are, and remembers the chunks of those it has read; see the face."""

    def __cinit__(self, ObjectReader reader not None, *, int64_t memory, is_text=None):
        self.reader, self.is_text, self.budget = reader, is_text, memory
        self.young, self.old = {}, {}
        self.sums = <uint32_t *>calloc(NUMBERS, sizeof(uint32_t))
        self.sums_of_cut = <uint32_t *>calloc(NUMBERS, sizeof(uint32_t))
        if self.sums == NULL or self.sums_of_cut == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.sums)
        free(self.sums_of_cut)

    def score(self, Side old not None, Side new not None, int64_t minimum):
        """Return the similarity of two files, 0 if their sizes say that *minimum* is too much."""
        cdef Profile profile
        cdef int64_t score
        if not may_reach(self, old, new, minimum):
            return 0
        profile = self.counted(new)
        spread(self.sums, profile.chunks, profile.count)
        try:
            return self.score_of(old, profile)
        finally:
            sweep(self.sums, profile.chunks, profile.count)

    def best_sources(self, list destinations not None, list sources not None, int64_t minimum):
        """Compare each destination with all sources; see the face."""
        cdef Candidate best[BEST]
        cdef Candidate candidate
        cdef Profile profile
        cdef Side old, new
        cdef list found = []
        cdef int place
        cdef int64_t number
        for number, new in enumerate(destinations):
            forget_all(best)
            profile = None
            candidate.source = 0
            try:
                for old in sources:
                    candidate.score = 0
                    if may_reach(self, old, new, minimum):
                        if profile is None:
                            profile = self.counted(new)
                            spread(self.sums, profile.chunks, profile.count)
                        candidate.score = self.score_of(old, profile)
                    candidate.same_name = old.name == new.name
                    keep_if_better(best, &candidate)
                    candidate.source += 1
            finally:
                if profile is not None:
                    sweep(self.sums, profile.chunks, profile.count)
            for place in range(BEST):
                if best[place].source >= 0 and best[place].score >= minimum:
                    found.append(
                        (best[place].score, best[place].same_name, number, best[place].source)
                    )
        return found

    def copied_and_added(self, Side old not None, Side new not None):
        """Return how many bytes of chunks both have, and how many only *new* has."""
        cdef Profile before = self.counted(old), after = self.counted(new)
        cdef int64_t copied
        spread(self.sums, after.chunks, after.count)
        copied = shared(self.sums, before.chunks, before.count)
        sweep(self.sums, after.chunks, after.count)
        return copied, after.counted - copied

    def size(self, Side side not None):
        """Return a blob's size."""
        return self.size_of(side)

    cdef int64_t score_of(self, Side old, Profile new) except -1:
        """Return the similarity of two files; the chunks of *new* are in the sums."""
        cdef Profile before = self.counted(old)
        cdef int64_t copied = shared(self.sums, before.chunks, before.count)
        return copied * FULL_SCORE // max(before.size, new.size)

    cdef int64_t size_of(self, Side side) except -1:
        cdef Profile profile = self.profile(side.oid)
        if profile.size < 0:
            profile.size = self.reader.c_size(
                <const unsigned char *>PyBytes_AS_STRING(side.oid), NULL
            )
        return profile.size

    cdef Profile counted(self, Side side):
        """Return the profile of a file with its chunks.

        Whether a CR before an LF counts hangs on the path, by attributes, and matters to few blobs.
        """
        cdef Profile profile = self.profile(side.oid)
        if profile.count < 0:
            self.count(profile, side.oid, True, True)
        if profile.has_crlf and self.is_text is not None:
            as_text = self.is_text(side.path)
            if as_text is not None and bool(as_text) == profile.has_nul:
                key = side.oid + b"*"
                profile = self.profile(key)
                if profile.count < 0:
                    self.count(profile, key, as_text, False)
        return profile

    cdef Profile profile(self, bytes key):
        """Return what is known of a blob.

        Those that were not asked for while half of the memory filled up are forgotten.
        """
        cdef object found = self.young.get(key)
        cdef Profile profile
        if found is not None:
            return <Profile>found
        found = self.old.pop(key, None)
        profile = Profile.__new__(Profile) if found is None else <Profile>found
        self.weight += PROFILE_WEIGHT + max(profile.count, 0) * <int64_t>sizeof(Chunks)
        if self.weight > self.budget // 2:
            self.old, self.young = self.young, {}
            self.weight = PROFILE_WEIGHT + max(profile.count, 0) * <int64_t>sizeof(Chunks)
        self.young[key] = profile
        return profile

    cdef int count(self, Profile profile, bytes key, bint as_text, bint automatic) except -1:
        """Read a blob and cut it into chunks."""
        cdef Content content
        cdef int64_t room, count
        cdef Chunks *chunks
        self.reader.c_read(
            <const unsigned char *>PyBytes_AS_STRING(key), &content
        )
        profile.size = content.size
        profile.has_nul = content.size > 0 and memchr(
            content.data, 0, min(content.size, LOOKED_AT)
        ) != NULL
        profile.has_crlf = has_crlf(content.data, content.size)
        if automatic:
            as_text = not profile.has_nul
        room = min(count_chunks(content.data, content.size), NUMBERS)
        chunks = <Chunks *>malloc((room + 1) * sizeof(Chunks))
        if chunks == NULL:
            raise MemoryError
        profile.counted = 0
        count = cut(
            content.data, content.size, as_text and profile.has_crlf, self.sums_of_cut, chunks,
            &profile.counted,
        )
        profile.chunks, profile.count = chunks, count
        self.weight += count * <int64_t>sizeof(Chunks)
        return 0


def chunk_sums(const unsigned char[::1] data not None, *, bint as_text):
    """Return how many bytes are in the chunks of each number; for tests."""
    cdef int64_t size = data.shape[0], counted = 0, count, i
    cdef const unsigned char *start = &data[0] if size else NULL
    cdef uint32_t *sums = <uint32_t *>calloc(NUMBERS, sizeof(uint32_t))
    cdef Chunks *chunks = <Chunks *>malloc((size + 1) * sizeof(Chunks))
    try:
        if sums == NULL or chunks == NULL:
            raise MemoryError
        count = cut(start, size, as_text and has_crlf(start, size), sums, chunks, &counted)
        return {chunks[i].number: chunks[i].size for i in range(count)}
    finally:
        free(sums)
        free(chunks)


cdef struct Candidate:
    int64_t score
    bint same_name
    int64_t source  # -1: none


cdef bint may_reach(Similarity self, Side old, Side new, int64_t minimum) except -1:
    """Tell whether two files may be so similar, going by their sizes."""
    cdef int64_t before, after, most
    if not old.is_regular() or not new.is_regular():
        return False
    before, after = self.size_of(old), self.size_of(new)
    most = max(before, after)
    return after > 0 and most * (FULL_SCORE - minimum) >= (most - min(before, after)) * FULL_SCORE


cdef void forget_all(Candidate *best) noexcept nogil:
    cdef int place
    for place in range(BEST):
        best[place].source = -1


cdef void keep_if_better(Candidate *best, const Candidate *new) noexcept nogil:
    """Let a candidate take the place of the worst, the first of these, if it is better than that.

    How good those are that do not reach the minimum matters as well: it decides which places the
    others take, and those of equal score go by their places.
    """
    cdef int place, worst = 0
    for place in range(1, BEST):
        if is_better(&best[worst], &best[place]):
            worst = place
    if is_better(new, &best[worst]):
        best[worst] = new[0]


cdef bint is_better(const Candidate *one, const Candidate *other) noexcept nogil:
    if one.source < 0 or other.source < 0:
        return one.source >= 0 and other.source < 0
    if one.score != other.score:
        return one.score > other.score
    return one.same_name > other.same_name


cdef bint has_crlf(const unsigned char *data, int64_t size) noexcept nogil:
    cdef const unsigned char *at = data
    cdef const unsigned char *end = data + size
    while at < end:
        at = <const unsigned char *>memchr(at, c"\r", end - at)
        if at == NULL or at + 1 == end:
            return False
        if at[1] == c"\n":
            return True
        at += 1
    return False


cdef int64_t count_chunks(const unsigned char *data, int64_t size) noexcept nogil:
    """Return how many chunks there are at most: one for each LF and for each 64 bytes."""
    cdef int64_t count = size // LONGEST_CHUNK + 1, i
    for i in range(size):
        count += data[i] == c"\n"
    return count


cdef int64_t cut(
    const unsigned char *data,
    int64_t size,
    bint skip_cr,
    uint32_t *sums,
    Chunks *chunks,
    int64_t *counted,
) noexcept nogil:
    """Cut a file into chunks and gather those of one number; returns how many numbers there are.

    Both 32-bit halves of git's hash are one word here, turned left by seven bits for each byte.
    """
    cdef const unsigned char *at = data
    cdef const unsigned char *end = data + size
    cdef const unsigned char *stop
    cdef uint64_t state
    cdef int64_t count = 0, length, i
    while at < end:
        state = length = 0
        stop = end_of_chunk(at, end, skip_cr)
        while at < stop:
            if not (skip_cr and at[0] == c"\r" and at + 1 < end and at[1] == c"\n"):
                state = state << 7 | state >> 57
                state = state & HIGH_HALF | <uint32_t>(state + at[0])
                length += 1
            at += 1
        count += gather(sums, &chunks[count], state, length)
        counted[0] += length
    for i in range(count):
        chunks[i].size = sums[chunks[i].number]
        sums[chunks[i].number] = 0
    return count


cdef inline int gather(
    uint32_t *sums, Chunks *place, uint64_t state, int64_t size
) noexcept nogil:
    """Add a chunk to those of its number; returns how many new numbers there are, 0 or 1."""
    cdef uint32_t number = (<uint32_t>state + <uint32_t>(state >> 32) * 97) % NUMBERS
    cdef uint32_t sum = sums[number]
    sums[number] = <uint32_t>min(<uint64_t>sum + size, MOST)
    if sum:
        return 0
    place.number = number
    return 1


cdef inline const unsigned char *end_of_chunk(
    const unsigned char *at, const unsigned char *end, bint skip_cr
) noexcept nogil:
    cdef const unsigned char *limit = end
    cdef const unsigned char *stop
    if end - at > LONGEST_CHUNK:
        limit = at + LONGEST_CHUNK
    stop = <const unsigned char *>memchr(at, c"\n", limit - at)
    if stop != NULL:
        return stop + 1
    # A CR that is skipped makes room for the LF behind it, where that is the 65th byte.
    if skip_cr and limit < end and limit[0] == c"\n" and (limit - 1)[0] == c"\r":
        return limit + 1
    return limit


cdef void spread(uint32_t *sums, const Chunks *chunks, int64_t count) noexcept nogil:
    cdef int64_t i
    for i in range(count):
        sums[chunks[i].number] = chunks[i].size


cdef void sweep(uint32_t *sums, const Chunks *chunks, int64_t count) noexcept nogil:
    cdef int64_t i
    for i in range(count):
        sums[chunks[i].number] = 0


cdef int64_t shared(const uint32_t *sums, const Chunks *chunks, int64_t count) noexcept nogil:
    """Return how many bytes of these chunks those in the sums have as well."""
    cdef int64_t total = 0, i
    for i in range(count):
        total += min(chunks[i].size, sums[chunks[i].number])
    return total
