from libc.stdint cimport int64_t

from fastio.objects._tree_cache cimport Tree, TreeCache

cdef enum:
    LEAST_BITS = 10
    STEP_BITS = 2
    STEPS = 1 << STEP_BITS
    CLASSES = 44  # rooms of 1 KiB to 2 MiB, with STEPS from each to its double
    SPARE_PART = 16  # of the cache's limit, which spares take beside it
    LEAST_SPARE = 1 << 20


cdef class TreePool(TreeCache):
    cdef Tree *spares[CLASSES]  # linked as in a bucket
    cdef int64_t spare

    # A tree with *room* bytes of its own or more, of which none are used yet.
    cdef Tree *take(self, Py_ssize_t room) except NULL
