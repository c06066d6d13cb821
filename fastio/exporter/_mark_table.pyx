# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Loops of the mark table; marks.py tells how it is laid out.

A look-up ends because a third of the slots is free, at least.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from fastio.objects._digits cimport NUMBER_ROOM, number_before, read_hex, write_hex
from fastio.objects._oids cimport checked_oid
from fastio.store._pack_search cimport PackSearch

from fastio.errors import MarksError

cdef enum:
    COMMIT = 1  # also the bit of a slot's word that says so
    MOST_DIGITS = 18  # of a usual mark; more could be more than a word holds
    SHORTEST_LINE = 4  # but for the oid
    LONGEST_LINE = 24 + 64
    TEXT_SIZE = 1 << 16

cdef struct Line:
    uint64_t mark
    int64_t end  # of the line, in the text
    int kind  # of the object
    unsigned char oid[32]

cdef uint64_t LARGEST_MARK = <uint64_t>0x7FFFFFFFFFFFFFFF


@cython.final
cdef class MarkTable:
    """Marks by oid, in the order of git's table.

    Args:
        oid_size: Bytes of an oid.
    """

    def __cinit__(self, int oid_size=20):
        self.oid_size, self.stride = oid_size, oid_size + 8

    def __dealloc__(self):
        free(self.slots)

    # --- the table ------------------------------------------------------------------------------

    cdef uint64_t c_find(self, const unsigned char *oid) noexcept nogil:
        if self.size == 0:
            return 0
        return word_at(self.slot_of(oid), self.oid_size) >> 1

    cdef const unsigned char *c_commit(self, uint64_t at) noexcept nogil:
        cdef const unsigned char *slot = self.slots + at * self.stride
        return slot if word_at(slot, self.oid_size) & COMMIT else NULL

    cdef uint64_t c_add(self, const unsigned char *oid, bint is_commit) except 0:
        cdef uint64_t mark = self.most_new + 1
        self.c_set(oid, mark, is_commit)
        return mark

    cdef int c_set(self, const unsigned char *oid, uint64_t mark, bint is_commit) except -1:
        cdef uint64_t word = mark << 1 | is_commit
        cdef unsigned char *slot
        if not 0 < mark <= LARGEST_MARK:
            raise MarksError(f"mark :{mark} is too large a number")
        if self.count + 1 > self.size * 2 // 3:  # as git: also if the oid is known
            self.grow()
        slot = self.slot_of(oid)
        if word_at(slot, self.oid_size) == 0:
            memcpy(slot, oid, self.oid_size)
            self.count += 1
        memcpy(slot + self.oid_size, &word, sizeof(word))
        self.most_new = max(self.most_new, mark)
        return 0

    cdef unsigned char *slot_of(self, const unsigned char *oid) noexcept nogil:
        """Return the slot that has *oid*, or the free one that it would get."""
        cdef uint64_t at = hash_of(oid) % self.size
        cdef unsigned char *slot = self.slots + at * self.stride
        cdef unsigned char *end = self.slots + self.size * self.stride
        while word_at(slot, self.oid_size) != 0 and memcmp(slot, oid, self.oid_size) != 0:
            slot += self.stride
            if slot == end:
                slot = self.slots
        return slot

    cdef int grow(self) except -1:
        cdef unsigned char *old = self.slots
        cdef unsigned char *slot
        cdef uint64_t at, old_size = self.size, size = (self.size + 1000) * 3 // 2
        cdef unsigned char *fresh = <unsigned char *>calloc(size, self.stride)
        if fresh == NULL:
            raise MemoryError
        self.slots, self.size = fresh, size
        for at in range(old_size):
            slot = old + at * self.stride
            if word_at(slot, self.oid_size) != 0:
                memcpy(self.slot_of(slot), slot, self.stride)
        free(old)
        return 0

    # --- for Python -----------------------------------------------------------------------------

    def find(self, oid):
        """Return the mark of *oid*; 0 if it has none."""
        return self.c_find(checked_oid(oid, self.oid_size, MarksError))

    def add(self, oid, bint is_commit=False):
        """Give *oid* the next mark, also if it has one already; returns it."""
        return self.c_add(checked_oid(oid, self.oid_size, MarksError), is_commit)

    def set(self, oid, mark, bint is_commit):
        """Give *oid* a mark that was imported."""
        if not 0 < mark <= LARGEST_MARK:
            raise MarksError(f"mark :{mark} is too large a number")
        self.c_set(checked_oid(oid, self.oid_size, MarksError), mark, is_commit)
        self.imported = self.most_new

    def skip(self, mark):
        """Do not use *mark*, nor one below it, for what is new."""
        if not 0 < mark <= LARGEST_MARK:
            raise MarksError(f"mark :{mark} is too large a number")
        self.imported = self.most_new = max(self.most_new, <uint64_t>mark)

    @property
    def last(self):
        """The largest mark so far."""
        return self.most_new

    @property
    def has_new(self):
        """Whether any mark was given out."""
        return self.most_new != self.imported

    @property
    def nbytes(self):
        """Bytes that the table has allocated."""
        return self.size * self.stride

    def __len__(self):
        return self.count

    # --- marks files ----------------------------------------------------------------------------

    def take_lines(self, bytes lines not None, PackSearch search not None):
        """Import the lines of a marks file up to the first that is out of the ordinary.

        Out of the ordinary are: what is not written exactly as `lines` writes it, an object that is
        missing, one that has a mark already; a line that is not complete.

        Args:
            lines: Where the first line begins.
            search: Tells which objects there are.

        Returns:
            How many bytes of *lines* were taken.
        """
        cdef const unsigned char *start = <const unsigned char *>PyBytes_AS_STRING(lines)
        cdef int64_t size = PyBytes_GET_SIZE(lines), count, number
        cdef int64_t most = size // (SHORTEST_LINE + 2 * self.oid_size) + 1
        cdef Line *rows = <Line *>malloc(most * sizeof(Line))
        cdef int64_t *order = <int64_t *>malloc(most * sizeof(int64_t))
        cdef Line *line
        try:
            if rows == NULL or order == NULL:
                raise MemoryError
            count = read_lines(start, start + size, self.oid_size, rows)
            sort_lines(rows, count, order)
            for number in range(count):
                line = &rows[order[number]]
                line.kind = search.c_kind(line.oid)
            size = 0
            for number in range(count):
                line = &rows[number]
                if line.kind == 0 or self.c_find(line.oid):
                    break
                if line.kind == COMMIT:
                    self.c_set(line.oid, line.mark, True)
                self.most_new = max(self.most_new, line.mark)
                size = line.end
        finally:
            free(rows)
            free(order)
        self.imported = self.most_new
        return size

    def lines(self):
        """Yield the marks of all commits as text of a marks file, in pieces."""
        cdef bytes text = PyBytes_FromStringAndSize(NULL, TEXT_SIZE)
        cdef char *start = PyBytes_AS_STRING(text)
        cdef int64_t length = 0
        cdef uint64_t at, word
        for at in range(self.size):
            word = word_at(self.slots + at * self.stride, self.oid_size)
            if not word & COMMIT:
                continue
            if length > TEXT_SIZE - LONGEST_LINE:
                yield text[:length]
                length = 0
            length += write_line(
                start + length, word >> 1, self.slots + at * self.stride, self.oid_size
            )
        if length:
            yield text[:length]


