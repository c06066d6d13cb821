# cython: boundscheck=False, wraparound=False
"""Commits as a walk needs them: parents, tree and date, read once each."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memcpy

from workers._arrays cimport resized
from fastio.exporter._mark_table cimport MarkTable
from fastio.objects._digits cimport read_hex
from fastio.store._commit_graph cimport NO_COMMIT, CommitGraph, GraphCommit
from fastio.store._object_reader cimport Content, ObjectReader
from fastio.store._objmap cimport spread
from workers._inflate cimport INFLATE_SLACK

from fastio.errors import ObjectError

cdef enum:
    FIRST_COMMITS = 64
    LARGEST_OID = 64
    COMMIT_KIND = 1
    MOST_DIGITS = 18  # of a date
    MANY = 1000  # commits, which a walk without a thread reads in 4 ms
    HEAD = 352  # bytes: enough for the headers of most commits, and half of what they have

cdef uint64_t NO_GENERATION = <uint64_t>0xFFFFFFFFFFFFFFFF


class UnusualCommitError(ObjectError):
    """A commit is spelled in a way that only git reads as git does."""


cdef class CommitTable:
    """Commits that were met, by oid and by number.

    Args:
        reader: Reads them.
        graph: Tells of those that it has; None if there is no commit-graph.
        ahead: Memory for commits that a thread reads ahead once there are many; 0 for none.
        meanwhile: Is called when the thread has begun: now there is time for other things.
        ended: Commits that are taken for roots and not read, as nothing below them counts.
    """

    def __init__(
        self, ObjectReader reader, CommitGraph graph=None, *, int64_t ahead=0,
        meanwhile=None, MarkTable ended=None,
    ):
        self.ahead, self.meanwhile, self.ended = ahead, meanwhile, ended
        self.reader, self.graph, self.oid_size = reader, graph, reader.oid_size
        self.grow()

    def __dealloc__(self):
        free(self.commits)
        free(self.oids)
        free(self.trees)
        free(self.parents)
        free(self.slots)

    cdef int64_t c_number(self, const unsigned char *oid) except -1:
        cdef uint32_t at = <uint32_t>spread(oid) & self.mask
        cdef uint32_t number
        while self.slots[at] != 0:  # ends: at least half of the slots are free
            number = self.slots[at] - 1
            if memcmp(self.oids + <size_t>number * self.oid_size, oid, self.oid_size) == 0:
                return number
            at = (at + 1) & self.mask
        if self.count == self.capacity:
            self.grow()
            at = <uint32_t>spread(oid) & self.mask
            while self.slots[at] != 0:
                at = (at + 1) & self.mask
        number = self.count
        memcpy(self.oids + <size_t>number * self.oid_size, oid, self.oid_size)
        self.commits[number].parent_count = <uint32_t>UNREAD
        self.commits[number].name = self.commits[number].flags = 0
        self.commits[number].position = <uint32_t>NO_COMMIT
        self.commits[number].seen = NULL
        self.count += 1
        self.slots[at] = self.count
        return number

    cdef int c_read(self, uint32_t number) except -1:
        cdef const unsigned char *oid = self.oids + <size_t>number * self.oid_size
        cdef unsigned char buffer[HEAD + INFLATE_SLACK]
        cdef const unsigned char *head
        cdef Content content
        cdef int64_t size
        cdef int kind
        if self.commits[number].parent_count != <uint32_t>UNREAD:
            return 0
        if self.ended is not None and self.c_take_end(number):
            return 0
        if self.graph is not None and self.read_graph(number):
            return 0
        self.commits[number].generation = NO_GENERATION
        head = self.reader.c_head(oid, buffer, HEAD, &size, &kind)
        self.commits[number].seen = self.reader.seen
        self.commits[number].entry = <uint32_t>self.reader.found.position
        self.read_count += 1
        if self.read_count == MANY and self.ahead:
            self.reader.c_read_ahead(self.ahead)
            if self.meanwhile is not None:
                self.meanwhile()
        if kind != COMMIT_KIND:
            raise self.unusual(number)
        if self.parse(number, <const char *>head, <const char *>head + size):
            return 0
        if size < HEAD:
            raise self.unusual(number)
        self.reader.c_read(oid, &content)
        if not self.parse(
            number, <const char *>content.data, <const char *>content.data + content.size
        ):
            raise self.unusual(number)
        return 0

    cdef bint c_take_end(self, uint32_t number) noexcept:
        """Take a commit for a root, older than all others, if nothing below it counts."""
        cdef Commit *commit = &self.commits[number]
        if not self.ended.c_find(self.oids + <size_t>number * self.oid_size):
            return False
        commit.date = commit.generation = 0
        commit.first_parent = commit.parent_count = 0
        return True

    def is_closed(self, MarkTable marks not None):
        """Tell whether parents of marked commits are always marked as well.

        What no commit-graph has is read.
        """
        cdef int64_t found = 0
        cdef const unsigned char *oid
        cdef uint64_t slot
        if self.graph is not None:
            found = self.c_marked_in_graph(marks)
        if found < 0 or <uint64_t>found == marks.count:
            return found >= 0
        for slot in range(marks.size):
            oid = marks.c_commit(slot)
            if oid == NULL or (self.graph is not None and self.graph.c_find(oid) >= 0):
                continue
            if not self.c_has_marked_parents(oid, marks):
                return False
        return True

    cdef int64_t c_marked_in_graph(self, MarkTable marks) except -2:
        """Return how many commits of the commit-graph have marks; -1 if a parent of one has not."""
        cdef CommitGraph graph = self.graph
        cdef bytearray flags = bytearray(graph.count)
        cdef unsigned char *is_marked = <unsigned char *>PyByteArray_AS_STRING(flags)
        cdef GraphCommit row
        cdef uint32_t position
        cdef int64_t found = 0
        cdef bint is_last
        for position in range(graph.count):
            is_marked[position] = marks.c_find(graph.c_oid(position)) != 0
            found += is_marked[position]
        for position in range(graph.count):
            if not is_marked[position]:
                continue
            graph.c_read(position, &row)
            if row.first_parent != <uint32_t>NO_COMMIT and not is_marked[row.first_parent]:
                return -1
            if row.second_parent != <uint32_t>NO_COMMIT and not is_marked[row.second_parent]:
                return -1
            is_last = row.more_parents == <uint32_t>NO_COMMIT
            while not is_last:
                if not is_marked[graph.c_edge(row.more_parents, &is_last)]:
                    return -1
                row.more_parents += 1
        return found

    cdef bint c_has_marked_parents(self, const unsigned char *oid, MarkTable marks) except -1:
        cdef uint32_t commit = <uint32_t>self.c_number(oid)
        cdef uint32_t at, parent
        self.c_read(commit)
        for at in range(self.commits[commit].parent_count):
            parent = self.parents[self.commits[commit].first_parent + at]
            if not marks.c_find(self.oids + <size_t>parent * self.oid_size):
                return False
        return True

    cdef bint parse(self, uint32_t number, const char *at, const char *end) except -1:
        """Take a commit's headers in; False if they are unusual, or not all there."""
        cdef unsigned char oid[LARGEST_OID]
        cdef uint32_t first = self.parent_count
        cdef int width = 2 * self.oid_size
        cdef int64_t date
        if not read_header(at, end, b"tree ", 5, oid, self.oid_size):
            return False
        memcpy(self.trees + <size_t>number * self.oid_size, oid, self.oid_size)
        at += 5 + width + 1
        while read_header(at, end, b"parent ", 7, oid, self.oid_size):
            at += 7 + width + 1
            self.add_parent(oid)
        date = read_date(at, end)
        if date < 0:
            self.parent_count = first
            return False
        self.commits[number].date = date
        self.commits[number].first_parent = first
        self.commits[number].parent_count = self.parent_count - first
        return True

    cdef bint read_graph(self, uint32_t number) except -1:
        """Take in what the commit-graph says of a commit; False if it does not have it."""
        cdef uint32_t first = self.parent_count
        cdef int64_t position = self.commits[number].position
        cdef GraphCommit row
        cdef bint is_last = False
        if position == NO_COMMIT:
            position = self.graph.c_find(self.oids + <size_t>number * self.oid_size)
            if position < 0:
                return False
        self.graph.c_read(<uint32_t>position, &row)
        memcpy(self.trees + <size_t>number * self.oid_size, row.tree, self.oid_size)
        self.commits[number].date, self.commits[number].generation = row.date, row.generation
        self.add_position(row.first_parent)
        self.add_position(row.second_parent)
        while row.more_parents != <uint32_t>NO_COMMIT and not is_last:
            self.add_position(self.graph.c_edge(row.more_parents, &is_last))
            row.more_parents += 1
        self.commits[number].first_parent = first
        self.commits[number].parent_count = self.parent_count - first
        return True

    cdef int add_position(self, uint32_t position) except -1:
        if position != <uint32_t>NO_COMMIT:
            self.add_parent(self.graph.c_oid(position))
            self.commits[self.parents[self.parent_count - 1]].position = position
        return 0

    cdef int add_parent(self, const unsigned char *oid) except -1:
        cdef int64_t parent = self.c_number(oid)
        if self.parent_count == self.parent_capacity:
            self.parent_capacity = max(64, self.parent_capacity * 2)
            self.parents = <uint32_t *>resized(
                self.parents, <uint64_t>self.parent_capacity * sizeof(uint32_t)
            )
        self.parents[self.parent_count] = <uint32_t>parent
        self.parent_count += 1
        return 0

    cdef int grow(self) except -1:
        cdef uint64_t room = max(<uint64_t>FIRST_COMMITS, <uint64_t>self.capacity * 2)
        cdef uint32_t number, slot
        cdef uint32_t *slots
        if room > 0x7FFFFFFF:
            raise MemoryError
        self.commits = <Commit *>resized(self.commits, room * sizeof(Commit))
        self.oids = <unsigned char *>resized(self.oids, room * self.oid_size)
        self.trees = <unsigned char *>resized(self.trees, room * self.oid_size)
        slots = <uint32_t *>calloc(room * 2, sizeof(uint32_t))
        if slots == NULL:
            raise MemoryError
        free(self.slots)
        self.slots, self.mask = slots, <uint32_t>(room * 2 - 1)
        self.capacity = <uint32_t>room
        for number in range(self.count):
            slot = <uint32_t>spread(self.oids + <size_t>number * self.oid_size) & self.mask
            while slots[slot] != 0:
                slot = (slot + 1) & self.mask
            slots[slot] = number + 1
        return 0

    cdef object unusual(self, uint32_t number):
        oid = PyBytes_FromStringAndSize(
            <const char *>self.oids + <size_t>number * self.oid_size, self.oid_size
        )
        return UnusualCommitError(f"object {oid.hex()} is not spelled as commits are")


