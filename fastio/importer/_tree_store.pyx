"""Trees on their way into the pack, and a cache of them.

The cache has trees by oid, each with its anchor: the tree that its delta chain started from. The
ones unused for longest make room.

What a commit's trees are is known before their oids are: see `fastio.objects._drafts`. While trees
are deferred they stay drafts, until `name_drafts` gives them their oids and `take_in` enters them
as if each had been stored at once. Making and hashing them needs no interpreter and may be another
thread's work, which has the cache then (`TreeLine`); map and pack never are.

Nor is a new tree written at once, as it must not show when that was: payloads wait in a queue, and
are written when a turn has ended (`CommitQueue.write_turn`).
"""

from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawMalloc
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memmove

from fastio.importer._exchange cimport ask, pthread_mutex_lock, pthread_mutex_unlock
from fastio.objects._drafts cimport begin_draft, fill_holes, free_draft, hash_drafts, put_name
from fastio.objects._path_edits cimport Trees, unchanged_size
from fastio.objects._tree_cache cimport Tree, content_of
from fastio.objects._trees cimport LARGEST_BASE, Bytes, Segments, put_delta
from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport NO_PACK, NO_PACK_YET, ObjectMap
from workers._arrays cimport resized
from workers._codec cimport c_store
from workers._sha1 cimport (
    STATE_STEP,
    State,
    c_hash_again,
    c_hash_object,
    c_lanes,
    c_state_count,
)

import zlib

from fastio.errors import ObjectError
from fastio.objects._trees import tree_delta
from fastio.objects import kinds
from fastio.objects.trees import empty_tree_oid
from workers import codec
from workers.delta import apply_delta

cdef enum:
    KIND_TREE = 2
    # The delta of a tree is mostly oids, which no codec makes smaller: on git.git, the deltas of
    # 160 to 1000 bytes have 3.37 MB, and 3.42 MB once they are deflated, for 30 us each.
    MAX_STORED = 1000
    # Below this, hashing all of a tree again takes no longer than keeping states of it.
    MIN_STATES = 2 * STATE_STEP
    # So many trees are hashed sooner side by side than each from where it differs from its base.
    LEAST_ABREAST = 12

MOST_STORED_TREE_DELTA = MAX_STORED


cdef class Counters:
    """Objects of one type: how many were stored, were known already, became deltas."""


