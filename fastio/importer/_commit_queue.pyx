"""Commits on their way into the pack: hashed at once, deflated in batches, by workers if there are.

What follows a commit asks for its oid, never for its place. So a commit is known to the object map
as soon as it is executed, as PENDING: its offset says where the body lies in the arena, and its crc
how long it is. Bodies are gathered into batches. When a batch is full it is sent off, and the
oldest ones are written to the pack at the end of a *turn*, and so are trees. A turn is so many
commits, or bytes of commits. That depends on the stream alone, never on what came back, nor on when
what was deferred is settled (`CommitLane`): the pack has the same bytes for any number of workers.
Of a turn that ends nobody may know yet what belongs to it. So what is written is what the turn
before it has left.

All of it has a fixed room in the arena, so that it never waits for blobs to make some, nor they
for it. A body that is larger than a batch is written at once.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from cpython.buffer cimport PyBUF_READ
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy, memset

from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport NO_PACK, NO_PACK_YET
from workers._arena cimport Arena
from workers._sha1 cimport c_hash_object
from workers._tasks cimport FULL, NO_OID, Result, Task, c_deflate_bound

from fastio.errors import WorkerError

cdef enum:
    KIND_COMMIT = 1


cdef class CommitQueue:
    """Takes commits for an `ObjectSink`.

    Args:
        sink: Owns object map and pack.
        arena: Bodies and payloads get a place in it.
        encoder: Has them deflated.
        room: Bytes of bodies in a batch at most.
    """

    def __init__(self, sink, Arena arena, encoder, int64_t room):
        cdef int64_t payloads = room + BATCH_COMMITS * c_deflate_bound(0), place
        cdef CommitBatch *batch
        self.sink, self.arena, self.encoder, self.room = sink, arena, encoder, room
        self.object_map, self.counter = sink.map, sink.counters[KIND_COMMIT]
        self.search = sink.store.search
        self.new_hash = sink.object_format.new
        self.is_sha1 = sink.object_format.name == "sha1"
        self.tickets = [None] * BATCHES
        self.turn = 1
        place = arena.c_allocate(BATCHES * (room + payloads))
        if place < 0:
            raise WorkerError(f"no room for {room} bytes of commits: --memory is too small")
        memset(self.batches, 0, sizeof(self.batches))
        self.trees = sink.trees
        self.trees.by_turns = True
        for batch in self.batches[:BATCHES]:
            batch.raw_offset, batch.out_offset = place, place + room
            place += room + payloads

    # --- arrival ------------------------------------------------------------------------------

    def store(self, bytes body not None):
        """Store a commit; returns its entry in the object map."""
        cdef int64_t size = PyBytes_GET_SIZE(body)
        memcpy(self.begin(size), PyBytes_AS_STRING(body), size)
        return self.end(size)

    cdef unsigned char *begin(self, int64_t size) except NULL:
        cdef CommitBatch *batch = &self.batches[self.current % BATCHES]
        if size > self.room:
            self.large = PyBytes_FromStringAndSize(NULL, size)
            return <unsigned char *>PyBytes_AS_STRING(self.large)
        if batch.count == BATCH_COMMITS or batch.raw_used + size > self.room:
            self.close()
            batch = &self.batches[self.current % BATCHES]
        return self.arena.base + batch.raw_offset + batch.raw_used

    cdef int64_t end(self, int64_t size) except -1:
        cdef CommitBatch *batch = &self.batches[self.current % BATCHES]
        cdef unsigned char *body = self.arena.base + batch.raw_offset + batch.raw_used
        cdef bytes large = self.large
        cdef unsigned char oid[32]
        cdef int64_t entry
        if large is not None:
            self.large = None
            return self.sink.store_whole(KIND_COMMIT, large)
        self.hash_body(body, size, oid)
        entry = self.object_map.c_find(oid)
        if entry < 0:
            if not self.search.c_has(oid):
                return self.enter(oid, body, size)
            entry = self.object_map.c_insert(oid, NO_PACK, 0, KIND_COMMIT, 0, 0)
        self.counter.duplicates += 1
        return entry

    cdef int hash_body(self, unsigned char *body, int64_t size, unsigned char *oid) except -1:
        if self.is_sha1:
            c_hash_object(KIND_COMMIT, body, size, oid)
            return 0
        state = self.new_hash(b"commit %d\0" % size)
        state.update(PyMemoryView_FromMemory(<char *>body, size, PyBUF_READ))
        digest = <bytes>state.digest()
        memcpy(oid, PyBytes_AS_STRING(digest), PyBytes_GET_SIZE(digest))
        return 0

    cdef int64_t enter(
        self, const unsigned char *oid, unsigned char *body, int64_t size
    ) except -1:
        """Make the body, which is where the next one of its batch has to be, the batch's own."""
        cdef CommitBatch *batch = &self.batches[self.current % BATCHES]
        cdef Task *task = &batch.tasks[batch.count]
        cdef int64_t entry = self.object_map.c_insert(
            oid, NO_PACK_YET, body - self.arena.base, KIND_COMMIT, 0, <uint32_t>size
        )
        memset(task, 0, sizeof(Task))
        task.raw_offset, task.raw_size = body - self.arena.base, size
        task.base_offset = -1
        task.out_offset = batch.out_offset + batch.out_used
        task.out_capacity = c_deflate_bound(size)
        task.kind, task.flags = KIND_COMMIT, NO_OID
        batch.entries[batch.count] = <uint32_t>entry
        batch.count += 1
        batch.raw_used += size
        batch.out_used += task.out_capacity
        self.counter.stored += 1
        return entry

    # --- into the pack ------------------------------------------------------------------------

    cdef int close(self) except -1:
        """Send the open batch off; if its successor needs the oldest one's place, write that.

        It does so only where nobody ends turns.
        """
        cdef Py_ssize_t slot = <Py_ssize_t>(self.current % BATCHES)
        cdef CommitBatch *batch = &self.batches[slot]
        self.current += 1
        self.tickets[slot] = self.encoder.submit_apart(
            packed_tasks(batch), batch.count, batch.raw_used
        )
        if self.current - self.first == BATCHES:
            self.append_first(False)
        return 0

    # --- turns --------------------------------------------------------------------------------

    cdef bint is_full(self) noexcept:
        return self.turn_commits >= TURN_COMMITS or self.turn_bytes > self.room // 2

    cdef void count(self, int64_t size) noexcept:
        self.turn_commits += 1
        self.turn_bytes += size

    cdef int64_t end_turn(self) noexcept:
        self.turn += 1
        self.turn_commits = self.turn_bytes = 0
        return self.turn - 1

    cdef void note_end(self, int64_t turn) noexcept:
        cdef TurnEnd *end = &self.ends[turn % ENDS]
        end.rows, end.batches = self.trees.next_row, self.current

    cdef int write_turn(self, int64_t turn) except -1:
        cdef TurnEnd *end = &self.ends[turn % ENDS]
        if turn > self.written:
            self.written = turn
            self.trees.write_rows(end.rows)
            while end.batches > self.first + KEPT_BATCHES:
                self.append_first(False)
        return 0

    cpdef begin_commit(self):
        """End the turn before a commit if it was long enough; nothing is deferred."""
        cdef int64_t turn
        if self.is_full():
            self.trees.end_turn()
            turn = self.end_turn()
            self.note_end(turn)
            self.write_turn(turn - 1)
        elif self.trees.turn_is_full():
            self.trees.end_turn()

    def end_commit(self, int64_t size):
        """Count a commit whose body has *size* bytes."""
        self.count(size)

    def flush(self, *, bint here=False):
        """Write all that is pending to the pack.

        Args:
            here: Whether to do without workers, who may be the trouble.
        """
        if self.batches[self.current % BATCHES].count:
            if here:
                self.current += 1
            else:
                self.close()
        while self.first < self.current:
            self.append_first(here)

    cdef int append_first(self, bint here) except -1:
        """Write the oldest batch to the pack."""
        cdef Py_ssize_t slot = <Py_ssize_t>(self.first % BATCHES)
        cdef CommitBatch *batch = &self.batches[slot]
        cdef bytes results
        if here:
            results = self.encoder.encode_here(packed_tasks(batch))
        else:
            results = self.encoder.wait_for(self.tickets[slot])
        if PyBytes_GET_SIZE(results) != batch.count * <Py_ssize_t>sizeof(Result):
            raise WorkerError("a worker's answer does not fit its tasks")
        self.append(batch, <const Result *>PyBytes_AS_STRING(results))
        self.tickets[slot] = None
        batch.count = batch.done = 0
        batch.raw_used = batch.out_used = 0
        self.first += 1
        return 0

    cdef int append(self, CommitBatch *batch, const Result *results) except -1:
        cdef EntryWriter entries = self.sink.pack.entries
        cdef bint is_limited = self.sink.pack_limit > 0
        cdef int pack_number = self.sink.pack_number
        cdef const Result *result
        cdef const Task *task
        cdef int64_t offset
        while batch.done < batch.count:
            task, result = &batch.tasks[batch.done], &results[batch.done]
            if result.form != FULL:
                raise WorkerError("a commit could not be deflated")
            if is_limited:
                self.sink.make_room(result.packed_size)
                entries, pack_number = self.sink.pack.entries, self.sink.pack_number
            offset = entries.c_append(
                KIND_COMMIT, task.raw_size, self.arena.base + task.out_offset,
                result.packed_size, -1, result.crc,
            )
            self.object_map.c_set_place(
                batch.entries[batch.done], pack_number, offset, KIND_COMMIT, 0,
                entries.last_crc,
            )
            batch.done += 1
        return 0

    # --- what is pending ----------------------------------------------------------------------

    def content(self, uint32_t entry):
        """Return the body of a pending commit."""
        return PyBytes_FromStringAndSize(
            <char *>self.arena.base + self.object_map.c_offset(entry), self.object_map.c_crc(entry)
        )

    def lowest_entry(self):
        """Return an entry that no pending commit's is below."""
        cdef CommitBatch *batch = &self.batches[self.first % BATCHES]
        return batch.entries[batch.done] if batch.done < batch.count else len(self.object_map)


cdef bytes packed_tasks(CommitBatch *batch):
    return PyBytes_FromStringAndSize(<char *>batch.tasks, batch.count * sizeof(Task))