cdef bint read_header(
    const char *at, const char *end, const char *header, int header_size, unsigned char *oid,
    int oid_size,
) noexcept nogil:
    """Read a line that is *header* and an oid in lower case; False if it is not that."""
    if end - at < header_size + 2 * oid_size + 1 or memcmp(at, header, header_size) != 0:
        return False
    at += header_size
    if not read_hex(<const unsigned char *>at, oid, oid_size):
        return False
    return at[2 * oid_size] == b"\n"


cdef int64_t read_date(const char *at, const char *end) noexcept nogil:
    """Read the committer's date from where the author line must begin; -1 if it is unusual."""
    cdef const char *line_end
    cdef const char *here
    cdef int64_t date = 0
    cdef int digits = 0
    if end - at < 7 or memcmp(at, b"author ", 7) != 0:
        return -1
    line_end = <const char *>memchr(at, b"\n", end - at)
    if line_end == NULL:
        return -1
    at = line_end + 1
    if end - at < 10 or memcmp(at, b"committer ", 10) != 0:
        return -1
    line_end = <const char *>memchr(at, b"\n", end - at)
    if line_end == NULL or line_end + 1 == end:  # some gits do not count a date at the very end
        return -1
    here = <const char *>memchr(at, b">", line_end - at)
    # gits do not agree on which of several would count.
    if here == NULL or memchr(here + 1, b">", line_end - here - 1) != NULL:
        return -1
    here += 1
    if here == line_end or here[0] != b" ":
        return -1
    here += 1
    while here < line_end and c"0" <= here[0] <= c"9":
        date = date * 10 + (here[0] - c"0")
        digits += 1
        here += 1
        if digits > MOST_DIGITS:
            return -1
    if digits == 0 or (here < line_end and here[0] != b" "):
        return -1
    return date
