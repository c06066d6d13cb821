from libc.stdint cimport int64_t, uint32_t

from fastio.importer._exchange cimport Exchange
from fastio.objects._path_edits cimport Trees
from fastio.objects._tree_cache cimport Tree
from fastio.objects._trees cimport Bytes, Segments
from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport ObjectMap
from fastio.store._pack_search cimport PackSearch


cdef enum:
    TREE_TURNS = 8  # turns that fill the cache of trees


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
    cdef Exchange *exchange  # with whom has the cache; NULL: nobody else
    cdef Tree *first_draft  # NULL: there are none
    cdef Tree *last_draft
    cdef Tree *unhashed  # the first one whose oid is not known
    cdef Py_ssize_t unhashed_count
    cdef bint by_turns  # trees are written when a turn ends
    cdef bint defers  # what is put becomes a draft
    cdef int64_t made_bytes  # of the trees that were made in this turn
    cdef Row *rows
    cdef Py_ssize_t row_count
    cdef Py_ssize_t row_room
    cdef Py_ssize_t rows_written
    cdef int64_t next_row  # the number of the next one of all
    cdef unsigned char *payloads
    cdef Py_ssize_t payload_size
    cdef Py_ssize_t payload_room

    cdef bytes read(self, bytes oid)
    cdef Tree *fetch_here(self, Bytes oid) except NULL
    cdef bytes peeked(self, Bytes oid)
    # Keep the other thread from adding and dropping trees.
    cdef void lock(self) noexcept nogil
    cdef void unlock(self) noexcept nogil
    cdef int enter(self, Tree *tree, const Tree *base, Segments *segments) except -1
    # Let trees make room that were not used for some turns.
    cdef void end_turn(self) noexcept nogil
    # Whether so much was made that it is to end before the next commit.
    cdef bint turn_is_full(self) noexcept nogil
    cdef int defer(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1 nogil
    cdef int name_drafts(self) except -1 nogil
    cdef int keep(self, Tree *tree) except -1 nogil
    cdef Tree *take_drafts(self) noexcept nogil
    cdef void forget_drafts(self, Tree *last) noexcept nogil
    cdef int take_in(self, Tree *tree) except -1
    cdef void let_go(self, Tree *first) noexcept nogil
    cdef void leave(self, Tree *tree) noexcept nogil
    cdef unsigned char *reserve(self, Py_ssize_t size) except NULL
    # Write the queued trees to the pack, up to the one with that number.
    cdef int write_rows(self, int64_t end) except -1
    cdef void drop_written(self) noexcept
    cdef int set_oid(self, Tree *tree, const Tree *base, Py_ssize_t unchanged) except -1
    cdef int hash_from(
        self, Tree *tree, const Tree *base, Py_ssize_t unchanged
    ) except -1 nogil
    cdef bint is_new(self, Tree *tree, Bytes base, const Tree *base_tree) except -1
    cdef int write(
        self, Tree *tree, Bytes base, Bytes delta, Py_ssize_t delta_size
    ) except -1
    cdef bytes restart(self, Tree *tree, int64_t *base_entry)
    cdef int64_t base_entry(self, Bytes base) noexcept
    cdef int append(
        self, Bytes oid, Bytes content, Py_ssize_t size, int64_t base_entry
    ) except -1
