from libc.stdint cimport int64_t, uint64_t

from fastio.importer._blobs cimport Blob, BlobQueue


cdef class DeltaBases:
    cdef BlobQueue queue
    cdef int64_t limit
    cdef int depth
    cdef object paths
    cdef dict by_mark
    cdef readonly int64_t kept_bytes

    cpdef assign(self, bytes path, Blob blob)
    cpdef reuse(self, bytes path, uint64_t mark)
    cdef int remember(self, bytes path, Blob newest, Blob anchor) except -1
    cdef int forget(self, bytes path) except -1
    cdef int keep(self, Blob blob) except -1
    cdef int drop(self, Blob blob) except -1
