from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastio.exporter._mark_table cimport MarkTable
from fastio.store._commit_graph cimport CommitGraph
from fastio.store._commits_ahead cimport Ahead
from fastio.store._object_reader cimport ObjectReader


cdef enum:
    UNREAD = 0xFFFFFFFF  # parent_count of a commit that was not read yet


cdef struct Commit:
    uint64_t date  # of the committer
    uint64_t generation  # as a commit-graph says; NO_GENERATION for what is in none
    uint32_t first_parent  # where its parents are among CommitTable.parents
    uint32_t parent_count  # or UNREAD
    uint32_t name  # whatever a walk calls it, 0 for nothing
    uint32_t flags  # a walk's own
    uint32_t position  # in the commit-graph, where that is known, or NO_COMMIT
    uint32_t entry  # its place in the idx, where it is *seen*
    const Ahead *seen  # what was read of it, as long as it stays there; or NULL


cdef class CommitTable:
    # Commits by number, in the order in which they were met. Arrays move when it grows.
    cdef readonly int oid_size
    cdef ObjectReader reader
    cdef CommitGraph graph
    cdef MarkTable ended  # commits that are taken for roots, unread; None for none
    cdef int64_t ahead  # memory for commits that are read ahead
    cdef object meanwhile  # is called once that has begun
    cdef uint32_t read_count  # of those that no commit-graph has
    cdef uint32_t count
    cdef Commit *commits
    cdef unsigned char *oids
    cdef unsigned char *trees  # where the commit was read
    cdef uint32_t *parents  # numbers of commits

    cdef uint32_t capacity
    cdef uint32_t parent_count
    cdef uint32_t parent_capacity
    cdef uint32_t *slots  # number + 1 by oid, open addressing; 0 for free
    cdef uint32_t mask

    # The commit's number, a new one if it was not met before.
    cdef int64_t c_number(self, const unsigned char *oid) except -1
    # Read it, unless that was done before. Raises UnusualCommitError.
    cdef int c_read(self, uint32_t number) except -1
    cdef bint c_take_end(self, uint32_t number) noexcept
    cdef int64_t c_marked_in_graph(self, MarkTable marks) except -2
    cdef bint c_has_marked_parents(self, const unsigned char *oid, MarkTable marks) except -1
    cdef bint parse(self, uint32_t number, const char *at, const char *end) except -1
    cdef bint read_graph(self, uint32_t number) except -1
    cdef int add_parent(self, const unsigned char *oid) except -1
    cdef int add_position(self, uint32_t position) except -1
    cdef int grow(self) except -1
    cdef object unusual(self, uint32_t number)
