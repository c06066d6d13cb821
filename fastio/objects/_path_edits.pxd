from fastio.objects._tree_cache cimport Tree
from fastio.objects._tree_pool cimport TreePool
from fastio.objects._trees cimport Bytes, Segment, Segments


cdef struct Edit:
    Bytes path
    Py_ssize_t size
    Py_ssize_t order  # of two edits at one path the later one counts
    unsigned int mode  # 0: nothing may stand at the path
    unsigned char oid[32]


cdef class Trees:
    cdef readonly Py_ssize_t oid_size
    cdef TreePool cache
    cpdef bytes load(self, bytes oid)
    cpdef bytes store(self, bytes tree, bytes base, bytes delta)
    # The tree of that oid, which must be in order: ObjectError.
    cdef Tree *open(self, Bytes oid) except NULL
    # Store and own a tree, which *segments* make of *old* (of size 0: there was none). Gives its
    # oid, or the name of a draft. May take the segments.
    cdef int put(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1


# How many of the old tree's first bytes are the first ones of what *segments* make of it.
cdef inline Py_ssize_t unchanged_size(const Segments *segments) noexcept nogil:
    cdef const Segment *first = segments.items
    return first.size if segments.count and first.base_offset == 0 else 0


# Sort the edits; gives how many are left, or -1 where their order matters.
cdef Py_ssize_t prepare(Edit *edits, Py_ssize_t count) noexcept nogil
# Apply prepared edits to the tree *root* (None: there is none), which is *emptied* first if a
# deleteall comes before them; it serves as delta base then. Gives the new oid, or None for an empty
# tree. Raises ObjectError for trees that the editor has to deal with.
cdef bytes edit_root(Trees trees, bytes root, bint emptied, Edit *edits, Py_ssize_t count)
