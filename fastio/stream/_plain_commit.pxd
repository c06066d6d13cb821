cimport cython
from libc.stdint cimport int64_t, uint64_t

cdef enum:
    SYMLINK = 0o120000
    GITLINK = 0o160000


cdef struct Span:  # within the commit's text
    int64_t start
    int64_t size


cdef enum Reference:  # what an M line names its object by
    BY_MARK
    BY_OID
    INLINE
    NOTHING


cdef struct Change:
    int64_t line  # where its line starts, counted from the commit's first byte in the stream
    int64_t left_out  # bytes of bodies before it, which are not in the commit's text
    Span path  # unquoted
    unsigned int mode  # 0: a deletion, of all if the reference is NOTHING
    Reference reference
    uint64_t mark
    Span oid  # its digits
    Span body  # within `buffer`


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
    cdef int64_t size  # bytes that it took of the stream, but for a blank line at its end
    cdef int64_t text_end  # unquoted paths stand behind it
    cdef bint blank_line  # it ended with one, which `text` leaves out
    cdef bint has_bodies
    cdef bint starts_empty  # its first change is a deleteall
    cdef bint begun  # by the executor, step by step
    cdef object buffer
    cdef Span ref_span
    cdef Span original_oid_span
    cdef Span author_span
    cdef Span committer_span
    cdef Span signed_span
    cdef Span signature_span
    cdef Span encoding_span
    cdef Span message_span

    cdef bytes cut(self, Span span)
    cdef bint is_simple(self) noexcept
    cdef object change(self, const Change *change)
    cdef object body(self, const Change *change)
    cdef int drop_buffer(self) except -1
    cdef int forget_changes(self) except -1
    cdef int64_t memory(self) noexcept
