from libc.stdint cimport int64_t, uint64_t

from fastio.stream._plain_commit cimport PlainCommit
from fastio.stream._scanner cimport BlobScan

cdef enum:
    ROWS = 1024


cdef class PlainRun:
    cdef object parser
    cdef object reader
    cdef object recent
    cdef object data
    cdef const unsigned char[::1] view
    cdef BlobScan scan
    cdef uint64_t rows[4 * ROWS]
    cdef int64_t offset
    cdef int64_t number
    cdef int64_t dropped
    cdef bint takes_commits
    cdef bint took_blobs
    cdef bint took_any

    # Fill `rows` with up to that many blobs; return how many.
    cdef int64_t take_blobs(self, int64_t max_count=*) except -1
    # Take the next commit, None if there is none that is certain to be plain and whole.
    cdef PlainCommit take_commit(self)
    # How many lines have been read, as in a Place.
    cdef int64_t lines(self) except -1
    cpdef int close(self) except -1
