from fastio.objects._tree_cache cimport Tree
from fastio.objects._trees cimport Segments


cdef struct EntryPair:  # where the entries begin; -1: there is none on that side
    Py_ssize_t old
    Py_ssize_t new


cdef struct EntryPairs:
    EntryPair *items
    Py_ssize_t count
    Py_ssize_t capacity


# Add the pairs of entries in which two trees differ, or with *everything* all pairs, in the order
# of the entries. *old* must be in order. *segments* (NULL: not wanted) become what makes *new* of
# *old*. Gives 0 if *new* turns out not to be in order; pairs may have been added then.
cdef int pair_entries(
    EntryPairs *pairs, const Tree *old, const Tree *new, Py_ssize_t oid_size, bint everything,
    Segments *segments,
) except -1
