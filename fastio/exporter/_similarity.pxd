from libc.stdint cimport int64_t, uint32_t

from fastio.exporter._sides cimport Side
from fastio.store._object_reader cimport ObjectReader


cdef struct Chunks:
    uint32_t number  # what their bytes hash to
    uint32_t size  # bytes of all of them, without the CRs that do not count


# What is known of one blob; it is found out when it is asked for.
cdef class Profile:
    cdef int64_t size  # -1: not known
    cdef Chunks *chunks
    cdef int64_t count  # -1: not cut into chunks yet
    cdef int64_t counted  # bytes in all chunks
    cdef bint has_crlf, has_nul


cdef class Similarity:
    cdef ObjectReader reader
    cdef object is_text
    # Bytes in chunks by their number, of the file that others are compared with and of that which
    # is being cut. All 0 between calls.
    cdef uint32_t *sums
    cdef uint32_t *sums_of_cut
    cdef dict young, old
    cdef int64_t weight, budget

    cdef Profile profile(self, bytes key)
    cdef int64_t size_of(self, Side side) except -1
    cdef Profile counted(self, Side side)
    cdef int count(self, Profile profile, bytes key, bint as_text, bint automatic) except -1
    cdef int64_t score_of(self, Side old, Profile new) except -1
