cimport cython
from libc.stdint cimport int64_t, uint32_t

cdef enum:
    # What stands behind the literal bytes of a part.
    END = 0  # nothing: the record ends
    OWN = 1  # the mark of this commit, which is taken here
    OF = 2  # the mark of an oid
    WARN = 3  # a warning: counted text
    DIE = 4  # a fatal error: counted text; the export ends here
    # Bytes before a record's parts: its size and the number of its blobs.
    HEAD = 8


@cython.final
cdef class RecordWriter:
    cdef readonly int oid_size
    cdef unsigned char *data
    cdef int64_t size, room
    cdef int64_t record, literal  # where the open record, and its open part, begin
    cdef unsigned char *oids  # the open record's blobs
    cdef int64_t oids_size, oids_room

    # Room for *n* more bytes of text; what was written there is added by c_wrote.
    cdef unsigned char *c_space(self, int64_t n) except NULL
    cdef void c_wrote(self, int64_t n) noexcept nogil
    cdef int c_begin(self) except -1
    cdef int c_blob(self, const unsigned char *oid) except -1
    cdef int c_text(self, const void *text, int64_t n) except -1
    cdef int c_number(self, int64_t number) except -1
    cdef int c_hex(self, const unsigned char *oid) except -1
    cdef int c_own(self) except -1
    cdef int c_of(self, const unsigned char *oid) except -1
    cdef int c_warn(self, const void *text, int64_t n) except -1
    cdef int c_die(self, const void *text, int64_t n) except -1
    cdef int c_end(self) except -1
    cdef int c_hole(self, int hole) except -1
    cdef int c_next(self) except -1
    cdef int c_said(self, int hole, const void *text, int64_t n) except -1
