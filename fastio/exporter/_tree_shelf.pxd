from libc.stdint cimport int64_t

from fastio.exporter._tree_view cimport View
from fastio.objects._tree_cache cimport Tree, TreeCache
from fastio.store._object_reader cimport ObjectReader
from fastio.store._recipe_runs cimport Runs
from fastio.store._recipes cimport Recipe

cdef enum:
    LEAST_BITS = 10
    CLASSES = 12  # rooms of 1 KiB to 2 MiB, each twice the one before
    SPARES = 16  # of each that are kept


cdef struct Spare:
    Spare *next


cdef class TreeShelf(TreeCache):
    cdef ObjectReader reader
    cdef bytes empty_tree
    cdef Spare *spares[CLASSES]
    cdef int counts[CLASSES]
    cdef int64_t spare_bytes  # of all classes; no more than the limit of trees
    cdef Runs runs

    # All of these raise ObjectError for a tree that is missing, is none, or has no readable
    # entries, and PackError for a damaged pack.

    # The tree, which has one user more from now on. Its bytes and order may be unknown.
    cdef Tree *open(self, const unsigned char *oid) except NULL
    # The tree has one user less.
    cdef void close(self, Tree *tree) noexcept
    # Have all of an open tree's bytes, as they are, or else what makes them be.
    cdef int build(self, Tree *tree) except -1
    # Know its order; have its stops if it is in order, else its bytes.
    cdef int settle(self, Tree *tree) except -1
    # Begin to read two open trees side by side. Gives what their recipes have in common; NULL if
    # they tell nothing, or with *everything*: all bytes of both are there then.
    cdef const Runs *view(
        self, Tree *old, Tree *new, View *left, View *right, bint everything
    ) except? NULL

    cdef Tree *read(self, const unsigned char *oid) except NULL
    cdef Tree *make(self, Py_ssize_t size, const Recipe *recipe) except NULL
    cdef int equip(self, Tree *tree) except -1
    cdef void strip(self, Tree *tree) noexcept nogil
    cdef const Recipe *kept(self, const Tree *tree) noexcept
    cdef const Recipe *find_recipe(self, Tree *tree) except? NULL
    cdef int check(self, Tree *tree) except -1
    cdef str hex(self, const Tree *tree)
