from libc.stdint cimport int64_t

from fastio.objects._path_edits cimport Trees
from fastio.objects._tree_cache cimport Tree
from fastio.objects._trees cimport Bytes
from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport ObjectMap
from fastio.store._pack_search cimport PackSearch


cdef class Counters:
    cdef public int64_t stored
    cdef public int64_t duplicates
    cdef public int64_t deltas


cdef class TreeStore(Trees):
    cdef ObjectMap object_map
    cdef EntryWriter entries
    cdef int pack_number
    cdef object sink
    cdef Counters counter
    cdef object new_hash
    cdef PackSearch search
    cdef bytes empty_oid
    cdef bint is_sha1
    cdef public int depth
    cdef public int level

    cdef int set_oid(self, Tree *tree, const Tree *base, Py_ssize_t unchanged) except -1
    cdef bint is_new(
        self, Tree *tree, Bytes base, const Tree *base_tree, Py_ssize_t unchanged
    ) except -1
    cdef int write(
        self, Tree *tree, Bytes base, Bytes delta, Py_ssize_t delta_size
    ) except -1
    cdef bytes restart(self, Tree *tree, int64_t *base_entry)
    cdef int64_t base_entry(self, Bytes base) noexcept
    cdef int append(
        self, Bytes oid, Bytes content, Py_ssize_t size, int64_t base_entry
    ) except -1
