"""Trees on their way into the pack, and a cache of them.

The cache has trees by oid, each with its anchor: the tree that its delta chain started from. The
ones unused for longest make room.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t

from fastio.objects._path_edits cimport Trees
from fastio.objects._trees cimport Bytes
from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport ObjectMap

from collections import OrderedDict

from fastio.errors import ObjectError
from fastio.objects._trees import tree_delta
from fastio.objects import kinds
from workers import codec

cdef enum:
    KIND_TREE = 2
    # What a tree in memory costs beside its bytes: two objects' headers, oids, slot and links.
    OVERHEAD = 300
    # The delta of a tree is mostly oids, which no codec makes smaller. On git.git, deflating those
    # of up to this many bytes made the import 8 % longer and the pack no smaller (142.6 MiB).
    MAX_STORED = 160

TREE_OVERHEAD = OVERHEAD


cdef class TreeStore(Trees):
    """Stores and loads trees for an `ObjectSink`, which owns map, pack and options.

    Args:
        sink: The sink.
        object_map: Its object map.
        counter: Counts the trees that were stored, known already, and became deltas.
        limit: Bytes of trees to keep in memory.
    """

    def __init__(self, sink, ObjectMap object_map, counter, int64_t limit):
        super().__init__(object_map.oid_size)
        self.sink, self.object_map, self.counter, self.limit = sink, object_map, counter, limit
        self.new_hash = sink.object_format.new
        self.empty_oid = sink.object_format.hash_object(KIND_TREE, b"")
        self.cached = OrderedDict()

    # --- the cache ----------------------------------------------------------------------------

    cpdef bytes get(self, bytes oid):
        """Return a tree's bytes, if they are here."""
        cdef tuple found = self.cached.get(oid)
        if found is None:
            return None
        self.cached.move_to_end(oid)
        return found[0]

    cpdef bytes anchor(self, bytes oid):
        """Return the tree that the delta chain of *oid* started from; itself when unknown."""
        cdef tuple found = self.cached.get(oid)
        return oid if found is None else found[1]

    cpdef add(self, bytes oid, bytes tree, bytes anchor):
        """Keep a tree."""
        cdef tuple dropped
        if oid in self.cached:
            return
        self.cached[oid] = (tree, anchor)
        self.size += PyBytes_GET_SIZE(tree) + OVERHEAD
        while self.size > self.limit and len(self.cached) > 1:
            dropped = self.cached.popitem(last=False)[1]
            self.size -= PyBytes_GET_SIZE(dropped[0]) + OVERHEAD

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

    cpdef bytes store(self, bytes tree, bytes base, bytes delta):
        """Store a tree, as *delta* against *base* where pack and depth allow it."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(tree)
        cdef int64_t base_entry
        cdef bytes oid, anchor = None
        state = self.new_hash(b"tree %d\0" % size)
        state.update(tree)
        oid = state.digest()
        if base is not None:
            anchor = self.anchor(base)
        if not self.is_known(oid):
            self.sink.make_room(size)  # before it is known which tree may be the base
            base_entry = self.base_entry(base)
            if base_entry < 0 and anchor is not None and anchor != base:
                # The chain is as long as it may get: start again from its first tree.
                base_entry = self.base_entry(anchor)
                if base_entry >= 0:
                    delta = tree_delta(self.load(anchor), tree, self.oid_size)
                anchor = oid
            if base_entry < 0 or delta is None or 2 * PyBytes_GET_SIZE(delta) > size:
                self.append(oid, tree, -1, False)
                anchor = oid
            else:
                self.append(oid, delta, base_entry, PyBytes_GET_SIZE(delta) <= MAX_STORED)
        self.add(oid, tree, anchor or oid)
        return oid

    cdef bint is_known(self, bytes oid) except -1:
        if self.object_map.c_find(<Bytes>PyBytes_AS_STRING(oid)) >= 0:
            self.counter.duplicates += 1
            return True
        return self.sink.known(oid, KIND_TREE) >= 0

    cdef int64_t base_entry(self, bytes base) except -2:
        """Return the entry of a tree that may serve as delta base in the open pack, or -1."""
        cdef int64_t entry
        if base is None:
            return -1
        entry = self.object_map.c_find(<Bytes>PyBytes_AS_STRING(base))
        if entry < 0 or self.object_map.c_pack(<uint32_t>entry) != self.sink.pack_number:
            return -1
        return entry if self.object_map.c_depth(<uint32_t>entry) < self.sink.depth else -1

    cdef int append(self, bytes oid, bytes content, int64_t base_entry, bint stored) except -1:
        """Append a full tree, or a delta against *base_entry*."""
        cdef EntryWriter entries = self.sink.pack.entries
        cdef bytes payload
        cdef int depth = 0
        cdef int64_t offset, base_offset = -1
        payload = codec.store(content) if stored else codec.deflate(content, self.sink.level)
        if base_entry >= 0:
            base_offset = self.object_map.c_offset(<uint32_t>base_entry)
            depth = self.object_map.c_depth(<uint32_t>base_entry) + 1
            self.counter.deltas += 1
        offset = entries.c_append(
            KIND_TREE, PyBytes_GET_SIZE(content), <Bytes>PyBytes_AS_STRING(payload),
            PyBytes_GET_SIZE(payload), base_offset, -1,
        )
        self.object_map.c_insert(
            <Bytes>PyBytes_AS_STRING(oid), self.sink.pack_number, offset, KIND_TREE, depth,
            entries.last_crc,
        )
        self.counter.stored += 1
        return 0