cdef int64_t read_lines(
    const unsigned char *start, const unsigned char *end, int oid_size, Line *rows
) noexcept:
    """Read lines up to the first that is not as `write_line` writes it; returns how many."""
    cdef const unsigned char *at = start
    cdef int64_t count = 0, length
    while True:
        length = read_line(at, end, oid_size, &rows[count].mark, rows[count].oid)
        if length == 0:
            return count
        at += length
        rows[count].end = at - start
        count += 1


cdef void sort_lines(const Line *rows, int64_t count, int64_t *order) noexcept:
    """Put lines in the order of the first bytes of their oids.

    So look-ups in an idx stay in one part of it, which a core's cache holds: 81,773 of them take
    half of the time.
    """
    cdef int64_t starts[257]
    cdef int64_t number
    memset(starts, 0, sizeof(starts))
    for number in range(count):
        starts[rows[number].oid[0] + 1] += 1
    for number in range(256):
        starts[number + 1] += starts[number]
    for number in range(count):
        order[starts[rows[number].oid[0]]] = number
        starts[rows[number].oid[0]] += 1


cdef inline uint64_t word_at(const unsigned char *slot, int oid_size) noexcept nogil:
    cdef uint64_t word
    memcpy(&word, slot + oid_size, sizeof(word))
    return word


cdef inline uint64_t hash_of(const unsigned char *oid) noexcept nogil:
    """Return the first four bytes, lowest first."""
    return oid[0] | <uint64_t>oid[1] << 8 | <uint64_t>oid[2] << 16 | <uint64_t>oid[3] << 24


cdef int64_t read_line(
    const unsigned char *at, const unsigned char *end, int oid_size, uint64_t *mark,
    unsigned char *oid,
) noexcept:
    """Read a line as `write_line` writes it; returns its length, 0 if it is another."""
    cdef const unsigned char *start = at
    cdef uint64_t value = 0
    if end - at < 4 + 2 * oid_size or at[0] != c":":
        return 0
    at += 1
    while at < end and c"0" <= at[0] <= c"9" and at - start <= MOST_DIGITS:
        value = value * 10 + at[0] - c"0"
        at += 1
    if value == 0 or end - at < 2 + 2 * oid_size or at[0] != c" ":
        return 0
    if at[1 + 2 * oid_size] != c"\n":
        return 0
    at += 1
    if not read_hex(at, oid, oid_size):
        return 0
    mark[0] = value
    return at + 2 * oid_size + 1 - start


cdef int64_t write_line(
    char *text, uint64_t mark, const unsigned char *oid, int oid_size
) noexcept:
    """Write a line of a marks file; returns its length, which is LONGEST_LINE at most."""
    cdef unsigned char digits[NUMBER_ROOM]
    cdef unsigned char *number = number_before(digits + NUMBER_ROOM, mark)
    cdef int64_t length = digits + NUMBER_ROOM - number
    cdef unsigned char *at = <unsigned char *>text
    at[0] = c":"
    memcpy(at + 1, number, length)
    at[length + 1] = c" "
    at = write_hex(at + length + 2, oid, oid_size)
    at[0] = c"\n"
    return at + 1 - <unsigned char *>text
