from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastio.importer._tree_store cimport Counters, TreeStore
from fastio.store._objmap cimport ObjectMap
from fastio.store._pack_search cimport PackSearch
from workers._arena cimport Arena
from workers._tasks cimport Result, Task

cdef enum:
    BATCHES = 16
    KEPT_BATCHES = 4  # which workers may still have
    ENDS = 4  # of turns that are remembered
    BATCH_COMMITS = 128
    TURN_COMMITS = 64


cdef struct CommitBatch:
    int64_t raw_offset  # where bodies begin in the arena, one behind another
    int64_t raw_used
    int64_t out_offset  # and payloads
    int64_t out_used
    Py_ssize_t count
    Py_ssize_t done  # so many of them have got into the pack
    uint32_t entries[BATCH_COMMITS]
    Task tasks[BATCH_COMMITS]


cdef struct TurnEnd:  # what there was then
    int64_t rows  # the number of the next tree
    uint64_t batches


cdef class CommitQueue:
    cdef Arena arena
    cdef object sink
    cdef object encoder
    cdef Counters counter
    cdef PackSearch search
    cdef object new_hash
    cdef bint is_sha1
    cdef ObjectMap object_map
    cdef int64_t room
    cdef CommitBatch batches[BATCHES]
    cdef list tickets
    cdef uint64_t first
    cdef uint64_t current
    cdef bytes large
    cdef TreeStore trees
    cdef int64_t turn  # the number of the one that goes on
    cdef int64_t turn_commits
    cdef int64_t turn_bytes
    cdef int64_t written  # the last turn that is, as far as it was to be
    cdef TurnEnd ends[ENDS]

    # Where to write a commit's body of *size* bytes. `end` must follow.
    cdef unsigned char *begin(self, int64_t size) except NULL
    # Take the body in that was written; gives the commit's entry in the object map.
    cdef int64_t end(self, int64_t size) except -1
    cdef int hash_body(self, unsigned char *body, int64_t size, unsigned char *oid) except -1
    cdef int64_t enter(
        self, const unsigned char *oid, unsigned char *body, int64_t size
    ) except -1
    # Whether the turn is to end before the next commit.
    cdef bint is_full(self) noexcept
    cdef void count(self, int64_t size) noexcept
    # Begin another turn; gives the number of the last one.
    cdef int64_t end_turn(self) noexcept
    # Remember where a turn ended: all of it has arrived.
    cdef void note_end(self, int64_t turn) noexcept
    # Write what a turn and those before it have left; where the next one ends, so that its place
    # depends on the stream alone.
    cdef int write_turn(self, int64_t turn) except -1
    cpdef begin_commit(self)
    cdef int close(self) except -1
    cdef int append_first(self, bint here) except -1
    cdef int append(self, CommitBatch *batch, const Result *results) except -1
