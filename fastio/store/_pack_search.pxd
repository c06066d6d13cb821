from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t, uint64_t


cdef enum Readiness:  # of a pack to be read
    UNTRIED
    READY
    UNUSABLE


cdef struct Place:
    void *index  # an IndexView, which `packs` keeps
    Readiness readiness
    Py_buffer content  # when READY


cdef class PackSearch:
    cdef object open_packs
    cdef object has_slowly
    cdef object kind_slowly
    cdef int oid_size
    cdef bint replaces
    cdef bint loaded
    cdef bint too_many
    cdef list packs
    cdef Place *places
    cdef int64_t count
    cdef int64_t last  # the pack that answered last
    cdef uint64_t *kinds

    # Whether a usable pack has the object.
    cdef bint c_has(self, const unsigned char *oid) except -1
    # The object's type; 0 if there is no such object.
    cdef int c_kind(self, const unsigned char *oid) except -1

    cdef const unsigned char *checked(self, oid) except NULL
    cdef bytes bytes_of(self, const unsigned char *oid)
    cdef void let_go(self) noexcept
    cdef int load(self) except -1
    cdef int64_t find(self, const unsigned char *oid, int64_t *offset) except -2
    cdef bint is_ready(self, int64_t number) except -1
    cdef int kind_at(self, int64_t number, int64_t offset) except -1
    cdef int noted(self, uint64_t key) noexcept
