from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t


cdef struct Ahead:  # a commit
    int64_t offset  # where its entry begins
    int64_t stop  # and ends
    int64_t size
    const unsigned char *data


cdef class CommitsAhead:
    cdef Py_buffer pack
    cdef bint held
    cdef int oid_size
    cdef Ahead *rows  # ascending by offset
    cdef int64_t room, count  # of them; the thread alone counts up
    cdef unsigned char *content
    cdef int64_t content_room, content_size
    cdef int stopping
    cdef int64_t last  # row that was found
    cdef object thread

    # The commit whose entry begins at *offset*; NULL if it has not been read.
    cdef const Ahead *c_find(self, int64_t offset) noexcept nogil
    cdef void run(self, int64_t offset) noexcept nogil
