from libc.stdint cimport int64_t, uint64_t


cdef struct Content:
    int kind
    int64_t size
    const unsigned char *data  # not NULL, also when there are no bytes


cdef enum:
    KEPT = 8  # results that stay valid


cdef class ObjectReader:
    cdef readonly object store
    cdef readonly bint verify
    cdef readonly int oid_size
    cdef list kept
    cdef int64_t turn

    # All of these honour refs/replace, and raise ObjectError for an object that is missing and
    # PackError for a damaged pack.

    # The object's type and bytes, which stay as they are for the next KEPT - 1 calls of c_read.
    cdef int c_read(self, const unsigned char *oid, Content *out) except -1
    # Write an object of type *kind* (0: any) to *out*; its size, or -1 and nothing written if it
    # has more than *room* bytes. Any byte of the room may be written to.
    cdef int64_t c_read_into(
        self, const unsigned char *oid, int kind, unsigned char *out, int64_t room
    ) except -2
    # The object's size, and its type to *kind* unless that is NULL; next to nothing is inflated.
    cdef int64_t c_size(self, const unsigned char *oid, int *kind) except -1
    # A number that objects of one delta family share, for who deals objects out to workers.
    cdef uint64_t c_family(self, const unsigned char *oid) except? 0

    cdef const unsigned char *checked(self, oid) except NULL
    cdef bytes name_of(self, const unsigned char *oid)
    cdef tuple slow_read(self, bytes oid)
