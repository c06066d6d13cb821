from libc.stdint cimport int64_t

from fastio.importer._tree_line cimport TreeJob
from fastio.stream._plain_commit cimport PlainCommit


cdef class DeferredCommit:
    cdef PlainCommit commit
    cdef list blobs
    cdef tuple place  # of its operation
    cdef object branch
    cdef bytes name  # which stands for its oid, and for its tree's
    cdef TreeJob *job  # which makes its tree
    cdef list parents  # oids and names
    cdef bytes old_tip  # of the branch
    cdef bytes old_tree
    cdef int64_t old_entry  # of the mark
    cdef int64_t turn  # in which it is
    cdef int64_t turn_commits  # and how much of that came before it
    cdef int64_t turn_bytes


# What stands for the oid of the commit with a number; as long as the shortest oid.
cdef bytes name_of(int64_t number)
cdef bint is_name(bytes oid) noexcept
cdef int64_t number_of(bytes name) noexcept
