from libc.stdint cimport int64_t, uint64_t

from fastio.importer._blob_entries cimport BlobEntries
from fastio.importer._blob_tables cimport Blob, BlobMap, BlobRing, LiveBlobs
from fastio.store._marks cimport MarkTable
from fastio.store._objmap cimport ObjectMap
from workers._arena cimport Arena
from workers._tasks cimport Result


cdef class BlobQueue:
    cdef Arena arena
    cdef ObjectMap object_map
    cdef MarkTable marks
    cdef readonly BlobEntries entries
    cdef object encoder
    cdef object wait
    cdef BlobRing held
    cdef object batches
    cdef list batch
    cdef list ready_batch
    cdef int64_t ready_room
    cdef bytes results
    cdef Py_ssize_t ready_index
    cdef int64_t batch_bytes
    cdef int64_t batch_room
    cdef bint is_sending
    cdef int64_t task_limit
    cdef int64_t byte_limit
    cdef int64_t full_bytes
    cdef int64_t hold_bytes_limit
    cdef Py_ssize_t hold_count_limit
    cdef int depth_limit
    cdef int generation
    cdef public object assign_pathless
    cdef readonly BlobMap pending
    cdef readonly LiveBlobs live
    cdef BlobMap in_pack
    cdef readonly int64_t held_bytes
    cdef readonly int64_t held_count
    cdef readonly int64_t in_flight
    cdef readonly int64_t submitted
    cdef int64_t sent
    cdef readonly int64_t accepted
    cdef readonly int64_t compactions
    cdef int64_t last_offset

    cdef int admit(
        self, const unsigned char *data, int64_t size, const uint64_t *rows, int64_t count
    ) except -1
    cdef Blob _new(self, uint64_t mark, int64_t size, int64_t stream_offset)
    cdef Blob _at(self, int64_t raw_offset, uint64_t mark, int64_t size, int64_t stream_offset)
    cdef int64_t _allocate(self, int64_t size) except -1
    cdef int _hold(self, Blob blob) except -1
    cpdef forget_mark(self, uint64_t mark)
    cpdef submit_pathless(self, Blob blob)
    cpdef submit(self, Blob blob, Blob base)
    cpdef flush(self)
    cdef void _begin_small(self) noexcept
    cdef bytes _take_batch(self)
    cdef bytes _tasks(self, list blobs, int64_t room)
    cdef int _accept(self, Blob blob, const Result *result) except -1
    cdef int _release(self, Blob blob) except -1
    cpdef pin(self, Blob blob)
    cpdef unpin(self, Blob blob)
    cdef int64_t _unpacked(self, Blob blob) except -1
