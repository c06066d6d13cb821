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
    cdef Segments segments  # of the tree that is being made
    cpdef bytes load(self, bytes oid)
    cpdef bytes store(self, bytes tree, bytes base, bytes delta)
    # The tree of that oid, which must be in order: ObjectError.
    cdef Tree *open(self, Bytes oid) except NULL nogil
    # The same for one that is not in the cache, in any order: it is now.
    cdef Tree *fetch(self, Bytes oid) except NULL nogil
    cdef Tree *keep_content(self, bytes oid, bytes content) except NULL
    # Give a tree that was stripped its bytes again.
    cdef int fill(self, Tree *tree) except -1 nogil
    # Store and own a tree, which *segments* make of *old* (of size 0: there was none). Gives its
    # oid, or the name of a draft.
    cdef int put(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1 nogil
    cdef int put_now(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1


# How many of the old tree's first bytes are the first ones of what *segments* make of it.
cdef inline Py_ssize_t unchanged_size(const Segments *segments) noexcept nogil:
    cdef const Segment *first = segments.items
    return first.size if segments.count and first.base_offset == 0 else 0


# Sort the edits; gives how many are left, or -1 where their order matters.
cdef Py_ssize_t prepare(Edit *edits, Py_ssize_t count) noexcept nogil
# Apply prepared edits to the tree *root* (NULL: there is none), which is *emptied* first if a
# deleteall comes before them; it serves as delta base then. Sets the new oid and gives 1, or 0 for
# an empty tree. Raises ObjectError for trees that the editor has to deal with.
cdef int edit_root(
    Trees trees, Bytes root, bint emptied, Edit *edits, Py_ssize_t count, unsigned char *oid
) except -1 nogil
