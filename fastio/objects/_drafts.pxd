from fastio.objects._tree_cache cimport Draft, Tree
from fastio.objects._trees cimport Bytes, Segments

cdef enum:
    OID_SIZE = 20

# Make *tree* the draft of what *segments* make of *old* (of size 0: of nothing).
cdef int begin_draft(Tree *tree, Tree *old, const Segments *segments) except -1 nogil
cdef void free_draft(Tree *tree) noexcept nogil
# Write the name that stands for a draft's oid until that is known.
cdef void put_name(const Tree *draft, unsigned char *oid) noexcept nogil
# The draft that an oid stands for; NULL: it is an oid.
cdef Tree *named_draft(Bytes oid) noexcept nogil
# Read the oid at a place in a tree, or the name of the draft that belongs there.
cdef void read_oid(
    const Tree *tree, Py_ssize_t at, Py_ssize_t size, unsigned char *oid
) noexcept nogil
# Put the oids of a tree's drafts, which they have by now, where they belong.
cdef void fill_holes(Tree *tree) noexcept nogil
# Hash the drafts from *first* on, which are so many.
cdef int hash_drafts(Tree *first, Py_ssize_t count) noexcept nogil
