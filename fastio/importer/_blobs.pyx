# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The blob path: from the stream's bytes in the arena to an entry in the pack.

A blob arrives (`admit`, or `open` and `fill`), is held back until its path is known, submitted
with a delta base, and accepted when its result's turn has come; results count in order of
submission. Its bytes stay in the arena for as long as something pins them: its own encoding, that
of a blob whose base it is, the paths that have it as their newest version. Where these are short of
room, it may lie there packed instead (`pack`).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.buffer cimport PyBUF_READ
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport INT64_MAX, int64_t, uint64_t
from libc.string cimport memcpy

from fastio.importer._blob_entries cimport BlobEntries, task_for
from fastio.importer._blob_tables cimport (
    ACCEPTED_IN,
    HELD_BACK,
    SUBMITTED_ON,
    Blob,
    BlobMap,
    BlobRing,
    LiveBlobs,
    load_ahead,
)
from fastio.store._entries cimport EntryWriter
from fastio.store._marks cimport MarkTable
from fastio.store._objmap cimport ObjectMap
from workers._arena cimport Arena
from workers._tasks cimport DELTA, FULL, Result, Task, c_deflate_bound

from collections import deque

from fastio.errors import WorkerError

cdef enum:
    KIND_BLOB = 3
    # A batch is one message: large enough to make its cost vanish, small enough to spread the
    # work and to fit the pipe's buffer (64 bytes a task).
    BATCH_TASKS = 512
    # The first batch after a wait is smaller, so that workers have something to do soon, and each
    # is so much larger than the one before: of a burst between two questions, little is left over.
    FIRST_TASKS = 64
    FIRST_BYTES = 1 << 17
    # So many results ahead their slots of the object map and blobs are loaded: memory is slow.
    AHEAD = 16
    # Smaller blobs are not worth packing.
    LEAST_PACKED = 256
    # Below this a delta cannot pay: its own headers and the copy cost as much.
    MIN_DELTA_TARGET = 50


