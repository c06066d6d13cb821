"""Trees on their way into the pack, and a cache of them.

The cache has trees by oid, each with its anchor: the tree that its delta chain started from. The
ones unused for longest make room.
"""

from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Malloc
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from fastio.objects._path_edits cimport Trees, unchanged_size
from fastio.objects._tree_cache cimport Tree, free_tree, new_tree
from fastio.objects._trees cimport LARGEST_BASE, Bytes, Segments, put_delta
from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport NO_PACK, ObjectMap
from workers._codec cimport c_store
from workers._sha1 cimport STATE_STEP, State, c_hash_again, c_hash_object, c_state_count

from fastio.errors import ObjectError
from fastio.objects._trees import tree_delta
from fastio.objects import kinds
from fastio.objects.trees import empty_tree_oid
from workers import codec

cdef enum:
    KIND_TREE = 2
    # The delta of a tree is mostly oids, which no codec makes smaller: on git.git, the deltas of
    # 160 to 1000 bytes have 3.37 MB, and 3.42 MB once they are deflated, for 30 us each.
    MAX_STORED = 1000
    # Below this, hashing all of a tree again takes no longer than keeping states of it.
    MIN_STATES = 2 * STATE_STEP


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

    def set_pack(self, EntryWriter entries, int pack_number):
        """Direct trees into a new pack."""
        self.entries, self.pack_number = entries, pack_number

    # --- the cache ----------------------------------------------------------------------------

    def get(self, bytes oid not None):
        """Return a tree's bytes, if they are here."""
        cdef Tree *tree = self.cache.find(<Bytes>PyBytes_AS_STRING(oid))
        return None if tree == NULL else <bytes>tree.content

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
            if self.is_new(tree, base_oid, base_tree, 0):
                self.write(tree, base_oid, text, 0 if delta is None else PyBytes_GET_SIZE(delta))
        except BaseException:
            free_tree(tree)
            raise
        return self.cache.add(tree).oid[:self.oid_size]

    cdef int put(
        self, Tree *tree, const Tree *old, Segments *segments, unsigned char *oid
    ) except -1:
        cdef Bytes base = old.oid if 0 < old.size <= LARGEST_BASE else NULL
        cdef unsigned char *delta = NULL
        cdef Py_ssize_t delta_size = 0
        try:
            if self.is_new(tree, base, old, unchanged_size(segments)):
                if base != NULL:
                    delta_size = put_delta(segments, old.size, tree.data, tree.size, &delta)
                self.write(tree, base, delta, delta_size)
        except BaseException:
            free_tree(tree)
            raise
        finally:
            free(delta)
        tree = self.cache.add(tree)
        memcpy(oid, tree.oid, self.oid_size)
        return 0

    cdef bint is_new(
        self, Tree *tree, Bytes base, const Tree *base_tree, Py_ssize_t unchanged
    ) except -1:
        """Set a tree's oid and its anchor, and tell whether it has to be written."""
        self.set_oid(tree, base_tree, unchanged)
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
        state.update(<bytes>tree.content)
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
            self.load(tree.anchor[:self.oid_size]), <bytes>tree.content, self.oid_size
        )

    cdef int64_t base_entry(self, Bytes base) noexcept:
        """Return the entry of a tree that may serve as delta base in the open pack, or -1."""
        cdef int64_t entry
        if base == NULL:
            return -1
        entry = self.object_map.c_find(base)
        if entry < 0 or self.object_map.c_pack(<uint32_t>entry) != self.pack_number:
            return -1
        return entry if self.object_map.c_depth(<uint32_t>entry) < self.depth else -1

    cdef int append(
        self, Bytes oid, Bytes content, Py_ssize_t size, int64_t base_entry
    ) except -1:
        """Append a full tree, or a delta against *base_entry*."""
        cdef unsigned char stored[MAX_STORED + 16]
        cdef Bytes payload = stored
        cdef Py_ssize_t packed_size
        cdef int depth = 0
        cdef int64_t offset, base_offset = -1
        if base_entry >= 0 and size <= MAX_STORED:
            packed_size = c_store(content, size, stored, sizeof(stored))
        else:
            packed = <bytes>codec.deflate(
                PyMemoryView_FromMemory(<char *>content, size, PyBUF_READ), self.level
            )
            payload, packed_size = <Bytes>PyBytes_AS_STRING(packed), PyBytes_GET_SIZE(packed)
        if base_entry >= 0:
            base_offset = self.object_map.c_offset(<uint32_t>base_entry)
            depth = self.object_map.c_depth(<uint32_t>base_entry) + 1
            self.counter.deltas += 1
        offset = self.entries.c_append(KIND_TREE, size, payload, packed_size, base_offset, -1)
        self.object_map.c_insert(
            oid, self.pack_number, offset, KIND_TREE, depth, self.entries.last_crc
        )
        self.counter.stored += 1
        return 0
