"""The lane for plain commits: from the scanner's table to the pack, without a command between.

It does what intake and executor do for the same commit, in the same order: blobs get their bases
in the order of the M lines, the commit is one operation of the pipeline, and trees and commit are
stored as the executor would store them. Which commits come this way depends on where reads ended,
so the pack must not show it.

A commit needs its parents' oids, and its tree's, but what it changes does not. So a commit is
*deferred*: its trees are made together with those of many others, perhaps by another thread
(`TreeLine`), and what follows from their oids is done when a batch of trees has come back.
Meanwhile a name stands for the commit's oid and its tree's, at its branch and in the lane, and in
the mark table an id that no object has. All that is not the lane's comes after it was settled.

Whatever is out of the ordinary when the commit's turn has come (a mark that is no commit's, a
branch that is new) goes to the executor after all, which knows what to say about it. So does a
commit whose tree could not be made here; those behind it are put back first, and executed again.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from fastio.importer._bases cimport DeltaBases
from fastio.importer._blob_tables cimport HELD_BACK, Blob
from fastio.importer._blobs cimport BlobQueue
from fastio.importer._commit_body cimport body_size, store_body
from fastio.importer._commit_queue cimport CommitQueue
from fastio.importer._deferred_commits cimport (
    DeferredCommit,
    is_name,
    name_of,
    number_of,
)
from fastio.importer._operations cimport Deferred, Operation, Operations
from fastio.importer._tree_line cimport BATCHES, MOST_JOBS, TreeBatch, TreeJob, TreeLine
from fastio.importer._tree_store cimport TreeStore
from fastio.objects._path_edits cimport Edit, edit_root, prepare
from fastio.store._marks cimport MarkTable
from fastio.store._objmap cimport NO_ID, ObjectMap
from fastio.store._pack_search cimport PackSearch
from fastio.stream._commit_fields cimport Bytes
from fastio.stream._plain_commit cimport BY_OID, GITLINK, INLINE, Change, PlainCommit
from fastio.stream._plain_run cimport PlainRun

from fastio.errors import FastioError
from fastio.stream import commands as c

cdef enum:
    KIND_COMMIT = 1
    KIND_BLOB = 3
    MOST_UNSPLIT_NOTES = 0xFF
    # Bytes of commits that may wait for their blobs: one operation may have many changes.
    MAX_QUEUED = 1 << 24
    MAX_DEFERRED = 1 << 22  # and for their trees
    NAMES = 256  # ids of the mark table that stand for deferred commits, in turn


cdef class CommitLane


cdef class LaneOperation(Operation):
    """An operation that settles the lane itself if it has to."""

    cdef CommitLane lane
    cdef PlainCommit commit


cdef class PlainOperation(LaneOperation):
    """A plain commit that waits for its blobs."""

    cdef list blobs

    cdef int run(self) except -1:
        return self.lane.execute(self.commit, self.blobs)


cdef class Beginning(LaneOperation):
    """Looks at a commit before its bodies are stored."""

    cdef int run(self) except -1:
        return self.lane.begin(self.commit)


cdef class CommitLane(Deferred):
    """Takes plain commits.

    Args:
        queue: Has the blobs.
        bases: Chooses their delta bases.
        pipeline: Takes the commits as operations.
        executor: Takes those that are not so plain.
        sink: Stores objects.
        resolver: Knows the trees of commits.
        few_batches: How many batches of trees are worth no thread.
        cores: How many there are for one.
    """

    cdef BlobQueue queue
    cdef DeltaBases bases
    cdef Operations pipeline
    cdef object executor
    cdef object resolver
    cdef ObjectMap object_map
    cdef MarkTable marks
    cdef TreeStore trees
    cdef CommitQueue commits
    cdef PackSearch search
    cdef int64_t queued
    cdef readonly TreeLine line
    cdef list deferred  # in the order of the stream
    cdef int64_t first  # the number of the first of them
    cdef int64_t held  # bytes of them
    cdef list oids  # of the last ones that were stored, by number modulo NAMES
    cdef bint defers
    cdef int64_t few_batches
    cdef int cores

    def __init__(
        self, BlobQueue queue, DeltaBases bases, Operations pipeline, executor, sink, resolver,
        int64_t few_batches, int cores,
    ):
        self.queue, self.bases = queue, bases
        self.pipeline, self.executor, self.resolver = pipeline, executor, resolver
        self.object_map, self.marks = sink.map, sink.marks
        self.trees, self.commits = sink.trees, sink.commits
        self.search = sink.store.search
        self.deferred, self.oids = [], [None] * NAMES
        # Where packs may end anywhere it must not matter when a commit is written.
        self.defers = self.trees.is_sha1 and not sink.pack_limit
        self.line = TreeLine(self.trees, MOST_JOBS if self.defers else 1)
        self.few_batches, self.cores = few_batches, cores

    # --- intake -------------------------------------------------------------------------------

    def take_all(self, PlainRun run not None):
        """Take all blobs and commits of *run*, and close it."""
        cdef int64_t count = 1
        cdef PlainCommit commit
        try:
            while True:
                count = run.take_blobs()
                if count:
                    self.queue.admit(run.scan.first, run.scan.end, run.rows, count)
                commit = run.take_commit()
                if commit is not None:
                    self.take(commit, run.lines())
                elif count == 0:
                    break
                self.pipeline.throttle()
        finally:
            run.close()

    cpdef take(self, PlainCommit commit, int64_t lines):
        """Send the commit's blobs on their way, and queue the commit.

        Args:
            commit: The commit.
            lines: How many lines had been read when it was.
        """
        cdef int64_t index
        cdef list blobs = [None] * commit.edit_count
        cdef PlainOperation operation = PlainOperation.__new__(PlainOperation)
        if commit.start_from:
            self.need(commit.start_from)
        for index in range(commit.merge_count):
            self.need(commit.merges[index])
        if commit.has_bodies:
            # If the header is wrong, the bodies are not stored.
            self.queue_up(Beginning.__new__(Beginning), commit, lines)
        for index in range(commit.edit_count):
            if commit.edits[index].mode:
                blobs[index] = self.assign(commit, &commit.edits[index])
        commit.drop_buffer()
        operation.blobs = blobs
        self.queue_up(operation, commit, lines)
        if commit.mark:
            self.queue.forget_mark(commit.mark)
        self.queued += commit.memory()
        if self.queued > MAX_QUEUED:
            self.pipeline.drain()

    cdef int queue_up(
        self, LaneOperation operation, PlainCommit commit, int64_t lines
    ) except -1:
        operation.lane, operation.commit, operation.may_defer = self, commit, True
        operation.offset, operation.number = commit.offset, commit.number
        operation.lines = lines
        return self.pipeline.append(operation)

    cdef int need(self, uint64_t mark) except -1:
        """See to it that a blob with this mark, named by mistake, is on its way."""
        cdef Blob blob = self.queue.pending.get(mark)
        if blob is not None and blob.state == HELD_BACK:
            self.queue.submit_pathless(blob)
        return 0

    cdef Blob assign(self, PlainCommit commit, const Change *change):
        """Give the blob of an M line its base, if it still needs one; None: it is long done."""
        cdef Blob blob
        cdef Bytes path = <Bytes>PyBytes_AS_STRING(commit.text) + change.path.start
        if change.reference == BY_OID:
            if change.mode != GITLINK and self.queue.held_count:
                self.queue.submit_held()  # one of these may be meant
            return None
        if change.reference == INLINE:
            blob = self.queue.open(0, change.body.size, commit.offset + change.line)
            self.queue.fill(blob, 0, commit.body(change))
        else:
            blob = self.queue.pending.get(change.mark)
        if blob is None:
            self.bases.c_reuse(path, change.path.size, change.mark)
        elif blob.state == HELD_BACK:
            self.bases.c_assign(path, change.path.size, blob)
        elif blob.mark:
            self.bases.c_reuse(path, change.path.size, blob.mark)
        return blob

    # --- execution ----------------------------------------------------------------------------

    cdef int begin(self, PlainCommit commit) except -1:
        """Let the executor begin the commit if that is not so plain."""
        if self.branch_of(commit) is None or self.parents_of(commit) is None:
            self.settle()
            self.executor.begin_commit(commit.header())
            commit.begun = True
        return 0

    cdef int execute(self, PlainCommit commit, list blobs) except -1:
        """Store the commit; every blob it names has its entry by now."""
        self.queued -= commit.memory()
        if commit.begun or not self.store(commit, blobs):
            self.settle()
            self.hand_over(commit, blobs)
        return 0

    cdef int hand_over(self, PlainCommit commit, list blobs) except -1:
        """Let the executor do it: what is new about branch or parents, or all, step by step."""
        executor, pipeline = self.executor, self.pipeline
        _, number, lines = whole = pipeline.place
        if not commit.begun:
            executor.begin_commit(commit.header())
        if self.finish(commit, blobs):
            commit.forget_changes()
            return 0
        for (offset, change), blob in zip(commit.changes(), blobs):
            pipeline.place = offset, number, lines  # should this be the one that fails
            if isinstance(change, c.FileDeleteAll):
                executor.delete_all()
            elif isinstance(change, c.FileDelete):
                executor.delete(change.path)
            else:
                executor.modify(change.mode, blob or change.dataref, change.path)
        executor.end_commit()
        pipeline.place = whole
        commit.forget_changes()
        return 0

    cdef bint finish(self, PlainCommit commit, list blobs) except -1:
        """End what the executor has begun; False, with nothing done, if that is not so plain."""
        branch = self.executor.commit
        cdef bytes tree
        if branch.notes > MOST_UNSPLIT_NOTES:
            return False
        try:
            self.commits.begin_commit()
            tree = self.edit_now(commit, blobs, branch.tree)
        except FastioError:
            return False
        if tree is None:
            return False
        if commit.starts_empty:
            branch.notes = 0
        self.executor.end_commit(tree)
        return True

    cdef bint store(self, PlainCommit commit, list blobs) except -1:
        """Defer the commit; False, with nothing done, if it is not so plain."""
        cdef DeferredCommit deferred = DeferredCommit.__new__(DeferredCommit)
        cdef bytes tree
        while self.commits.is_full() or self.line.is_full():
            self.end_batch(self.commits.is_full())
        branch = self.branch_of(commit)
        deferred.parents = self.parents_of(commit)
        if branch is None or deferred.parents is None:
            return False
        deferred.commit, deferred.blobs, deferred.branch = commit, blobs, branch
        deferred.old_tip, deferred.old_tree = branch.tip, branch.tree
        tree = branch.tree
        try:
            if not commit.start_from:
                if branch.tip is not None:
                    deferred.parents.insert(0, branch.tip)
            elif deferred.parents[0] != branch.tip:
                tree = self.tree_of(deferred.parents[0])
            if not self.add_job(deferred, tree):
                return False
        except FastioError:
            return False
        self.defer(deferred)
        return True

    cdef bint add_job(self, DeferredCommit deferred, bytes tree) except -1:
        """Have the commit's tree made of *tree*; False if it is not for this lane."""
        cdef PlainCommit commit = deferred.commit
        cdef Edit *edits = NULL
        cdef Py_ssize_t count = self.prepared(commit, deferred.blobs, &edits)
        cdef TreeJob *job
        if count < 0:
            return False
        job = deferred.job = self.line.add()
        job.edits, job.count, job.emptied = edits, count, commit.starts_empty
        if tree is not None and is_name(tree):
            job.base_job = (<DeferredCommit>self.deferred[number_of(tree) - self.first]).job
        elif tree is not None:
            job.has_base = True
            memcpy(job.base, PyBytes_AS_STRING(tree), self.object_map.oid_size)
        return True

    cdef int defer(self, DeferredCommit deferred) except -1:
        """Let what the commit changes be seen by the next ones."""
        cdef PlainCommit commit = deferred.commit
        cdef int64_t number = self.first + len(self.deferred)
        cdef int64_t size = body_size(commit, deferred.parents, self.object_map.oid_size)
        deferred.name, deferred.place = name_of(number), self.pipeline.place
        deferred.turn, deferred.turn_commits = self.commits.turn, self.commits.turn_commits
        deferred.turn_bytes = self.commits.turn_bytes
        branch = deferred.branch
        branch.tip = branch.tree = deferred.name
        if commit.starts_empty:
            branch.notes = 0
        if commit.mark:
            deferred.old_entry = self.marks.c_get(commit.mark)
            self.marks.c_set(commit.mark, <uint32_t>(NO_ID + number % NAMES))
        self.executor.header = commit
        self.deferred.append(deferred)
        self.held += commit.memory()
        self.commits.count(size)
        if not self.defers or size > self.commits.room or self.held > MAX_DEFERRED:
            return self.settle()
        return 0

    cdef bytes tree_of(self, bytes commit):
        return commit if is_name(commit) else self.resolver.tree_of(commit)

    # --- settlement ---------------------------------------------------------------------------

    cdef int settle(self) except -1:
        """Give all deferred commits their oids, which are everywhere then."""
        if self.deferred:
            while self.deferred:
                if self.line.handed - self.line.taken < BATCHES and self.line.filling().count:
                    self.line.hand_over(False, self.commits.turn)
                self.take_batch()
            self.line.rest()
        return 0

    cdef int end_batch(self, bint ends_turn) except -1:
        """Have the trees made of the commits that wait for that, and store those before them."""
        cdef int64_t turn = self.commits.turn
        if self.line.exchange == NULL and self.thread_pays():
            self.line.start()
        if ends_turn:
            self.commits.end_turn()
        self.line.hand_over(ends_turn, turn)
        while self.line.handed - self.line.taken == BATCHES:
            self.take_batch()
        if self.commits.turn > turn:  # or some commits were put back, and it is yet to end
            self.commits.write_turn(turn - 1)
        return 0

    cdef bint thread_pays(self) noexcept:
        """Whether a thread that makes trees will find work, and a core that has less to do."""
        cdef int64_t batches = self.line.handed
        if not self.defers or batches < self.few_batches:
            return False
        # Two cores have enough to do with a blob for every commit.
        return self.cores > 2 or (self.cores == 2 and self.queue.submitted < batches * MOST_JOBS)

    cdef int take_batch(self) except -1:
        """Store the commits of the oldest batch, and see to those that it did not get to."""
        cdef TreeBatch *batch
        cdef Py_ssize_t stored = 0
        try:
            batch = self.line.take()
            while stored < batch.done:
                self.store_deferred(self.deferred[stored])
                stored += 1
        except BaseException:
            self.drop_stored(stored)
            self.withdraw()
            raise
        self.drop_stored(stored)
        if stored < batch.count:
            return self.execute_again()
        if batch.ends_turn:
            self.commits.note_end(batch.turn)
        return self.line.close_batch(batch)

    cdef int drop_stored(self, Py_ssize_t count) except -1:
        cdef DeferredCommit deferred
        for deferred in self.deferred[:count]:
            self.held -= deferred.commit.memory()
            deferred.commit.forget_changes()
        del self.deferred[:count]
        self.first += count
        return 0

    cdef int execute_again(self) except -1:
        """Execute all that is deferred as if it had not been: the first one step by step."""
        cdef tuple place = self.pipeline.place
        cdef DeferredCommit deferred
        cdef PlainCommit commit
        cdef list again = self.withdraw()
        cdef bint is_first = True
        for deferred in again:
            self.pipeline.place, commit = deferred.place, deferred.commit
            if is_first:
                self.hand_over(commit, deferred.blobs)
            else:
                self.queued += commit.memory()
                self.execute(commit, deferred.blobs)
            is_first = False
        self.pipeline.place = place
        return 0

    cdef list withdraw(self):
        """Put all deferred commits back and return them."""
        cdef list commits = self.deferred
        cdef DeferredCommit deferred
        self.line.withdraw()
        self.deferred, self.held = [], 0
        for deferred in reversed(commits):
            self.put_back(deferred)
        if commits:
            deferred = commits[0]
            self.commits.turn, self.commits.turn_commits = deferred.turn, deferred.turn_commits
            self.commits.turn_bytes = deferred.turn_bytes
        return commits

    cdef int store_deferred(self, DeferredCommit deferred) except -1:
        """Store the commit object, and move its branch to it."""
        cdef PlainCommit commit = deferred.commit
        cdef int64_t stored = self.commits.counter.stored, entry
        cdef int64_t number = number_of(deferred.name)
        cdef bytes oid, tree = PyBytes_FromStringAndSize(
            <const char *>deferred.job.oid, self.object_map.oid_size
        )
        cdef list parents = [self.resolved(parent) for parent in deferred.parents]
        branch = deferred.branch
        entry = store_body(self.commits, commit, tree, parents)
        if self.commits.counter.stored != stored:
            branch.newest = entry
        if commit.start_from and self.resolved(deferred.old_tip) != parents[0]:
            branch.published = None
        oid = self.oid_of(entry)
        if branch.tip is deferred.name:
            branch.tip, branch.tree = oid, tree
        self.resolver.remember_tree(oid, tree)
        if commit.mark and self.marks.c_get(commit.mark) == <int64_t>NO_ID + number % NAMES:
            self.marks.c_set(commit.mark, <uint32_t>entry)
        self.oids[number % NAMES] = oid
        return 0

    cdef bytes resolved(self, bytes oid):
        """Return the oid of a commit that may have been deferred, and is stored by now."""
        return self.oids[number_of(oid) % NAMES] if oid is not None and is_name(oid) else oid

    cdef int put_back(self, DeferredCommit deferred) except -1:
        """Let the branch and the mark be as they were.

        What they were may be another such commit's, which is put back later, or was stored.
        """
        cdef PlainCommit commit = deferred.commit
        cdef int64_t entry = deferred.old_entry, number = number_of(deferred.name)
        branch = deferred.branch
        if branch.tip is deferred.name:
            branch.tip, branch.tree = deferred.old_tip, deferred.old_tree
            if branch.tip is not None and is_name(branch.tip) and self.is_stored(branch.tip):
                branch.tip = self.resolved(branch.tip)
                branch.tree = self.resolver.tree_of(branch.tip)
        if commit.mark and self.marks.c_get(commit.mark) == <int64_t>NO_ID + number % NAMES:
            if entry >= <int64_t>NO_ID and (number - entry + NO_ID) % NAMES > number - self.first:
                entry = self.object_map.c_find(
                    <Bytes>PyBytes_AS_STRING(self.oids[entry - <int64_t>NO_ID])
                )
            self.marks.c_put_back(commit.mark, entry)
        return 0

    cdef bint is_stored(self, bytes name) noexcept:
        return number_of(name) < self.first

    cdef object branch_of(self, PlainCommit commit):
        """Return the commit's branch, None if the executor has to see to it."""
        branch = self.executor.branches.get(commit.cut(commit.ref_span))
        if branch is None or not branch.claimed or branch.notes > MOST_UNSPLIT_NOTES:
            return None
        if commit.signed_span.start and not self.executor.keeps_signatures:
            return None
        return branch

    cdef list parents_of(self, PlainCommit commit):
        """Return the parents that the commit names; None if one is no commit."""
        cdef list parents = []
        cdef bytes parent
        cdef int64_t index
        for index in range(-1, commit.merge_count):
            if index >= 0:
                parent = self.marked(commit.merges[index], KIND_COMMIT)
            elif commit.start_from:
                parent = self.marked(commit.start_from, KIND_COMMIT)
            else:
                continue
            if parent is None:
                return None
            parents.append(parent)
        return parents

    cdef bytes oid_of(self, int64_t entry):
        return PyBytes_FromStringAndSize(
            <const char *>self.object_map.c_oid(<uint32_t>entry), self.object_map.oid_size
        )

    cdef bytes marked(self, uint64_t mark, int kind):
        """Return the oid or name of a mark's object, None if that is not of this *kind*."""
        cdef int64_t entry = self.marks.c_get(mark)
        cdef DeferredCommit deferred
        if entry >= <int64_t>NO_ID:
            deferred = self.deferred[(entry - <int64_t>NO_ID - self.first) % NAMES]
            return deferred.name if kind == KIND_COMMIT else None
        if entry < 0 or self.object_map.c_kind(<uint32_t>entry) != kind:
            return None
        return self.oid_of(entry)

    cdef bytes edit_now(self, PlainCommit commit, list blobs, bytes root):
        """Return the commit's tree; None if it is not for this lane."""
        cdef Edit *edits = NULL
        cdef Py_ssize_t count = self.prepared(commit, blobs, &edits)
        cdef unsigned char oid[32]
        if count < 0:
            return None
        try:
            if not edit_root(
                self.trees, NULL if root is None else <Bytes>PyBytes_AS_STRING(root),
                commit.starts_empty, edits, count, oid,
            ):
                return self.trees.store(b"", None, None)
        finally:
            free(edits)
        return PyBytes_FromStringAndSize(<const char *>oid, self.object_map.oid_size)

    cdef Py_ssize_t prepared(self, PlainCommit commit, list blobs, Edit **edits) except? -1:
        """Return how many edits the commit is, which the caller is to free; -1 without any."""
        cdef Py_ssize_t count = commit.edit_count - commit.starts_empty
        edits[0] = <Edit *>malloc((count + 1) * sizeof(Edit))
        if edits[0] == NULL:
            raise MemoryError
        try:
            count = prepare(edits[0], count) if self.fill(commit, blobs, edits[0]) else -1
        except BaseException:
            free(edits[0])
            raise
        if count < 0:
            free(edits[0])
        return count

    cdef bint fill(self, PlainCommit commit, list blobs, Edit *edits) except -1:
        cdef Bytes text = <Bytes>PyBytes_AS_STRING(commit.text)
        cdef int64_t index, entry
        cdef const Change *change
        cdef Blob blob
        cdef Edit *edit = edits
        for index in range(commit.starts_empty, commit.edit_count):
            change = &commit.edits[index]
            edit = &edits[index - commit.starts_empty]
            edit.path, edit.size = text + change.path.start, change.path.size
            edit.order, edit.mode = index, change.mode
            if change.mode == 0:
                continue
            if change.reference == BY_OID:
                if not self.look_up(commit, change, edit.oid):
                    return False
                continue
            blob = blobs[index]
            entry = self.marks.c_get(change.mark) if blob is None else blob.entry
            if entry < 0 or entry >= <int64_t>NO_ID:
                return False
            if self.object_map.c_kind(<uint32_t>entry) != KIND_BLOB:
                return False
            memcpy(edit.oid, self.object_map.c_oid(<uint32_t>entry), self.object_map.oid_size)
        return True

    cdef bint look_up(
        self, PlainCommit commit, const Change *change, unsigned char *oid
    ) except -1:
        """Read the oid of an M line; False if no such object may stand there for certain."""
        cdef Bytes digits = <Bytes>PyBytes_AS_STRING(commit.text) + change.oid.start
        cdef int wanted = KIND_COMMIT if change.mode == GITLINK else KIND_BLOB
        cdef int64_t entry, index
        if change.oid.size != 2 * self.object_map.oid_size or self.resolver.rewrites:
            return False
        for index in range(self.object_map.oid_size):
            oid[index] = hex_value(digits[2 * index]) << 4 | hex_value(digits[2 * index + 1])
        entry = self.object_map.c_find(oid)
        if entry >= 0:
            return self.object_map.c_kind(<uint32_t>entry) == wanted
        # Not noted in the object map: a gitlink to it would then be refused, unlike in git.
        return wanted == KIND_COMMIT or self.search.c_kind(oid) == wanted


cdef inline unsigned int hex_value(unsigned char digit) noexcept nogil:
    return digit - 48 if digit < 58 else (digit | 32) - 87
