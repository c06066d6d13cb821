# cython: language_level=3, cdivision=True
"""The trees of plain commits, made in batches by a thread that needs no interpreter.

What goes to the thread is small, the edits of each commit; what it works on is large, the trees,
and stays with it. While it makes one batch of trees the lane of plain commits gathers the next
ones and takes in those that came before. A commit's tree may be made of one whose commit has no
oid yet, so a job can name another one in place of its base.

The cache of trees is the thread's as long as a batch is under way. Others may only look something
up (`TreeStore.peeked`), but whoever handed the batches over loads trees into it when asked to.

A batch ends early where a job fails, and all that were handed over behind it come back as they are.
What is to be done then is for who handed over to say. Without a thread batches are worked off as
they are handed over.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from fastio.importer._exchange cimport (
    end_work,
    free_exchange,
    give_answer,
    is_asked,
    new_exchange,
    note_done,
    pass_work,
    wait_for_work,
    wait_until,
)
from fastio.objects._drafts cimport named_draft
from fastio.objects._path_edits cimport edit_root
from fastio.objects._trees cimport Bytes

import threading

from fastio.errors import FastioError, ObjectError

cdef class TreeLine:
    """Makes trees for a `CommitLane`.

    Args:
        trees: Where they are stored.
        limit: How many commits a batch may have.
    """

    def __init__(self, TreeStore trees not None, Py_ssize_t limit=MOST_JOBS):
        self.trees = trees
        self.most = self.limit = min(limit, MOST_JOBS)
        self.batches = <TreeBatch *>calloc(SLOTS, sizeof(TreeBatch))
        if self.batches == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.batches != NULL:
            for batch in range(SLOTS):
                self.free_edits(&self.batches[batch])
        free(self.batches)
        free_exchange(self.exchange)

    # --- handing over -------------------------------------------------------------------------

    cdef TreeBatch *filling(self) noexcept:
        return &self.batches[self.handed % SLOTS]

    cdef bint is_full(self) noexcept:
        return self.filling().count >= self.most

    cdef TreeJob *add(self) except NULL:
        cdef TreeBatch *batch = self.filling()
        cdef TreeJob *job = &batch.jobs[batch.count]
        assert batch.count < MOST_JOBS and self.handed - self.taken < BATCHES
        memset(job, 0, sizeof(TreeJob))
        batch.count += 1
        return job

    cdef int hand_over(self, bint ends_turn, int64_t turn) except -1:
        cdef TreeBatch *batch = self.filling()
        batch.ends_turn, batch.turn = ends_turn, turn
        self.handed += 1
        if self.exchange != NULL:
            pass_work(self.exchange)
            return 0
        try:
            self.run(batch)
        except FastioError:
            self.give_up(batch)
        return 0

    cdef TreeBatch *take(self) except NULL:
        cdef TreeBatch *batch = &self.batches[self.taken % SLOTS]
        cdef Tree *tree
        self.wait(self.taken + 1)
        tree = batch.drafts
        while tree != NULL:
            if self.exchange != NULL and is_asked(self.exchange):
                self.answer()
            self.trees.take_in(tree)
            tree = tree.draft.next
        return batch

    cdef int close_batch(self, TreeBatch *batch) except -1:
        self.most = min(self.limit, 2 * self.most)
        self.free_edits(batch)
        batch.old_drafts, batch.drafts = batch.drafts, NULL
        batch.count = 0
        self.taken += 1
        return 0

    cdef int withdraw(self) except -1:
        cdef TreeBatch *batch
        self.wait(self.handed)
        if self.taken < self.handed:
            self.most = max(1, self.batches[self.taken % SLOTS].done)
        self.has_failed = False
        self.taken = self.handed
        for number in range(SLOTS):
            batch = &self.batches[number]
            self.free_edits(batch)
            batch.count = 0
        return self.rest()

    cdef int rest(self) except -1:
        cdef TreeBatch *batch
        for number in range(SLOTS):
            batch = &self.batches[number]
            self.trees.let_go(batch.old_drafts)
            self.trees.let_go(batch.drafts)
            batch.old_drafts = batch.drafts = NULL
        return 0

    cdef int wait(self, int64_t done) except -1:
        """Wait until so many batches are done, and answer meanwhile."""
        cdef Bytes wanted
        if self.exchange == NULL:
            return 0
        while True:
            with nogil:
                wanted = wait_until(self.exchange, done)
            if wanted == NULL:
                return 0
            self.answer()

    cdef int answer(self) except -1:
        """Load the tree that the thread waits for."""
        cdef Tree *tree = NULL
        try:
            tree = self.trees.fetch_here(self.exchange.wanted)
        except FastioError:
            pass  # whoever does the job in its place will say so
        finally:
            give_answer(self.exchange, tree)
        return 0

    # --- the thread ---------------------------------------------------------------------------

    cdef int start(self) except -1:
        self.exchange = new_exchange()
        self.exchange.handed = self.exchange.done = self.handed
        self.trees.exchange = self.exchange
        self.thread = threading.Thread(target=self.work, name="trees", daemon=True)
        self.thread.start()
        return 0

    def work(self):
        """Work batches off until there are no more."""
        cdef TreeBatch *batch = NULL
        while True:
            try:
                with nogil:
                    while wait_for_work(self.exchange):
                        batch = &self.batches[self.exchange.done % SLOTS]
                        self.run(batch)
                        note_done(self.exchange)
                return
            except Exception:
                self.give_up(batch)
                note_done(self.exchange)

    def close(self):
        """End the thread."""
        if self.exchange != NULL:
            end_work(self.exchange)
            self.wait(self.handed)
            self.thread.join()
            self.trees.exchange = NULL

    cdef int run(self, TreeBatch *batch) except -1 nogil:
        """Do the jobs of a batch."""
        # It was handed over when all but the one before it had been taken in.
        cdef TreeBatch *old = &self.batches[(batch - self.batches + 1) % SLOTS]
        self.trees.let_go(old.old_drafts)
        old.old_drafts = NULL
        batch.done = 0
        if self.has_failed:
            return 0
        self.trees.defers = self.trees.is_sha1
        self.last = NULL
        while batch.done < batch.count:
            if self.trees.turn_is_full():
                self.name(batch)
                self.trees.end_turn()
            self.do(batch, &batch.jobs[batch.done])
            batch.done += 1
        self.last = self.trees.last_draft
        self.name(batch)
        if batch.ends_turn:
            self.trees.end_turn()
        self.trees.defers = False
        batch.drafts = self.trees.take_drafts()
        return 0

    cdef int do(self, TreeBatch *batch, TreeJob *job) except -1 nogil:
        cdef Bytes base = job.base if job.has_base else NULL
        cdef Tree *tree
        self.last = self.trees.last_draft
        if job.base_job != NULL:
            base = job.base_job.oid
        if job.emptied:
            self.name(batch)  # the old trees are compared with the new ones
        if not edit_root(self.trees, base, job.emptied, job.edits, job.count, job.oid):
            with gil:
                raise ObjectError("an empty tree")
        tree = self.trees.first_draft if self.last == NULL else self.last.draft.next
        while tree != NULL:
            self.trees.made_bytes += tree.size
            tree = tree.draft.next
        return 0

    cdef int name(self, TreeBatch *batch) except -1 nogil:
        """Hash what the jobs that are done have made."""
        cdef const Tree *draft
        cdef TreeJob *job
        self.trees.name_drafts()
        for job in batch.jobs[:batch.done]:
            draft = named_draft(job.oid)
            if draft != NULL:
                memcpy(job.oid, draft.oid, self.trees.oid_size)
        return 0

    cdef int give_up(self, TreeBatch *batch) except -1:
        """End a batch at a job that failed."""
        self.trees.forget_drafts(self.last)
        try:
            self.name(batch)
        except MemoryError:
            self.trees.forget_drafts(NULL)
            batch.done = 0
        self.has_failed = True
        self.trees.defers = False
        batch.drafts = self.trees.take_drafts()

    cdef void free_edits(self, TreeBatch *batch) noexcept nogil:
        cdef Py_ssize_t index
        for index in range(batch.count):
            free(batch.jobs[index].edits)
            batch.jobs[index].edits = NULL
