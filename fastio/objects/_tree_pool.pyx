# cython: language_level=3
"""A cache of trees whose memory is used again.

Each tree that is read or made drives out another one of its size or so. What memory the last one
leaves is still near the processor, and asking for large pieces of it and giving them back costs
more than comparing what is in them.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from fastio.objects._tree_cache cimport Bytes, Tree, TreeCache, free_tree


cdef extern from *:
    """
    #define fastio_msb64(x) (63 - __builtin_clzll(x))
    """
    int fastio_msb64(uint64_t x) noexcept nogil


cdef inline int class_of(Py_ssize_t room) noexcept nogil:
    """The smallest class with so much room; CLASSES or more if there is none."""
    cdef int octave
    if room <= <Py_ssize_t>1 << LEAST_BITS:
        return 0
    octave = fastio_msb64(room - 1)  # from 1 << octave to twice that there are STEPS classes
    return (octave - LEAST_BITS) * STEPS + <int>((room - 1) >> (octave - STEP_BITS)) - STEPS + 1


cdef inline Py_ssize_t room_of(int number) noexcept nogil:
    """The room that a class has."""
    return <Py_ssize_t>(STEPS + number % STEPS) << (LEAST_BITS - STEP_BITS + number // STEPS)


cdef class TreePool(TreeCache):
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

    cdef Tree *take(self, Py_ssize_t room) except NULL nogil:
        cdef int number = class_of(room)
        cdef Tree *tree = NULL
        cdef Tree fresh
        memset(&fresh, 0, sizeof(Tree))
        if number < CLASSES:
            tree = self.spares[number]
            room = room_of(number)
        if tree != NULL:
            self.spares[number] = tree.next
            self.spare -= tree.room
            self.counts[number] -= 1
            fresh.data, fresh.stops, fresh.stop_room = tree.data, tree.stops, tree.stop_room
        else:
            tree = <Tree *>PyMem_RawMalloc(sizeof(Tree))
            fresh.data = <Bytes>PyMem_RawMalloc(room)
            if tree == NULL or fresh.data == NULL:
                PyMem_RawFree(tree)
                PyMem_RawFree(<void *>fresh.data)
                with gil:
                    raise MemoryError
        fresh.room = room
        tree[0] = fresh
        return tree

    cdef Tree *copy(self, Bytes data, Py_ssize_t size) except NULL nogil:
        cdef Tree *tree = self.take(size)
        memcpy(<void *>tree.data, data, size)
        tree.size = size
        return tree

    cdef void release(self, Tree *tree) noexcept nogil:
        cdef int number = class_of(tree.room)
        cdef int64_t most = max(self.limit // SPARE_PART, <int64_t>LEAST_SPARE)
        if number >= CLASSES:
            free_tree(tree)
            return
        PyMem_RawFree(tree.states)
        tree.states = NULL
        tree.next = self.spares[number]
        self.spares[number] = tree
        self.counts[number] += 1
        self.spare += tree.room
        while self.spare > most:
            self.free_spare()

    cdef void free_spare(self) noexcept nogil:
        """Free one of those that take the most memory: they are no longer wanted so much."""
        cdef int number, most = 0
        cdef Tree *tree
        for number in range(CLASSES):
            if self.counts[number] * room_of(number) > self.counts[most] * room_of(most):
                most = number
        tree = self.spares[most]
        self.spares[most] = tree.next
        self.counts[most] -= 1
        self.spare -= tree.room
        free_tree(tree)
