from libc.stdint cimport int64_t, uint32_t


# One side of a change: a file before or after a commit.
cdef class Side:
    cdef readonly int64_t row  # where it stands in the table of changes
    cdef readonly bytes path, name, oid  # name: the last component of the path
    cdef readonly uint32_t mode
    cdef public int uses  # how often it is needed: by what begins at it, and by staying
    cdef readonly bint unchanged  # it is in the new tree as it was, and only there to be copied

    cdef bint is_regular(self) noexcept
