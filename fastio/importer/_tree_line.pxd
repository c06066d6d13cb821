from libc.stdint cimport int64_t

from fastio.importer._exchange cimport Exchange
from fastio.importer._tree_store cimport TreeStore
from fastio.objects._path_edits cimport Edit
from fastio.objects._tree_cache cimport Tree

cdef enum:
    MOST_JOBS = 64  # of a batch
    BATCHES = 2  # that may be under way: one is worked off while another one is taken in
    SLOTS = 3  # jobs that others refer to stay until those are done


cdef struct TreeJob:  # the tree of one commit
    Edit *edits  # prepared
    Py_ssize_t count
    bint emptied  # a deleteall comes before them
    TreeJob *base_job  # which makes the tree that they apply to; NULL: it is `base`
    bint has_base
    unsigned char base[32]
    unsigned char oid[32]  # what came out


cdef struct TreeBatch:
    TreeJob jobs[MOST_JOBS]
    Py_ssize_t count
    bint ends_turn  # after its last job
    int64_t turn
    Py_ssize_t done  # so many jobs were; if not all, the next one failed
    Tree *drafts  # that were made
    Tree *old_drafts  # that were taken in


cdef class TreeLine:
    cdef TreeStore trees
    cdef TreeBatch *batches
    cdef int64_t handed  # so many batches were
    cdef int64_t taken  # and so many came back
    cdef bint has_failed  # a job has: batches come back as they are
    cdef Py_ssize_t limit  # jobs of a batch
    cdef Py_ssize_t most  # for now
    cdef Tree *last  # draft that was made before the job that is being done
    cdef Exchange *exchange
    cdef object thread

    # Start the thread.
    cdef int start(self) except -1
    # The batch that is being filled.
    cdef TreeBatch *filling(self) noexcept
    cdef bint is_full(self) noexcept
    # A job more, whose fields are to be set: it then owns its edits.
    cdef TreeJob *add(self) except NULL
    # Hand over what was filled.
    cdef int hand_over(self, bint ends_turn, int64_t turn) except -1
    # Wait for the oldest batch that was handed over, and take its trees in.
    cdef TreeBatch *take(self) except NULL
    # Be done with that batch.
    cdef int close_batch(self, TreeBatch *batch) except -1
    # Forget all that was not taken, filled or handed over.
    cdef int withdraw(self) except -1
    # Let nothing be left behind of what was taken; nothing may be under way.
    cdef int rest(self) except -1
    cdef int answer(self) except -1
    cdef int wait(self, int64_t done) except -1
    cdef int run(self, TreeBatch *batch) except -1 nogil
    cdef int do(self, TreeBatch *batch, TreeJob *job) except -1 nogil
    cdef int name(self, TreeBatch *batch) except -1 nogil
    cdef int give_up(self, TreeBatch *batch) except -1
    cdef void free_edits(self, TreeBatch *batch) noexcept nogil
