from libc.stdint cimport int64_t

from fastio.objects._path_edits cimport Trees
from fastio.store._objmap cimport ObjectMap


cdef class TreeStore(Trees):
    cdef ObjectMap object_map
    cdef object sink
    cdef object counter
    cdef object new_hash
    cdef object cached
    cdef bytes empty_oid
    cdef int64_t limit
    cdef int64_t size

    cpdef bytes load(self, bytes oid)
    cpdef bytes store(self, bytes tree, bytes base, bytes delta)
    cpdef bytes get(self, bytes oid)
    cpdef bytes anchor(self, bytes oid)
    cpdef add(self, bytes oid, bytes tree, bytes anchor)
    cdef bint is_known(self, bytes oid) except -1
    cdef int64_t base_entry(self, bytes base) except -2
    cdef int append(self, bytes oid, bytes content, int64_t base_entry, bint stored) except -1
