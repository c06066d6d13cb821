cimport cython
from libc.stdint cimport int64_t, uint64_t


ctypedef const unsigned char *Bytes


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
    cdef int forget_changes(self) except -1
    cdef int64_t memory(self) noexcept


# How many decimal digits there are from *at* on, 18 at most, and what they say.
cdef int64_t digits(Bytes at, Bytes stop, uint64_t *value) noexcept nogil

# Whether an ident with a raw date needs no change.
cdef bint is_usual_ident(Bytes text, int64_t size) noexcept nogil

# Whether a path may enter a tree for certain.
cdef bint is_plain_path(Bytes path, int64_t size) noexcept nogil
