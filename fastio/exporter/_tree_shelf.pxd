from fastio.objects._tree_cache cimport Tree, TreeCache

cdef enum:
    LEAST_BITS = 10
    CLASSES = 12  # rooms of 1 KiB to 2 MiB, each twice the one before
    SPARES = 16  # of each that are kept


cdef class TreeShelf(TreeCache):
    cdef Tree *spares[CLASSES]  # linked as in a bucket
    cdef int counts[CLASSES]

    # A tree with *room* bytes of its own or more, of which none are used yet.
    cdef Tree *take(self, Py_ssize_t room) except NULL
