from libc.stdint cimport int64_t, uint32_t

from fastio.objects._path_edits cimport Trees
from fastio.objects._tree_cache cimport Tree
from fastio.objects._trees cimport Bytes, Segments
from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport ObjectMap
from fastio.store._pack_search cimport PackSearch


cdef class Counters:
    cdef public int64_t stored
    cdef public int64_t duplicates
    cdef public int64_t deltas


cdef struct Row:  # a tree that waits to be written
    int64_t base_entry  # -1: it is stored in full
    int64_t size
    Py_ssize_t start  # of its payload
    Py_ssize_t packed_size
    uint32_t entry


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
    cdef Tree *first_draft  # NULL: there are none
    cdef Tree *last_draft
    cdef Py_ssize_t draft_count
    cdef bint by_turns  # trees are written when a turn ends
    cdef bint defers  # what is put stays a draft until `take_in` and `let_go`
    cdef int64_t draft_bytes
    cdef int64_t new_bytes  # of the trees that were new in this turn
    cdef Row *rows
    cdef Py_ssize_t row_count
    cdef Py_ssize_t row_room
    cdef Py_ssize_t rows_written
    cdef unsigned char *payloads
    cdef Py_ssize_t payload_size
    cdef Py_ssize_t payload_room

    cdef int enter(self, Tree *tree, const Tree *base, Segments *segments) except -1
    cdef int defer(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1
    cdef int take_in(self) except -1
    cdef int keep(self, Tree *tree) except -1
    cdef void let_go(self) noexcept
    cdef int hash_all(self) except -1
    cdef unsigned char *reserve(self, Py_ssize_t size) except NULL
    cpdef write_rows(self)
    cdef int set_oid(self, Tree *tree, const Tree *base, Py_ssize_t unchanged) except -1
    cdef bint is_new(self, Tree *tree, Bytes base, const Tree *base_tree) except -1
    cdef int write(
        self, Tree *tree, Bytes base, Bytes delta, Py_ssize_t delta_size
    ) except -1
    cdef bytes restart(self, Tree *tree, int64_t *base_entry)
    cdef int64_t base_entry(self, Bytes base) noexcept
    cdef int append(
        self, Bytes oid, Bytes content, Py_ssize_t size, int64_t base_entry
    ) except -1
