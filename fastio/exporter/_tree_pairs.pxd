from fastio.exporter._tree_view cimport View
from fastio.objects._tree_cache cimport Tree
from fastio.store._recipe_runs cimport Runs


cdef struct EntryPair:  # where the entries begin; -1: there is none on that side
    Py_ssize_t old
    Py_ssize_t new


cdef struct EntryPairs:
    EntryPair *items
    Py_ssize_t count
    Py_ssize_t capacity


# Add the pairs of entries in which two trees differ, or with *everything* all pairs, in the order
# of the entries; those of pairs that differ are built then. There may be pairs that do not differ.
# *old* must be in order. *runs* tells what the two have in common; NULL: all bytes of both are
# there to be compared. If the order of *new* is unknown, its stops are set, for which it must have
# room. Gives 0 if it turns out not to be in order; pairs and stops may have been added then.
cdef int pair_entries(
    EntryPairs *pairs, View *old, View *new, const Runs *runs, Py_ssize_t oid_size,
    bint everything,
) except -1

# Add the pairs of all entries of two trees, in the order in which they are stored, whichever it is:
# one of the old tree is left behind before one of the new tree that it should precede.
cdef int pair_as_stored(
    EntryPairs *pairs, const Tree *old, const Tree *new, Py_ssize_t oid_size
) except -1
