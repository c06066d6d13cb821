from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from fastio.importer._blob_tables cimport Blob, BlobMap
from fastio.importer._blobs cimport BlobQueue
from fastio.importer._families cimport Families
from fastio.importer._path_table cimport PathEntry, PathTable

ctypedef const unsigned char *Bytes


cdef class DeltaBases:
    cdef BlobQueue queue
    cdef int64_t limit
    cdef int depth
    cdef PathTable paths
    cdef Families families
    cdef BlobMap by_mark
    cdef readonly int64_t kept_bytes
    cdef readonly int64_t packed_bytes

    cdef PathEntry *find(self, bytes path)
    cdef int c_assign(self, Bytes path, int64_t size, Blob blob) except -1
    cdef int c_reuse(self, Bytes path, int64_t size, uint64_t mark) except -1
    cdef Blob choose(self, PathEntry *known, int64_t size)
    cdef PathEntry *add(self, Bytes path, int64_t size) except NULL
    cdef int remember(
        self, Bytes path, int64_t size, PathEntry *known, Blob newest, Blob anchor
    ) except -1
    cdef int add_version(self, PathEntry *entry, Blob newest) except -1
    cdef int set_anchor(self, PathEntry *entry, Blob anchor) except -1
    cdef int fit(self) except -1
    cdef int pack(self, PathEntry *entry) except -1
    cdef int unpack(self, Blob blob) except -1
    cdef int strip(self, PathEntry *entry) except -1
    cdef int forget(self, PathEntry *entry) except -1
    cdef PyObject *keep(self, Blob blob) except NULL
    cdef int drop(self, PyObject *place) except -1
