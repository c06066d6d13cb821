# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Encoded blobs become entries: each is looked up, and written to the pack only when new.

Bases are chosen long before, as if nothing were known and all went into one pack. So a delta may
come whose base turned out to be a duplicate, or lies in a pack that has been closed since: such a
blob is encoded once more, whole.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastio.importer._blob_tables cimport Blob
from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport NO_PACK, ObjectMap
from fastio.store._pack_search cimport PackSearch
from workers._arena cimport Arena
from workers._tasks cimport DELTA, Result, Task, c_deflate_bound

cdef enum:
    KIND_BLOB = 3


cdef class BlobEntries:
    """Enters blobs for a `BlobQueue`.

    Args:
        arena: Where their payloads lie.
        object_map: Gets those that are new.
        search: Looks for others in the repository's packs; None where there are none.
        encoder: Encodes blobs once more.
        depth_limit: Longest delta chain.

    Attributes:
        stored: How many were new.
        duplicates: How many were not.
        deltas: How many of the new ones are deltas.
        redone: How many were encoded once more.
    """

    def __init__(self, Arena arena, ObjectMap object_map, PackSearch search, encoder, *,
                 int depth_limit):
        self.arena, self.object_map, self.search = arena, object_map, search
        self.encoder, self.depth_limit = encoder, depth_limit

    def continue_in(self, EntryWriter writer, int pack_number):
        """Go on in another pack, whatever is in flight.

        Bases are chosen as if it were the old one, for that depends on the stream alone; a delta
        whose base stayed behind is stored whole.
        """
        self.writer, self.pack_number = writer, pack_number

    def limit_packs(self, uint64_t pack_limit, turn_pack):
        """Call *turn_pack*, which must call :meth:`continue_in`, before a pack passes the limit.

        The limit leaves out what an entry needs beside its payload; 0 means that there is none.
        """
        self.pack_limit, self.turn_pack = pack_limit, turn_pack

    cdef int64_t enter(self, Blob blob, const Result *result) except -1:
        cdef int64_t entry = self.object_map.c_find(result.oid)
        if entry < 0 and self.search is not None and self.search.c_has(result.oid):
            entry = self.object_map.c_insert(result.oid, NO_PACK, 0, KIND_BLOB, 0, 0)
        if entry < 0:
            self.stored += 1
            return self.store(blob, result)
        self.duplicates += 1
        return entry

    cdef int64_t store(self, Blob blob, const Result *result) except -1:
        cdef int64_t base_offset = -1, offset
        cdef int depth = self.depth_on_base(blob) if result.form == DELTA else 0
        cdef bytes again
        if depth < 0:
            again = self.encode_full(blob)
            result = <const Result *>PyBytes_AS_STRING(again)
            depth = 0
        if (self.pack_limit and self.writer.count
                and self.writer.c_offset() + result.packed_size > self.pack_limit):
            self.turn_pack()
            if depth:
                again = self.encode_full(blob)
                result = <const Result *>PyBytes_AS_STRING(again)
                depth = 0
        if depth:
            base_offset = self.object_map.c_offset(<uint32_t>blob.base.entry)
            self.deltas += 1
        offset = self.writer.c_append(
            KIND_BLOB, result.inflated_size, self.arena.base + blob.out_offset,
            result.packed_size, base_offset, result.crc,
        )
        return self.object_map.c_insert(
            result.oid, self.pack_number, offset, KIND_BLOB, depth, self.writer.last_crc
        )

    cdef int depth_on_base(self, Blob blob) noexcept:
        """Chain depth of a delta; -1 if its base was dropped, lies in another pack, or too deep."""
        cdef int64_t base_entry = blob.base.entry
        cdef int depth
        if base_entry < 0 or self.object_map.c_pack(<uint32_t>base_entry) != self.pack_number:
            return -1
        depth = self.object_map.c_depth(<uint32_t>base_entry) + 1
        return depth if depth <= self.depth_limit else -1

    cdef bytes encode_full(self, Blob blob):
        self.redone += 1
        cdef Task task = task_for(blob, None)
        return self.encoder.encode_here(
            PyBytes_FromStringAndSize(<const char *>&task, sizeof(Task))
        )


cdef Task task_for(Blob blob, Blob base) noexcept:
    cdef Task task
    task.raw_offset, task.raw_size = blob.raw_offset, blob.size
    task.base_offset, task.base_size, task.max_delta = -1, 0, 0
    if base is not None:
        task.base_offset, task.base_size = base.raw_offset, base.size
        task.max_delta = blob.size // 2
    task.out_offset, task.out_capacity = blob.out_offset, c_deflate_bound(blob.size)
    task.kind, task.flags = KIND_BLOB, 0
    return task
