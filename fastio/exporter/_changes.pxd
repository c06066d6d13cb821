cimport cython
from libc.stdint cimport int64_t, uint32_t


cdef enum:
    OID_ROOM = 32
    # Statuses, which are letters.
    ADDED = 65
    COPIED = 67
    DELETED = 68
    MODIFIED = 77
    RENAMED = 82
    RETYPED = 84
    UNCHANGED = 85  # only listed where copies of unchanged files are looked for


cdef struct Change:
    unsigned char status
    uint32_t old_mode  # canonical; 0: there is no old side
    uint32_t new_mode
    int64_t path  # where it begins in the table's text
    int64_t path_size
    int64_t source  # the old side's path: the same but for R and C
    int64_t source_size
    unsigned char old_oid[OID_ROOM]  # zeros for no old side
    unsigned char new_oid[OID_ROOM]


@cython.final
cdef class ChangeTable:
    cdef readonly int oid_size
    cdef Change *rows  # both move when a row is added
    cdef unsigned char *text
    cdef int64_t count
    cdef int64_t room
    cdef int64_t text_size
    cdef int64_t text_room

    cdef void c_clear(self) noexcept nogil
    # Add a row; mode 0 and NULL stand for a side that is not there. The path is *base* and *name*.
    cdef int c_add(
        self, unsigned char status, const unsigned char *base, int64_t base_size,
        const unsigned char *name, int64_t name_size,
        uint32_t old_mode, const unsigned char *old_oid,
        uint32_t new_mode, const unsigned char *new_oid,
    ) except -1
    cdef int take_sides(self, list pairs) except -1
    cdef int reserve(self, int64_t path_size) except -1
    cdef int64_t checked(self, object number) except -1
