from libc.stdint cimport int64_t, uint64_t

from fastio.importer._blob_tables cimport Blob
from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport ObjectMap
from fastio.store._pack_search cimport PackSearch
from workers._arena cimport Arena
from workers._tasks cimport Result, Task


# What a worker is to do: encode *blob*, against *base* if there is one.
cdef Task task_for(Blob blob, Blob base) noexcept


cdef class BlobEntries:
    cdef Arena arena
    cdef ObjectMap object_map
    cdef PackSearch search
    cdef object encoder
    cdef EntryWriter writer
    cdef int pack_number
    cdef int depth_limit
    cdef uint64_t pack_limit
    cdef object turn_pack
    cdef readonly int64_t stored
    cdef readonly int64_t duplicates
    cdef readonly int64_t deltas
    cdef readonly int64_t redone

    # The entry of an encoded blob, which is written if it is new.
    cdef int64_t enter(self, Blob blob, const Result *result) except -1
    cdef int64_t store(self, Blob blob, const Result *result) except -1
    cdef int depth_on_base(self, Blob blob) noexcept
    cdef bytes encode_full(self, Blob blob)