cdef class BlobQueue:
    """Blobs on their way from the stream to the pack, in the order of their submission.

    Args:
        arena: Where their bytes lie.
        object_map: Gets those that are new.
        marks: Learns the marks of all.
        encoder: Does the tasks.
        wait: Waits until the encoder has done something, and has that accepted.
        search: Looks for blobs in the repository's packs; None where there are none.
        depth_limit: Longest delta chain.
        hold_bytes: So many bytes are held back at most.
        hold_count: So many blobs are held back at most.
        batch_bytes: So many bytes make a full batch.

    Attributes:
        entries: Writes what is new to the pack.
    """

    def __init__(self, Arena arena, ObjectMap object_map, MarkTable marks, *, encoder, wait,
                 search, int depth_limit, int64_t hold_bytes, Py_ssize_t hold_count,
                 int64_t batch_bytes):
        self.arena, self.object_map, self.marks = arena, object_map, marks
        self.encoder, self.wait, self.depth_limit = encoder, wait, depth_limit
        self.entries = BlobEntries(arena, object_map, search, encoder, depth_limit=depth_limit)
        self.hold_bytes_limit, self.hold_count_limit = hold_bytes, hold_count
        self.held, self.batches = BlobRing(), deque()
        self.batch, self.full_bytes = [], batch_bytes
        self._begin_small()
        self.pending, self.live = BlobMap(), LiveBlobs()
        self.in_pack = BlobMap()  # by entry, as long as their bytes are in the arena
        self.last_offset = INT64_MAX

    def set_pack(self, EntryWriter entries, int pack_number):
        """Direct what is accepted from now on into a new pack. Nothing may be in flight."""
        self.entries.continue_in(entries, pack_number)
        self.generation += 1

    # --- arrival ------------------------------------------------------------------------------

    cdef int admit(
        self, const unsigned char *data, int64_t size, const uint64_t *rows, int64_t count
    ) except -1:
        """Take in a run of blobs; four numbers each: mark, start, size, offset.

        They are copied into the arena, unless *data* is its annex: there they stay.
        """
        cdef int64_t annexed = self.arena.c_annexed(data, size), _number
        cdef Blob blob
        for _number in range(count):
            if annexed >= 0:
                blob = self._at(annexed + rows[1], rows[0], rows[2], rows[3])
            else:
                blob = self._new(rows[0], rows[2], rows[3])
                memcpy(self.arena.base + blob.raw_offset, data + rows[1], blob.size)
            self._hold(blob)
            rows += 4
        return 0

    def open(self, uint64_t mark, int64_t size, int64_t stream_offset):
        """Make room for a blob whose bytes come through :meth:`fill`."""
        return self._new(mark, size, stream_offset)

    def fill(self, Blob blob, int64_t at, const unsigned char[::1] data):
        """Copy *data* to position *at* of an open blob."""
        if at < 0 or at + data.shape[0] > blob.size:
            raise WorkerError("blob data leaves its place in the arena")
        if data.shape[0]:
            memcpy(self.arena.base + blob.raw_offset + at, &data[0], data.shape[0])

    def hold(self, Blob blob):
        """Keep a filled blob back until its path is known; a settled one needs no keeping."""
        if blob.state == HELD_BACK:
            self._hold(blob)

    def settled(self, uint64_t mark, int64_t entry):
        """Stand for a blob that found its way into the pack without this queue."""
        cdef Blob blob = Blob.__new__(Blob)
        blob.mark, blob.entry, blob.state, blob.raw_offset = mark, entry, ACCEPTED_IN, -1
        return blob

    cdef Blob _new(self, uint64_t mark, int64_t size, int64_t stream_offset):
        return self._at(self._allocate(size), mark, size, stream_offset)

    cdef Blob _at(self, int64_t raw_offset, uint64_t mark, int64_t size, int64_t stream_offset):
        cdef Blob blob = Blob.__new__(Blob)
        blob.raw_offset = raw_offset
        blob.mark, blob.size, blob.stream_offset = mark, size, stream_offset
        blob.entry = -1
        blob.pins = 1
        self.live.add(blob)
        return blob

    cdef int64_t _allocate(self, int64_t size) except -1:
        """Find room in the arena; what the encoder has is waited for if need be."""
        cdef int64_t offset = self.arena.c_allocate(size)
        cdef bint compacted = False
        while offset < 0:
            self.flush()
            if self.sent > self.accepted:
                self.wait()
                compacted = False
            elif not compacted:
                self.compact()
                compacted = True
            else:
                raise WorkerError(
                    f"no room for {size} bytes: --memory is too small for this stream"
                )
            offset = self.arena.c_allocate(size)
        return offset

    cdef int _hold(self, Blob blob) except -1:
        cdef Blob older
        if blob.mark:
            self.forget_mark(blob.mark)
            self.pending.set(blob.mark, blob)
        blob.held = True
        self.held.push(blob)
        self.held_bytes += blob.size
        self.held_count += 1
        while self.held_bytes > self.hold_bytes_limit or self.held.count > self.hold_count_limit:
            older = self.held.pop()
            if older.state == HELD_BACK:
                self.submit_pathless(older)
        return 0

    cpdef forget_mark(self, uint64_t mark):
        """A later object takes over *mark*: a blob still held back must not claim it afterwards.

        One that is submitted is accepted before that object is made, which may ask for it.
        """
        cdef Blob earlier = self.pending.pop(mark)
        if earlier is not None and earlier.state == HELD_BACK:
            earlier.mark = 0

    # --- submission ---------------------------------------------------------------------------

    cpdef submit_pathless(self, Blob blob):
        """Submit a blob whose path is unknown."""
        if self.assign_pathless is None or blob.size < MIN_DELTA_TARGET:
            self.submit(blob, None)
        else:
            self.assign_pathless(blob)

    def submit_held(self):
        """Submit all blobs whose path is still unknown, oldest first."""
        cdef Blob blob
        while self.held.count:
            blob = self.held.pop()
            if blob.state == HELD_BACK:
                self.submit_pathless(blob)

    cpdef submit(self, Blob blob, Blob base):
        """Hand *blob* to the encoder, with the bytes of *base* (or None) as delta base."""
        if len(self.batch) >= self.task_limit or self.batch_bytes >= self.byte_limit:
            self.flush()
        if base is not None and (blob.size < MIN_DELTA_TARGET or self.depth_limit <= 0
                                 or base.generation != self.generation
                                 or base.state == HELD_BACK):
            base = None
        if base is not None:
            blob.depth = base.depth + 1
            self.pin(base)
        blob.base = base
        if blob.held:
            blob.held = False
            self.held_bytes -= blob.size
            self.held_count -= 1
        blob.state = SUBMITTED_ON
        blob.generation = self.generation
        self.submitted += 1
        self.batch.append(blob)
        self.batch_bytes += blob.size
        self.batch_room += c_deflate_bound(blob.size)
        self.in_flight += blob.size + c_deflate_bound(blob.size)

    cpdef flush(self):
        """Send the unfinished batch on its way."""
        if self.batch and not self.is_sending:
            count, raw_bytes = len(self.batch), self.batch_bytes
            self.task_limit = min(self.task_limit + FIRST_TASKS, <int64_t>BATCH_TASKS)
            self.byte_limit = min(self.byte_limit + FIRST_BYTES, self.full_bytes)
            self.encoder.submit(self._take_batch(), count, raw_bytes)

    def finish_batch(self):
        """Have the unfinished batch done before returning: for a caller that would only wait."""
        self._begin_small()
        if self.batch and not self.is_sending:
            self.encoder.submit_here(self._take_batch())

    cdef void _begin_small(self) noexcept:
        self.task_limit = FIRST_TASKS
        self.byte_limit = min(<int64_t>FIRST_BYTES, self.full_bytes)

    cdef bytes _take_batch(self):
        """Return the unfinished batch's tasks, and begin another."""
        cdef list blobs = self.batch
        cdef int64_t room
        self.is_sending = True  # to make room may be to wait, and to wait is to flush
        try:
            room = self._allocate(self.batch_room)
        finally:
            self.is_sending = False
        self.batches.append((blobs, room))
        self.batch, self.batch_bytes, self.batch_room = [], 0, 0
        self.sent += len(blobs)
        return self._tasks(blobs, room)

    cdef bytes _tasks(self, list blobs, int64_t room):
        """Return the tasks of *blobs*, whose results go to *room*, one behind the other."""
        cdef bytes tasks = PyBytes_FromStringAndSize(NULL, len(blobs) * <Py_ssize_t>sizeof(Task))
        cdef Task *task = <Task *>PyBytes_AS_STRING(tasks)
        cdef Blob blob
        for blob in blobs:
            blob.out_offset = room
            task[0] = task_for(blob, blob.base)
            room += task.out_capacity
            task += 1
        return tasks

    # --- acceptance ---------------------------------------------------------------------------

    def accept(self, int64_t limit):
        """Take results in submission order until *limit* blobs are accepted or none is ready."""
        cdef const Result *result
        cdef Py_ssize_t count
        while self.accepted < limit:
            if self.ready_batch is None:
                self.results = self.encoder.take()
                if self.results is None:
                    return
                self.ready_batch, self.ready_room = self.batches.popleft()
                self.ready_index = 0
                count = len(self.ready_batch)
                if PyBytes_GET_SIZE(self.results) != count * <Py_ssize_t>sizeof(Result):
                    raise WorkerError("a worker's answer does not fit its tasks")
            result = <const Result *>PyBytes_AS_STRING(self.results) + self.ready_index
            if self.ready_index + AHEAD < len(self.ready_batch):
                self.object_map.c_prefetch(result[AHEAD].oid)
                load_ahead(<Blob>self.ready_batch[self.ready_index + AHEAD])
            self._accept(<Blob>self.ready_batch[self.ready_index], result)
            self.accepted += 1
            self.ready_index += 1
            if self.ready_index == len(self.ready_batch):
                self.arena.c_free(self.ready_room)
                self.ready_batch = None

    cdef int _accept(self, Blob blob, const Result *result) except -1:
        cdef int64_t entry
        if result.form != FULL and result.form != DELTA:
            raise WorkerError(f"{_name(blob)} could not be encoded")
        if blob.stream_offset > self.last_offset:
            self._release(blob)
            return 0
        entry = self.entries.enter(blob, result)
        blob.entry = entry
        blob.state = ACCEPTED_IN
        if blob.mark:
            self.marks.c_set(blob.mark, entry)
            self.pending.discard(blob.mark, blob)
        if blob.pins > 1:
            self.in_pack.set(entry, blob)
        self._release(blob)
        return 0

    cdef int _release(self, Blob blob) except -1:
        """Let go of what only the encoding needed."""
        cdef Blob base = blob.base
        self.in_flight -= blob.size + c_deflate_bound(blob.size)
        blob.base = None
        if base is not None:
            self.unpin(base)
        self.unpin(blob)
        return 0

    # --- errors -------------------------------------------------------------------------------

    def end_at(self, int64_t offset):
        """Let in no blob that begins behind byte *offset* of the stream, nor its mark."""
        self.last_offset = offset

    def describe(self, bytes task):
        """Say which blob a packed task is about: its place in the stream, and its mark if any."""
        cdef const Task *wanted = <const Task *>PyBytes_AS_STRING(task)
        cdef Blob blob
        for blob in self.live:
            if blob.raw_offset == wanted.raw_offset and blob.state == SUBMITTED_ON:
                return _name(blob)
        return "a blob" if wanted.kind == KIND_BLOB else "a commit"

    # --- arena --------------------------------------------------------------------------------

    cpdef pin(self, Blob blob):
        """Keep the blob's bytes in the arena until :meth:`unpin`."""
        blob.pins += 1

    cpdef unpin(self, Blob blob):
        """Undo one :meth:`pin`; the last one frees the blob's bytes, if they are in the arena."""
        blob.pins -= 1
        if blob.pins == 0:
            if blob.raw_offset < self.arena.size:
                self.arena.c_free(blob.raw_offset)
            blob.raw_offset = -1
            if blob.entry >= 0:
                self.in_pack.discard(blob.entry, blob)
            if not blob.packed_size:
                self.live.remove(blob)

    def pack(self, Blob blob):
        """Exchange one :meth:`pin` for a packed copy; False, and nothing done, if that is large.

        What lies in the arena's annex needs no copy, but counts as if it had one.
        """
        from lz4.block import compress  # imports whose memory suffices need it not

        cdef bytes packed
        if blob.size < LEAST_PACKED:
            return False
        packed = compress(
            PyMemoryView_FromMemory(
                <char *>self.arena.c_at(blob.raw_offset), blob.size, PyBUF_READ
            ),
            store_size=False,
        )
        self.arena.c_have_read(blob.raw_offset, blob.size)
        if 4 * PyBytes_GET_SIZE(packed) > 3 * blob.size:
            return False
        if blob.raw_offset >= self.arena.size:
            blob.packed_offset = blob.raw_offset
        else:
            blob.packed_offset = self._allocate(PyBytes_GET_SIZE(packed))
            memcpy(
                self.arena.base + blob.packed_offset,
                PyBytes_AS_STRING(packed), PyBytes_GET_SIZE(packed),
            )
        blob.packed_size = PyBytes_GET_SIZE(packed)
        self.unpin(blob)
        return True

    def unpack(self, Blob blob):
        """Undo :meth:`pack`."""
        if blob.raw_offset < 0:
            blob.raw_offset = self._unpacked(blob)
            if blob.entry >= 0:
                self.in_pack.set(blob.entry, blob)
        self.pin(blob)
        self.drop_packed(blob)

    cdef int64_t _unpacked(self, Blob blob) except -1:
        """Return where the bytes of a packed blob lie unpacked."""
        from lz4.block import decompress

        cdef bytes content
        cdef int64_t offset
        if blob.packed_offset >= self.arena.size:
            return blob.packed_offset
        offset = self._allocate(blob.size)
        content = decompress(
            PyMemoryView_FromMemory(
                <char *>self.arena.base + blob.packed_offset, blob.packed_size, PyBUF_READ
            ),
            uncompressed_size=blob.size,
        )
        memcpy(self.arena.base + offset, PyBytes_AS_STRING(content), blob.size)
        return offset

    def drop_packed(self, Blob blob):
        """Free the packed copy."""
        if blob.packed_offset < self.arena.size:
            self.arena.c_free(blob.packed_offset)
        blob.packed_size = 0
        if blob.pins == 0:
            self.live.remove(blob)

    def compact(self):
        """Move all blobs together, so that free space is one piece. The encoder has none."""
        cdef Blob blob
        cdef list places = []
        for blob in self.live:
            if 0 <= blob.raw_offset < self.arena.size:
                places.append((blob.raw_offset, False, blob))
            if blob.packed_size and blob.packed_offset < self.arena.size:
                places.append((blob.packed_offset, True, blob))
        places.sort(key=_first)
        offsets = self.arena.compact([_first(place) for place in places])
        for (_, is_packed, blob), offset in zip(places, offsets):
            if is_packed:
                blob.packed_offset = offset
            else:
                blob.raw_offset = offset
        self.compactions += 1

    def content(self, Blob blob):
        """Return a copy of the blob's bytes, or None when they are no longer in the arena."""
        if blob.raw_offset < 0:
            return None
        return PyBytes_FromStringAndSize(<const char *>self.arena.c_at(blob.raw_offset), blob.size)

    def content_of(self, int64_t entry):
        """Return a copy of an accepted blob's bytes, or None when they are not in the arena."""
        cdef Blob blob = self.in_pack.get(entry)
        return None if blob is None else self.content(blob)

    @property
    def waiting(self):
        """How many submitted blobs are not accepted yet."""
        return self.submitted - self.accepted


def _name(Blob blob):
    mark = f", mark :{blob.mark}" if blob.mark else ""
    return f"the blob at byte {blob.stream_offset}{mark}"


def _first(place):
    return place[0]
