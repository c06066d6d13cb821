from libc.stdint cimport int64_t

from fastio.stream._plain_commit cimport PlainCommit


cdef class DeferredCommit:
    cdef PlainCommit commit
    cdef object branch
    cdef bytes name  # which stands for its oid
    cdef bytes tree  # its oid, or its draft's name
    cdef list parents  # oids and names
    cdef bytes old_tip  # of the branch
    cdef bytes old_tree
    cdef int64_t old_entry  # of the mark


# What stands for the oid of the commit with a number; as long as the shortest oid.
cdef bytes name_of(int64_t number)
cdef bint is_name(bytes oid) noexcept
cdef int64_t number_of(bytes name) noexcept
# The oid of a commit that may have been deferred, in which case *oids* has it by number.
cdef bytes resolved(bytes oid, list oids)