cdef class TreeStore(Trees):
    """Stores and loads trees for an `ObjectSink`, which owns map and pack.

    Args:
        sink: The sink.
        object_map: Its object map.
        counter: Counts the trees that were stored, known already, and became deltas.
        limit: Bytes of trees to keep in memory.
        depth: Longest delta chain.
        level: Compression level of full trees and long deltas.
    """

    def __init__(self, sink, ObjectMap object_map, Counters counter, int64_t limit, *,
                 int depth=0, int level=-1):
        super().__init__(object_map.oid_size, limit)
        self.sink, self.object_map, self.counter = sink, object_map, counter
        self.depth, self.level = depth, level
        self.search = sink.store.search
        self.new_hash = sink.object_format.new
        self.is_sha1 = sink.object_format.name == "sha1"
        self.empty_oid = empty_tree_oid(sink.object_format)

    def __dealloc__(self):
        free(self.rows)
        free(self.payloads)

    def set_pack(self, EntryWriter entries, int pack_number):
        """Direct trees into a new pack."""
        self.entries, self.pack_number = entries, pack_number

    # --- the cache ----------------------------------------------------------------------------

    def get(self, bytes oid not None):
        """Return a tree's bytes, if they are here."""
        cdef Tree *tree = self.cache.find(<Bytes>PyBytes_AS_STRING(oid))
        return None if tree == NULL else content_of(tree)

    def anchor(self, bytes oid not None):
        """Return the tree that the delta chain of *oid* started from; itself when unknown."""
        cdef Tree *tree = self.cache.peek(<Bytes>PyBytes_AS_STRING(oid))
        return oid if tree == NULL else tree.anchor[:self.oid_size]

    def add(self, bytes oid not None, bytes content not None):
        """Keep a tree whose delta chain starts with itself, for all that is known."""
        self.keep_content(oid, content)

    # --- loading and storing ------------------------------------------------------------------

    cpdef bytes load(self, bytes oid):
        """Return a tree's canonical bytes; the empty one need not exist.

        Raises:
            ObjectError: There is no such object, or it is no tree.
        """
        cdef bytes tree = self.get(oid)
        if tree is None:
            tree = self.read(oid)
            if oid != self.empty_oid:
                self.keep_content(oid, tree)
        return tree

    cdef bytes read(self, bytes oid):
        """Read a tree that is not in the cache, and does not get there."""
        if oid == self.empty_oid:
            return b""
        kind, tree = self.sink.read(oid)
        if kind != KIND_TREE:
            name = kinds.NAMES[kind].decode()
            raise ObjectError(f"object {oid.hex()} is a {name}, not a tree")
        return tree

    cdef Tree *fetch(self, Bytes oid) except NULL nogil:
        cdef Tree *tree
        if self.exchange == NULL or not self.defers:
            with gil:
                return self.fetch_here(oid)
        tree = ask(self.exchange, oid)
        if tree == NULL:
            with gil:
                raise ObjectError(f"tree {oid[:self.oid_size].hex()} cannot be loaded")
        return tree

    cdef int fill(self, Tree *tree) except -1 nogil:
        self.lock()
        try:
            return self.cache.fill(tree)
        finally:
            self.unlock()

    cdef Tree *fetch_here(self, Bytes oid) except NULL:
        return self.keep_content(oid[:self.oid_size], self.read(oid[:self.oid_size]))

    cdef bytes peeked(self, Bytes oid):
        """Return a tree's bytes without any trace in the cache, which may be another thread's."""
        cdef const Tree *tree
        cdef bytes content = None
        self.lock()
        tree = self.cache.peek(oid)
        if tree != NULL:
            content = content_of(tree)
        self.unlock()
        return self.read(oid[:self.oid_size]) if content is None else content

    cdef void lock(self) noexcept nogil:
        if self.exchange != NULL:
            pthread_mutex_lock(&self.exchange.trees)

    cdef void unlock(self) noexcept nogil:
        if self.exchange != NULL:
            pthread_mutex_unlock(&self.exchange.trees)

    cpdef bytes store(self, bytes content, bytes base, bytes delta):
        """Store a tree, as *delta* against *base* where pack and depth allow it."""
        cdef Tree *tree = self.cache.copy(
            <Bytes>PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content)
        )
        cdef Bytes base_oid = NULL if base is None else <Bytes>PyBytes_AS_STRING(base)
        cdef Bytes text = NULL if delta is None else <Bytes>PyBytes_AS_STRING(delta)
        cdef Tree *base_tree = NULL if base is None else self.cache.peek(base_oid)
        try:
            self.set_oid(tree, base_tree, 0)
            self.made_bytes += tree.size
            if self.is_new(tree, base_oid, base_tree):
                self.write(tree, base_oid, text, 0 if delta is None else PyBytes_GET_SIZE(delta))
        except BaseException:
            self.cache.release(tree)
            raise
        return self.cache.add(tree).oid[:self.oid_size]

    cdef int put(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1 nogil:
        if self.defers:
            return self.defer(tree, old, segments, oid)
        with gil:
            return self.put_now(tree, old, segments, oid)

    cdef int put_now(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1:
        cdef Bytes base = old.oid if 0 < old.size <= LARGEST_BASE else NULL
        try:
            self.set_oid(tree, old, unchanged_size(segments))
            self.made_bytes += tree.size
            self.enter(tree, NULL if base == NULL else old, segments)
        except BaseException:
            self.cache.release(tree)
            raise
        tree = self.cache.add(tree)
        memcpy(oid, tree.oid, self.oid_size)
        return 0

    cdef int enter(self, Tree *tree, const Tree *base, Segments *segments) except -1:
        """Take in a tree, which has its oid, as *segments* of its base."""
        cdef Bytes base_oid = NULL if base == NULL else base.oid
        cdef unsigned char *delta = NULL
        cdef Py_ssize_t delta_size = 0
        if not self.is_new(tree, base_oid, base):
            return 0
        try:
            if base != NULL:
                delta_size = put_delta(segments, base.size, tree.data, tree.size, &delta)
            self.write(tree, base_oid, delta, delta_size)
        finally:
            free(delta)
        return 0

    cdef void end_turn(self) noexcept nogil:
        self.made_bytes = 0
        self.lock()
        self.cache.end_turn()
        self.unlock()

    cdef bint turn_is_full(self) noexcept nogil:
        return self.made_bytes > self.cache.limit // TREE_TURNS

    # --- drafts -------------------------------------------------------------------------------

    cdef int defer(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1 nogil:
        cdef bint has_begun = False
        try:
            begin_draft(tree, old, segments)
            has_begun = True
        finally:
            if not has_begun:
                self.cache.release(tree)
        if tree.draft.base != NULL:
            tree.draft.base.users += 1
            tree.draft.base.is_base = True
        tree.users += 1
        if self.first_draft == NULL:
            self.first_draft = tree
        else:
            self.last_draft.draft.next = tree
        self.last_draft = tree
        if self.unhashed == NULL:
            self.unhashed = tree
        self.unhashed_count += 1
        put_name(tree, oid)
        return 0

    cdef int name_drafts(self) except -1 nogil:
        """Give each draft its oid, and add it to the cache."""
        cdef Tree *first = self.unhashed
        cdef Tree *tree = first
        if self.unhashed_count >= LEAST_ABREAST and c_lanes() > 1:
            if hash_drafts(tree, self.unhashed_count):
                with gil:
                    raise MemoryError
        else:
            while tree != NULL:
                fill_holes(tree)
                self.hash_from(tree, tree.draft.base, unchanged_size(&tree.draft.segments))
                tree = tree.draft.next
        self.unhashed = NULL
        self.unhashed_count = 0
        self.lock()
        try:
            while first != NULL:
                self.keep(first)
                first = first.draft.next
        finally:
            self.unlock()
        return 0

    cdef int keep(self, Tree *tree) except -1 nogil:
        """Add a draft that has its oid to the cache; if its like is there, that one is kept."""
        cdef Tree *known = self.cache.find(tree.oid)
        if known == NULL:
            self.cache.add(tree)
        else:
            tree.draft.known = known
            known.users += 1
        return 0

    cdef Tree *take_drafts(self) noexcept nogil:
        """Return the first of the drafts that there are, as there were none any longer."""
        cdef Tree *first = self.first_draft
        self.first_draft = self.last_draft = NULL
        return first

    cdef void forget_drafts(self, Tree *last) noexcept nogil:
        """Forget the drafts behind *last*, none of which has its oid (NULL: all)."""
        cdef Tree *first = self.first_draft if last == NULL else last.draft.next
        cdef Tree *tree = first
        while tree != NULL:
            self.unhashed_count -= 1
            if tree == self.unhashed:
                self.unhashed = NULL
            tree = tree.draft.next
        if last == NULL:
            self.first_draft = self.unhashed = NULL
            self.unhashed_count = 0
        else:
            last.draft.next = NULL
        self.last_draft = last
        self.let_go(first)

    cdef int take_in(self, Tree *tree) except -1:
        """Enter a draft that has its oid, and whose base was entered."""
        self.enter(tree, tree.draft.base, &tree.draft.segments)
        if tree.draft.known != NULL:
            memcpy(tree.anchor, tree.draft.known.anchor, self.oid_size)
        return 0

    cdef void let_go(self, Tree *first) noexcept nogil:
        """Let drafts be trees like others, and free those that are not in the cache."""
        cdef Tree *tree = first
        self.lock()  # whoever peeks must not find a tree half stripped
        while tree != NULL:
            if tree.newer != NULL and tree.draft.base != NULL:
                self.cache.note_patches(tree, tree.draft.base, &tree.draft.segments)
            self.leave(tree.draft.base)
            self.leave(tree.draft.known)
            tree = tree.draft.next
        while first != NULL:
            tree, first = first, first.draft.next
            free_draft(tree)
            self.leave(tree)
        self.unlock()

    cdef void leave(self, Tree *tree) noexcept nogil:
        """Let one of its users go."""
        if tree == NULL:
            return
        tree.users -= 1
        if tree.users:
            return
        if tree.newer != NULL:
            if tree.is_base:
                self.cache.strip(tree)
        elif not tree.dependents:
            self.cache.release(tree)

    cdef bint is_new(self, Tree *tree, Bytes base, const Tree *base_tree) except -1:
        """Set the anchor of a tree, which has its oid, and tell whether it has to be written."""
        if base == NULL:
            memcpy(tree.anchor, tree.oid, self.oid_size)
        else:
            memcpy(tree.anchor, base if base_tree == NULL else base_tree.anchor, self.oid_size)
        if self.object_map.c_find(tree.oid) < 0:
            if not self.search.c_has(tree.oid):
                return True
            self.object_map.c_insert(tree.oid, NO_PACK, 0, KIND_TREE, 0, 0)
        self.counter.duplicates += 1
        return False

    cdef int set_oid(self, Tree *tree, const Tree *base, Py_ssize_t unchanged) except -1:
        """Hash a tree, from where it is no longer the *unchanged* beginning of *base*."""
        if self.is_sha1:
            return self.hash_from(tree, base, unchanged)
        state = self.new_hash(b"tree %d\0" % tree.size)
        state.update(content_of(tree))
        oid = <bytes>state.digest()
        memcpy(tree.oid, PyBytes_AS_STRING(oid), self.oid_size)
        return 0

    cdef int hash_from(
        self, Tree *tree, const Tree *base, Py_ssize_t unchanged
    ) except -1 nogil:
        """The same by SHA-1.

        The size is part of what is hashed, so this can only be for one of the same size.
        """
        cdef size_t room
        if tree.size < MIN_STATES:
            c_hash_object(KIND_TREE, tree.data, tree.size, tree.oid)
            return 0
        room = c_state_count(tree.size) * sizeof(State)
        tree.states = <State *>PyMem_RawMalloc(room)
        if tree.states == NULL:
            with gil:
                raise MemoryError
        if base == NULL or base.states == NULL or base.size != tree.size:
            unchanged = 0
        elif unchanged:
            memcpy(tree.states, base.states, room)
        c_hash_again(KIND_TREE, tree.data, tree.size, unchanged, tree.states, tree.oid)
        return 0

    # --- into the pack ------------------------------------------------------------------------

    cdef int write(self, Tree *tree, Bytes base, Bytes delta, Py_ssize_t delta_size) except -1:
        """Append a new tree to the pack, and set its anchor."""
        cdef int64_t base_entry
        cdef bytes restart
        if self.sink.pack_limit:
            self.sink.make_room(tree.size)  # before it is known which tree may be the base
        base_entry = self.base_entry(base)
        if base_entry < 0 and base != NULL and memcmp(tree.anchor, base, self.oid_size):
            restart = self.restart(tree, &base_entry)
            if restart is not None:
                delta, delta_size = <Bytes>PyBytes_AS_STRING(restart), PyBytes_GET_SIZE(restart)
            memcpy(tree.anchor, tree.oid, self.oid_size)
        if base_entry >= 0 and delta != NULL and 2 * delta_size <= tree.size:
            return self.append(tree.oid, delta, delta_size, base_entry)
        memcpy(tree.anchor, tree.oid, self.oid_size)
        return self.append(tree.oid, tree.data, tree.size, -1)

    cdef bytes restart(self, Tree *tree, int64_t *base_entry):
        """Return the delta against the anchor, if that can be a base.

        The chain is as long as it may get: it starts again from its first tree.
        """
        base_entry[0] = self.base_entry(tree.anchor)
        if base_entry[0] < 0:
            return None
        return tree_delta(self.peeked(tree.anchor), content_of(tree), self.oid_size)

    cdef int64_t base_entry(self, Bytes base) noexcept:
        """Return the entry of a tree that may serve as delta base in the open pack, or -1."""
        cdef int64_t entry
        if base == NULL:
            return -1
        cdef int pack
        entry = self.object_map.c_find(base)
        if entry < 0:
            return -1
        pack = self.object_map.c_pack(<uint32_t>entry)
        if pack != self.pack_number and pack != NO_PACK_YET:
            return -1
        return entry if self.object_map.c_depth(<uint32_t>entry) < self.depth else -1

    cdef int append(
        self, Bytes oid, Bytes content, Py_ssize_t size, int64_t base_entry
    ) except -1:
        """Queue a full tree, or a delta against *base_entry*."""
        cdef Py_ssize_t packed_size
        cdef unsigned char *out
        cdef int depth = 0
        cdef Row *row
        cdef bytes packed
        if base_entry >= 0 and size <= MAX_STORED:
            out = self.reserve(MAX_STORED + 16)
            packed_size = c_store(content, size, out, MAX_STORED + 16)
        else:
            packed = codec.deflate(
                PyMemoryView_FromMemory(<char *>content, size, PyBUF_READ), self.level
            )
            packed_size = PyBytes_GET_SIZE(packed)
            memcpy(self.reserve(packed_size), PyBytes_AS_STRING(packed), packed_size)
        if base_entry >= 0:
            depth = self.object_map.c_depth(<uint32_t>base_entry) + 1
            self.counter.deltas += 1
        row = &self.rows[self.row_count]
        row.entry = <uint32_t>self.object_map.c_insert(
            oid, NO_PACK_YET, self.next_row, KIND_TREE, depth, 0
        )
        row.base_entry, row.size = base_entry, size
        row.start, row.packed_size = self.payload_size, packed_size
        self.row_count += 1
        self.next_row += 1
        self.payload_size += packed_size
        self.counter.stored += 1
        if not self.by_turns or self.sink.pack_limit:
            self.write_rows(self.next_row)
        return 0

    cdef unsigned char *reserve(self, Py_ssize_t size) except NULL:
        """Return room for a row's payload, and see to it that there is a row."""
        cdef Py_ssize_t room
        if self.row_count == self.row_room:
            room = max(64, 2 * self.row_room)
            self.rows = <Row *>resized(self.rows, room * sizeof(Row))
            self.row_room = room
        if self.payload_size + size > self.payload_room:
            room = max(self.payload_size + size, 2 * self.payload_room)
            self.payloads = <unsigned char *>resized(self.payloads, room)
            self.payload_room = room
        return self.payloads + self.payload_size

    def write_all(self):
        """Write the queued trees to the pack."""
        self.write_rows(self.next_row)

    cdef int write_rows(self, int64_t end) except -1:
        cdef int64_t offset, base_offset
        cdef Row *row
        while self.row_count - self.rows_written > self.next_row - end:
            row = &self.rows[self.rows_written]
            base_offset = -1
            if row.base_entry >= 0:
                base_offset = self.object_map.c_offset(<uint32_t>row.base_entry)
            offset = self.entries.c_append(
                KIND_TREE, row.size, self.payloads + row.start, row.packed_size, base_offset, -1
            )
            self.object_map.c_set_place(
                row.entry, self.pack_number, offset, KIND_TREE,
                self.object_map.c_depth(row.entry), self.entries.last_crc,
            )
            self.rows_written += 1
        self.drop_written()
        return 0

    cdef void drop_written(self) noexcept:
        """Let the rows that wait, and their payloads, move up."""
        cdef Py_ssize_t index, start = self.payload_size
        self.row_count -= self.rows_written
        memmove(self.rows, self.rows + self.rows_written, self.row_count * sizeof(Row))
        self.rows_written = 0
        if self.row_count:
            start = self.rows[0].start
        self.payload_size -= start
        memmove(self.payloads, self.payloads + start, self.payload_size)
        for index in range(self.row_count):
            self.rows[index].start -= start

    def queued(self, uint32_t entry):
        """Return the content of a tree that is not written yet."""
        cdef Row *row = &self.rows[
            self.row_count - (self.next_row - <int64_t>self.object_map.c_offset(entry))
        ]
        cdef Bytes payload = self.payloads + row.start
        content = zlib.decompress(payload[:row.packed_size])
        if row.base_entry < 0:
            return content
        base = self.peeked(self.object_map.c_oid(<uint32_t>row.base_entry))
        return apply_delta(base, content, max_size=1 << 32)
