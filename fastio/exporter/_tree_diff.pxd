cimport cython
from libc.stdint cimport int64_t, uint32_t

from fastio.exporter._changes cimport ChangeTable
from fastio.exporter._path_filter cimport PathFilter
from fastio.exporter._tree_pairs cimport EntryPairs
from fastio.exporter._tree_shelf cimport TreeShelf
from fastio.objects._tree_cache cimport Tree
from fastio.objects._trees cimport Entry


cdef struct Frame:  # a directory that is being compared
    Tree *old  # the same as *new* if only unchanged files are listed
    Tree *new
    Py_ssize_t at  # the next pair, or, if one side is missing or both are the same, byte
    Py_ssize_t end
    Py_ssize_t first_pair
    int64_t path_size
    bint wanted  # whatever stands below


@cython.final
cdef class TreeDiff:
    cdef readonly ChangeTable changes
    cdef readonly bint lists_unchanged
    cdef Py_ssize_t most_depth
    cdef PathFilter paths
    cdef object hidden
    cdef TreeShelf shelf
    cdef EntryPairs pairs
    cdef Frame *frames
    cdef Py_ssize_t depth, frame_room
    cdef unsigned char *path
    cdef int64_t path_room
    cdef Py_ssize_t oid_size

    # Fill *changes* with what makes the new tree of the old one. NULL stands for the empty tree.
    cdef int c_compare(self, const unsigned char *old, const unsigned char *new) except -1

    cdef int enter(
        self, const unsigned char *old, const unsigned char *new, int64_t path_size, bint wanted
    ) except -1
    cdef int pair(self, Frame *frame) except -1
    cdef bint pair_in_order(self, Tree *old, Tree *new) except -1
    cdef void leave(self) noexcept
    cdef int take_next(self, Frame *frame) except -1
    cdef int take(self, Frame *frame, const Entry *old, const Entry *new) except -1
    cdef bint hides(
        self, int64_t base_size, const unsigned char *name, int64_t name_size
    ) except -1
    cdef int reserve_path(self, int64_t size) except -1
