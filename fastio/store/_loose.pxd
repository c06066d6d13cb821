from libc.stdint cimport int64_t


cdef enum:
    LARGEST_OID = 32


cdef class LooseReader:
    cdef int oid_size
    cdef object list_directories
    cdef list directories  # paths that end with room for an object's own
    cdef unsigned char *buffer  # of the file read last
    cdef unsigned char *inflated
    # What c_find found, valid until the next call of any method; size is -1 for nothing.
    cdef unsigned char oid[LARGEST_OID]
    cdef int kind
    cdef int64_t size
    cdef const unsigned char *content

    # Read an object; False if it is missing, damaged or not small.
    cdef bint c_find(self, const unsigned char *oid) except -1
    # Read only its type and size; more of it may be damaged.
    cdef bint c_info(self, const unsigned char *oid, int *kind, int64_t *size) except -1

    cdef int prepare(self) except -1
    cdef int64_t load(self, const unsigned char *oid) except -1
