"""Trees on their way into the pack, and a cache of them.

The cache has trees by oid, each with its anchor: the tree that its delta chain started from. The
ones unused for longest make room.

What a commit's trees are is known before their oids are: see `fastio.objects._drafts`. While trees
are deferred they stay drafts, until `take_in` enters them as if each had been stored at once. Nor
is a new tree written at once, as it must not show when that was: payloads wait in a queue, and are
written when a turn ends (`CommitQueue.end_turn`).
"""

from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Malloc
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from fastio.objects._drafts cimport begin_draft, fill_holes, free_draft, hash_drafts, put_name
from fastio.objects._path_edits cimport Trees, unchanged_size
from fastio.objects._tree_cache cimport OVERHEAD, Tree, content_of, new_tree
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

    def add(self, bytes oid not None, bytes content not None, bytes anchor not None):
        """Keep a tree."""
        cdef Tree *tree = new_tree(content)
        memcpy(tree.oid, PyBytes_AS_STRING(oid), self.oid_size)
        memcpy(tree.anchor, PyBytes_AS_STRING(anchor), self.oid_size)
        self.cache.add(tree)

    # --- loading and storing ------------------------------------------------------------------

    cpdef bytes load(self, bytes oid):
        """Return a tree's canonical bytes; the empty one need not exist.

        Raises:
            ObjectError: There is no such object, or it is no tree.
        """
        cdef bytes tree = self.get(oid)
        if tree is None:
            if oid == self.empty_oid:
                return b""
            kind, tree = self.sink.read(oid)
            if kind != KIND_TREE:
                name = kinds.NAMES[kind].decode()
                raise ObjectError(f"object {oid.hex()} is a {name}, not a tree")
            self.add(oid, tree, oid)
        return tree

    cpdef bytes store(self, bytes content, bytes base, bytes delta):
        """Store a tree, as *delta* against *base* where pack and depth allow it."""
        cdef Tree *tree = new_tree(content)
        cdef Bytes base_oid = NULL if base is None else <Bytes>PyBytes_AS_STRING(base)
        cdef Bytes text = NULL if delta is None else <Bytes>PyBytes_AS_STRING(delta)
        cdef Tree *base_tree = NULL if base is None else self.cache.peek(base_oid)
        try:
            self.set_oid(tree, base_tree, 0)
            if self.is_new(tree, base_oid, base_tree):
                self.write(tree, base_oid, text, 0 if delta is None else PyBytes_GET_SIZE(delta))
        except BaseException:
            self.cache.release(tree)
            raise
        return self.cache.add(tree).oid[:self.oid_size]

    cdef int put(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1:
        cdef Bytes base = old.oid if 0 < old.size <= LARGEST_BASE else NULL
        if self.defers:
            return self.defer(tree, old, segments, oid)
        try:
            self.set_oid(tree, old, unchanged_size(segments))
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

    # --- drafts -------------------------------------------------------------------------------

    cdef int defer(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1:
        try:
            begin_draft(tree, old, segments)
        except BaseException:
            self.cache.release(tree)
            raise
        if tree.draft.base != NULL:
            tree.draft.base.users += 1
        tree.users += 1
        if self.first_draft == NULL:
            self.first_draft = tree
        else:
            self.last_draft.draft.next = tree
        self.last_draft = tree
        self.draft_count += 1
        self.draft_bytes += tree.size + OVERHEAD
        put_name(tree, oid)
        return 0

    cdef int take_in(self) except -1:
        """Give all drafts their oids, and take them in in the order in which they were made."""
        cdef Tree *tree = self.first_draft
        self.hash_all()
        while tree != NULL:
            self.enter(tree, tree.draft.base, &tree.draft.segments)
            self.keep(tree)
            tree = tree.draft.next
        return 0

    cdef int hash_all(self) except -1:
        """Give each draft its oid."""
        cdef Tree *tree = self.first_draft
        if self.draft_count >= LEAST_ABREAST and c_lanes() > 1:
            if hash_drafts(tree, self.draft_count):
                raise MemoryError
            return 0
        while tree != NULL:
            fill_holes(tree)
            self.set_oid(tree, tree.draft.base, unchanged_size(&tree.draft.segments))
            tree = tree.draft.next
        return 0

    cdef int keep(self, Tree *tree) except -1:
        """Add a draft that has its oid to the cache; if its like is there, that one is kept."""
        cdef Tree *known = self.cache.find(tree.oid)
        if known == NULL:
            self.cache.add(tree)
        else:
            memcpy(tree.anchor, known.anchor, self.oid_size)
        return 0

    cdef void let_go(self) noexcept:
        """Forget that there were drafts, and free those trees that are not in the cache."""
        cdef Tree *first = self.first_draft
        cdef Tree *tree = first
        self.first_draft = NULL
        self.draft_count = self.draft_bytes = 0
        while tree != NULL:
            if tree.draft.base != NULL:
                tree.draft.base.users -= 1
            tree = tree.draft.next
        while first != NULL:
            tree, first = first, first.draft.next
            free_draft(tree)
            tree.users -= 1
            if tree.newer == NULL:
                self.cache.release(tree)

    cdef bint is_new(self, Tree *tree, Bytes base, const Tree *base_tree) except -1:
        """Set the anchor of a tree, which has its oid, and tell whether it has to be written."""
        if base == NULL:
            memcpy(tree.anchor, tree.oid, self.oid_size)
        else:
            memcpy(tree.anchor, base if base_tree == NULL else base_tree.anchor, self.oid_size)
        if self.object_map.c_find(tree.oid) < 0:
            if not self.search.c_has(tree.oid):
                self.new_bytes += tree.size
                return True
            self.object_map.c_insert(tree.oid, NO_PACK, 0, KIND_TREE, 0, 0)
        self.counter.duplicates += 1
        return False

    cdef int set_oid(self, Tree *tree, const Tree *base, Py_ssize_t unchanged) except -1:
        """Hash a tree, from where it is no longer the *unchanged* beginning of *base*.

        The size is part of what is hashed, so this can only be for one of the same size.
        """
        cdef size_t room
        if self.is_sha1 and tree.size < MIN_STATES:
            c_hash_object(KIND_TREE, tree.data, tree.size, tree.oid)
            return 0
        if self.is_sha1:
            room = c_state_count(tree.size) * sizeof(State)
            tree.states = <State *>PyMem_Malloc(room)
            if tree.states == NULL:
                raise MemoryError
            if base == NULL or base.states == NULL or base.size != tree.size:
                unchanged = 0
            elif unchanged:
                memcpy(tree.states, base.states, room)
            c_hash_again(KIND_TREE, tree.data, tree.size, unchanged, tree.states, tree.oid)
            return 0
        state = self.new_hash(b"tree %d\0" % tree.size)
        state.update(content_of(tree))
        oid = <bytes>state.digest()
        memcpy(tree.oid, PyBytes_AS_STRING(oid), self.oid_size)
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
        return tree_delta(
            self.load(tree.anchor[:self.oid_size]), content_of(tree), self.oid_size
        )

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
            oid, NO_PACK_YET, self.row_count, KIND_TREE, depth, 0
        )
        row.base_entry, row.size = base_entry, size
        row.start, row.packed_size = self.payload_size, packed_size
        self.row_count += 1
        self.payload_size += packed_size
        self.counter.stored += 1
        if not self.by_turns or self.sink.pack_limit:
            self.write_rows()
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

    cpdef write_rows(self):
        """Write the queued trees to the pack."""
        cdef int64_t offset, base_offset
        cdef Row *row
        while self.rows_written < self.row_count:
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
        self.row_count = self.rows_written = 0
        self.payload_size = 0

    def queued(self, uint32_t entry):
        """Return the content of a tree that is not written yet."""
        cdef Row *row = &self.rows[self.object_map.c_offset(entry)]
        cdef Bytes payload = self.payloads + row.start
        content = zlib.decompress(payload[:row.packed_size])
        if row.base_entry < 0:
            return content
        base = self.object_map.oid(row.base_entry)
        return apply_delta(self.load(base), content, max_size=1 << 32)
