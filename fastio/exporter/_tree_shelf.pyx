# cython: language_level=3
"""A cache of trees whose memory is used again.

Each tree that is read drives out another one of its size or so. What memory the last one leaves is
still near the processor, and asking for large pieces of it and giving them back costs more than
comparing what is in them.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memset

from fastio.objects._tree_cache cimport Bytes, Tree, TreeCache, free_tree


cdef inline int class_of(Py_ssize_t room) noexcept nogil:
    """The smallest class with so much room; CLASSES if there is none."""
    cdef int number = 0
    while number < CLASSES and room > <Py_ssize_t>1 << (LEAST_BITS + number):
        number += 1
    return number


cdef class TreeShelf(TreeCache):
    """Trees by oid; see `TreeCache`."""

    def __dealloc__(self):
        cdef Tree *tree
        cdef int number
        while self.count:
            self.drop(self.ring.newer)
        for number in range(CLASSES):
            while self.spares[number] != NULL:
                tree = self.spares[number]
                self.spares[number] = tree.next
                free_tree(tree)

    cdef Tree *take(self, Py_ssize_t room) except NULL:
        cdef int number = class_of(room)
        cdef Tree *tree = NULL
        cdef void *data
        if number < CLASSES:
            tree = self.spares[number]
            room = <Py_ssize_t>1 << (LEAST_BITS + number)
        if tree != NULL:
            self.spares[number] = tree.next
            self.counts[number] -= 1
            data = <void *>tree.data
        else:
            tree = <Tree *>PyMem_Malloc(sizeof(Tree))
            data = PyMem_Malloc(room)
            if tree == NULL or data == NULL:
                PyMem_Free(tree)
                PyMem_Free(data)
                raise MemoryError
        memset(tree, 0, sizeof(Tree))
        tree.data, tree.room = <Bytes>data, room
        return tree

    cdef void release(self, Tree *tree) noexcept:
        cdef int number = class_of(tree.room)
        if tree.content != NULL or number == CLASSES or self.counts[number] == SPARES:
            free_tree(tree)
            return
        PyMem_Free(tree.stops)
        PyMem_Free(tree.states)
        tree.stops, tree.states = NULL, NULL
        tree.next = self.spares[number]
        self.spares[number] = tree
        self.counts[number] += 1
