cimport cython
from libc.stdint cimport int64_t, uint32_t

from fastio.exporter._records cimport RecordWriter
from fastio.exporter._walk cimport Walk


cdef enum Ending:
    # What comes behind the text of a commit.
    TEXT_GOES_ON  # its changes
    TEXT_ENDS_BEHIND_BLOBS  # nothing, but its blobs are written before it
    TEXT_ENDS_AT_ONCE  # nothing, and neither are its blobs


cdef struct Span:
    const unsigned char *start
    const unsigned char *end


@cython.final
cdef class CommitText:
    cdef int oid_size
    cdef int signatures, reencode
    cdef bint original_ids, excluded_parents, anonymize
    cdef unsigned char *converted
    cdef int64_t converted_size, converted_room

    # Write the text of row *row*, whose object is *body*, into the open record; returns an Ending.
    cdef int c_write(
        self, RecordWriter out, Walk walk, uint32_t row, const unsigned char *body, int64_t size
    ) except -1
    cdef int c_head(
        self, RecordWriter out, Walk walk, uint32_t row, Span author, Span committer
    ) except -1
    cdef bint c_signatures(
        self, RecordWriter out, const unsigned char *oid, Span headers
    ) except -1
    cdef int c_parents(self, RecordWriter out, Walk walk, uint32_t row) except -1
    cdef int c_die(self, RecordWriter out, const unsigned char *oid, str problem) except -1
    cdef bint c_convert(self, Span message, Span encoding) except -1
    cdef int grow(self, size_t left) except -1
