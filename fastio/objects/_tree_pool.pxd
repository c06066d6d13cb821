from libc.stdint cimport int64_t

from fastio.objects._tree_cache cimport Tree, TreeCache
from fastio.objects._trees cimport Bytes, Segments

cdef enum:
    LEAST_BITS = 5
    STEP_BITS = 2
    STEPS = 1 << STEP_BITS
    CLASSES = 64  # rooms of 32 bytes to 2 MiB, with STEPS from each to its double
    SPARE_PART = 16  # of the cache's limit, which spares take beside it
    LEAST_SPARE = 1 << 20
    LEAST_PATCHED = 512  # bytes of a tree that is worth it
    MOST_PATCHES = 24


cdef class TreePool(TreeCache):
    cdef Tree *spares[CLASSES]  # linked as in a bucket
    cdef Py_ssize_t counts[CLASSES]
    cdef int64_t spare  # bytes of them
    cdef Tree *bare  # memory of trees and nothing else

    cdef void free_spare(self) noexcept nogil
    # Note how *tree*, which *segments* made of *base*, differs from the base's ground, or from the
    # base, if that is little and of the same size.
    cdef void note_patches(self, Tree *tree, Tree *base, const Segments *segments) noexcept nogil
    # Take the bytes of a tree that has patches and no users, and give it some again.
    cdef void strip(self, Tree *tree) noexcept nogil
    cdef int fill(self, Tree *tree) except -1 nogil
    cdef void keep_spare(self, Tree *tree) noexcept nogil
    # A tree with *room* bytes of its own or more, of which none are used yet.
    cdef Tree *take(self, Py_ssize_t room) except NULL nogil
    # The same with these bytes in it.
    cdef Tree *copy(self, Bytes data, Py_ssize_t size) except NULL nogil
