from libc.stdint cimport uint32_t, uint64_t

from fastio.exporter._commit_table cimport CommitTable
from fastio.exporter._mark_table cimport MarkTable
from fastio.exporter._walk cimport Walk


cdef enum:  # flags of commits
    QUEUED = 1  # was put into the queue, ever
    WAITING = 2  # is in the queue now
    EXPANDED = 4
    EXCLUDED = 8
    SOUNDED = 16  # was put into the second queue, ever


cdef struct Waiting:
    uint64_t generation
    uint64_t date
    uint32_t turn
    uint32_t commit


cdef class Queue:
    # Highest generation first, then newest first, then in order of arrival.
    cdef Waiting *heap
    cdef uint32_t size, capacity, turn
    cdef int push(self, uint32_t commit, uint64_t generation, uint64_t date) except -1
    cdef uint32_t pop(self) noexcept


cdef class Expansion:
    cdef CommitTable table
    cdef list names  # of commits, from number 1
    cdef uint32_t hopeful  # how many WAITING commits are not EXCLUDED
    cdef uint32_t *emitted  # children before parents
    cdef uint32_t emitted_count, emitted_capacity

    # Take in the starting commits, the newest first.
    cdef list begin(self, starts, names)
    # Read a commit's parents, and let them have its name or exclude them; False if that was done.
    cdef bint expand(self, uint32_t commit) except -1
    cdef int exclude(self, uint32_t commit) noexcept
    # Exclude what is known to be reachable from a commit, up to what is excluded already.
    cdef int exclude_parents(self, uint32_t commit) except -1
    cdef int emit(self, uint32_t commit) except -1
    # The table of what was emitted and is neither excluded nor marked, the last one first.
    cdef Walk table_of(self, MarkTable marks)
