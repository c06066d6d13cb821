"""The lane for plain commits: from the scanner's table to the pack, without a command between.

It does what intake and executor do for the same commit, in the same order: blobs get their bases
in the order of the M lines, the commit is one operation of the pipeline, and trees and commit are
stored as the executor would store them. Which commits come this way depends on where reads ended,
so the pack must not show it.

Whatever is out of the ordinary when the commit's turn has come (a mark that is no commit's, a
branch that is new) goes to the executor after all, which knows what to say about it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from fastio.importer._bases cimport DeltaBases
from fastio.importer._blob_tables cimport HELD_BACK, Blob
from fastio.importer._blobs cimport BlobQueue
from fastio.importer._commit_queue cimport CommitQueue
from fastio.importer._operations cimport Operation, Operations
from fastio.importer._tree_store cimport TreeStore
from fastio.objects._digits cimport write_hex
from fastio.objects._path_edits cimport Edit, edit_root, prepare
from fastio.store._marks cimport MarkTable
from fastio.store._objmap cimport ObjectMap
from fastio.store._pack_search cimport PackSearch
from fastio.stream._commit_fields cimport Bytes
from fastio.stream._plain_commit cimport BY_OID, GITLINK, INLINE, Change, PlainCommit, Span
from fastio.stream._plain_run cimport PlainRun

from fastio.errors import FastioError
from fastio.objects.commits import SIGNATURE_HEADERS, fold_header
from fastio.stream import commands as c

cdef enum:
    KIND_COMMIT = 1
    KIND_BLOB = 3
    MOST_UNSPLIT_NOTES = 0xFF
    # Bytes of commits that may wait for their blobs: one operation may have many changes.
    MAX_QUEUED = 1 << 24


cdef class CommitLane


cdef class PlainOperation(Operation):
    """A plain commit that waits for its blobs."""

    cdef CommitLane lane
    cdef PlainCommit commit
    cdef list blobs

    cdef int run(self) except -1:
        return self.lane.execute(self.commit, self.blobs)


cdef class CommitLane:
    """Takes plain commits.

    Args:
        queue: Has the blobs.
        bases: Chooses their delta bases.
        pipeline: Takes the commits as operations.
        executor: Takes those that are not so plain.
        sink: Stores objects.
        resolver: Knows the trees of commits.
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

    def __init__(
        self, BlobQueue queue, DeltaBases bases, Operations pipeline, executor, sink, resolver
    ):
        self.queue, self.bases = queue, bases
        self.pipeline, self.executor, self.resolver = pipeline, executor, resolver
        self.object_map, self.marks = sink.map, sink.marks
        self.trees, self.commits = sink.trees, sink.commits
        self.search = sink.store.search

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
            place = commit.offset, commit.number, lines
            self.pipeline.add(place, self.begin, commit)
        for index in range(commit.edit_count):
            if commit.edits[index].mode:
                blobs[index] = self.assign(commit, &commit.edits[index])
        commit.drop_buffer()
        operation.lane, operation.commit, operation.blobs = self, commit, blobs
        operation.offset, operation.number = commit.offset, commit.number
        operation.lines = lines
        self.pipeline.append(operation)
        if commit.mark:
            self.queue.forget_mark(commit.mark)
        self.queued += commit.memory()
        if self.queued > MAX_QUEUED:
            self.pipeline.drain()

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

    def begin(self, PlainCommit commit not None):
        """Let the executor begin the commit if that is not so plain."""
        if self.branch_of(commit) is None or self.parents_of(commit) is None:
            self.executor.begin_commit(commit.header())
            commit.begun = True

    cdef int execute(self, PlainCommit commit, list blobs) except -1:
        """Store the commit; every blob it names has its entry by now."""
        self.queued -= commit.memory()
        if commit.begun or not self.store(commit, blobs):
            self.hand_over(commit, blobs)
        commit.forget_changes()
        return 0

    cdef int hand_over(self, PlainCommit commit, list blobs) except -1:
        """Let the executor do it: what is new about branch or parents, or all, step by step."""
        executor, pipeline = self.executor, self.pipeline
        _, number, lines = whole = pipeline.place
        if not commit.begun:
            executor.begin_commit(commit.header())
        if self.finish(commit, blobs):
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
        return 0

    cdef bint finish(self, PlainCommit commit, list blobs) except -1:
        """End what the executor has begun; False, with nothing done, if that is not so plain."""
        branch = self.executor.commit
        cdef bytes tree
        if branch.notes > MOST_UNSPLIT_NOTES:
            return False
        try:
            tree = self.edit(commit, blobs, branch.tree)
        except FastioError:
            return False
        if tree is None:
            return False
        if commit.starts_empty:
            branch.notes = 0
        self.executor.end_commit(tree)
        return True

    cdef bint store(self, PlainCommit commit, list blobs) except -1:
        """Store the commit and move its branch; False, with nothing done, if it is not so plain."""
        branch = self.branch_of(commit)
        cdef list parents = self.parents_of(commit)
        if branch is None or parents is None:
            return False
        cdef bytes tip = branch.tip, tree = branch.tree
        cdef int64_t stored, entry
        if commit.start_from:
            tip = parents[0]
        elif tip is not None:
            parents.insert(0, tip)
        try:
            if tip != branch.tip:
                tree = self.resolver.tree_of(tip)
            tree = self.edit(commit, blobs, tree)
        except FastioError:
            return False
        if tree is None:
            return False
        stored = self.commits.counter.stored
        entry = self.store_body(commit, tree, parents)
        if self.commits.counter.stored != stored:
            branch.newest = entry
        if tip != branch.tip:
            branch.published = None
        tip = self.oid_of(entry)
        branch.tip, branch.tree = tip, tree
        if commit.starts_empty:
            branch.notes = 0
        self.resolver.remember_tree(tip, tree)
        if commit.mark:
            self.marks.c_set(commit.mark, <uint32_t>entry)
        self.executor.header = commit
        return True

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
        """Return the oid of a mark's object, None if that is not of this *kind*."""
        cdef int64_t entry = self.marks.c_get(mark)
        if entry < 0 or self.object_map.c_kind(<uint32_t>entry) != kind:
            return None
        return self.oid_of(entry)

    cdef bytes edit(self, PlainCommit commit, list blobs, bytes root):
        """Return the commit's tree; None if it is not for this lane."""
        cdef int64_t count = commit.edit_count - commit.starts_empty
        cdef Edit *edits = <Edit *>malloc((count + 1) * sizeof(Edit))
        cdef bytes tree
        if edits == NULL:
            raise MemoryError
        try:
            if not self.fill(commit, blobs, edits):
                return None
            count = prepare(edits, count)
            if count < 0:
                return None
            tree = edit_root(self.trees, root, commit.starts_empty, edits, count)
            return self.trees.store(b"", None, None) if tree is None else tree
        finally:
            free(edits)

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
            if entry < 0 or self.object_map.c_kind(<uint32_t>entry) != KIND_BLOB:
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

    cdef int64_t store_body(self, PlainCommit commit, bytes tree, list parents) except -1:
        """Store the commit object, see `fastio.objects.commits`; gives its entry."""
        cdef int64_t digits = 2 * self.object_map.oid_size
        cdef Span author = commit.author_span if commit.author_span.start else commit.committer_span
        cdef bytes more = b"" if commit.is_simple() else more_headers(commit)
        cdef int64_t size = (
            5 + digits + 1 + len(parents) * (7 + digits + 1) + 7 + author.size + 1
            + 10 + commit.committer_span.size + PyBytes_GET_SIZE(more)
            + 2 + commit.message_span.size
        )
        cdef Bytes text = <Bytes>PyBytes_AS_STRING(commit.text)
        cdef unsigned char *out = self.commits.begin(size)
        cdef bytes parent
        out = put_oid(out, b"tree ", 5, tree)
        for parent in parents:
            out = put_oid(out, b"parent ", 7, parent)
        out = put(out, <Bytes>b"author ", 7)
        out = put(out, text + author.start, author.size)
        out = put(out, <Bytes>b"\ncommitter ", 11)
        out = put(out, text + commit.committer_span.start, commit.committer_span.size)
        out = put(out, <Bytes>PyBytes_AS_STRING(more), PyBytes_GET_SIZE(more))
        out = put(out, <Bytes>b"\n\n", 2)
        put(out, text + commit.message_span.start, commit.message_span.size)
        return self.commits.end(size)


cdef bytes more_headers(PlainCommit commit):
    """Return the headers for encoding and signature, each with an LF before it."""
    headers = []
    if commit.encoding is not None:
        headers.append(b"\nencoding " + commit.encoding)
    for signature in commit.signatures:
        name = SIGNATURE_HEADERS[signature.algorithm.decode()]
        headers.append(b"\n" + fold_header(name, signature.data))
    return b"".join(headers)


cdef inline unsigned int hex_value(unsigned char digit) noexcept nogil:
    return digit - 48 if digit < 58 else (digit | 32) - 87


cdef unsigned char *put(unsigned char *out, Bytes data, int64_t size) noexcept nogil:
    memcpy(out, data, size)
    return out + size


cdef unsigned char *put_oid(unsigned char *out, const char *name, int64_t size, bytes oid):
    """Write a header line that holds an oid."""
    cdef Bytes raw = <Bytes>PyBytes_AS_STRING(oid)
    out = write_hex(put(out, <Bytes>name, size), raw, <int>PyBytes_GET_SIZE(oid))
    out[0] = 10
    return out + 1
