from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t

from fastio.store._pack_search cimport Header


cdef struct Ahead:  # a commit
    int64_t offset  # where its entry begins
    int64_t stop  # and ends
    int64_t size
    const unsigned char *data


cdef struct Shelf:  # commits, where only one thread puts some; nothing on it ever moves
    Ahead *rows
    int64_t room, count  # of them
    unsigned char *content
    int64_t content_room, content_size


cdef class CommitsAhead:
    cdef Py_buffer pack
    cdef bint held
    cdef int oid_size
    cdef Shelf read_ahead  # by the thread, ascending by offset
    cdef Shelf own  # by whoever walks
    cdef list pages  # have the contents
    cdef int stopping
    cdef int64_t last  # row that was found
    cdef object thread

    # The commit whose entry begins at *offset*; NULL if it has not been read.
    cdef const Ahead *c_find(self, int64_t offset) noexcept nogil
    # Inflate the commit of which that is the header, and keep it; NULL if there is no room, or it
    # is damaged.
    cdef const Ahead *c_keep(self, int64_t offset, const Header *header) noexcept nogil
    cdef int set_up(self, Shelf *shelf, int64_t memory) except -1
    cdef int64_t put(
        self, Shelf *shelf, int64_t offset, const Header *header
    ) noexcept nogil
    cdef void run(self, int64_t offset) noexcept nogil
