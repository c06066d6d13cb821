cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from fastio.store._objmap cimport fastio_prefetch

cdef enum:
    HELD_BACK = 0  # a blob's states, for C
    SUBMITTED_ON = 1
    ACCEPTED_IN = 2


@cython.final
cdef class Blob:
    cdef readonly uint64_t mark
    cdef readonly int64_t stream_offset
    cdef readonly int64_t size
    cdef readonly int64_t entry
    cdef readonly Blob base
    cdef readonly int depth
    cdef readonly int state
    cdef readonly int generation
    cdef public int paths
    cdef bint held
    cdef int pins
    cdef int64_t raw_offset
    cdef int64_t out_offset
    cdef int64_t packed_offset  # where its bytes lie packed
    cdef readonly int64_t packed_size  # 0: they do not
    cdef PyObject *older  # neighbours among the live ones
    cdef PyObject *newer
    cdef bint is_live


cdef inline void load_ahead(Blob blob) noexcept:
    """Have a blob's bytes on their way to the cache: thousands of others came since its turn."""
    fastio_prefetch(<const char *><PyObject *>blob)
    fastio_prefetch(<const char *><PyObject *>blob + 64)


cdef struct Slot:
    uint64_t number
    PyObject *blob  # NULL: free


@cython.final
cdef class BlobMap:
    cdef Slot *slots
    cdef Py_ssize_t mask
    cdef Py_ssize_t count
    cdef int shift

    cdef int make(self, Py_ssize_t capacity) except -1
    cdef Py_ssize_t home(self, uint64_t number) noexcept
    cdef Slot *find(self, uint64_t number) noexcept
    cdef int grow(self) except -1
    cpdef Blob get(self, uint64_t number)
    cpdef int set(self, uint64_t number, Blob blob) except -1
    cpdef Blob pop(self, uint64_t number)
    cpdef bint discard(self, uint64_t number, Blob blob) except -1
    cdef int close_gap(self, Py_ssize_t gap) noexcept


@cython.final
cdef class BlobRing:
    cdef PyObject **places
    cdef Py_ssize_t mask
    cdef Py_ssize_t first
    cdef readonly Py_ssize_t count

    cpdef int push(self, Blob blob) except -1
    cpdef Blob pop(self)
    cdef int grow(self) except -1


@cython.final
cdef class LiveBlobs:
    cdef PyObject *newest
    cdef readonly Py_ssize_t count

    cdef int add(self, Blob blob) except -1
    cdef int remove(self, Blob blob) except -1
