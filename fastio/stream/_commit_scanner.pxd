cimport cython
from libc.stdint cimport int64_t, uint64_t


cdef struct Span:  # within the commit's text
    int64_t start
    int64_t size


cdef struct Change:
    int64_t line  # where its line starts in the commit's text
    Span path
    unsigned int mode  # 0: a deletion
    uint64_t mark


@cython.final
cdef class PlainCommit:
    cdef readonly bytes text
    cdef readonly int64_t offset
    cdef readonly int64_t number
    cdef readonly uint64_t mark
    cdef readonly uint64_t start_from  # the mark of `from`, 0 for none
    cdef uint64_t *merges
    cdef int64_t merge_count
    cdef Change *edits
    cdef int64_t edit_count
    cdef bint blank_line  # it ended with one, which `text` leaves out
    cdef Span ref_span
    cdef Span original_oid_span
    cdef Span author_span
    cdef Span committer_span
    cdef Span message_span

    cdef bytes cut(self, Span span)
