from libc.stdint cimport int64_t

from fastio.importer._blobs cimport BlobQueue


cdef class Operation:
    cdef int64_t needs  # so many blobs are accepted before it
    cdef int64_t offset  # the place of its command
    cdef int64_t number
    cdef int64_t lines
    cdef bint may_defer  # it does not mind what is not settled

    cdef int run(self) except -1


cdef class Deferred:
    # Do the rest of what was executed in part.
    cdef int settle(self) except -1


cdef class Operations:
    cdef public BlobQueue queue
    cdef public Deferred deferred
    cdef object waiting
    cdef readonly int64_t count
    cdef int64_t in_flight
    cdef int64_t offset
    cdef int64_t number
    cdef int64_t lines

    cdef int append(self, Operation operation) except -1
    cdef bint is_full(self) noexcept
    cpdef throttle(self)
    cpdef advance(self)
    cpdef settle(self)
