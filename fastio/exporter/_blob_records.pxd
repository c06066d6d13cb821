from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef enum:
    OID_ROOM = 32
    # How a job ended.
    DONE = 0
    FULL = 1  # the rest did not fit
    LARGER = 2  # not even the first did
    FAILED = 3  # the blob behind those that are done cannot be read

cdef struct JobHead:
    int64_t segment  # of the arena
    int64_t room

cdef struct Wanted:
    uint64_t mark
    unsigned char oid[OID_ROOM]

cdef struct ResultHead:
    uint32_t done
    uint32_t end
    int64_t room  # LARGER: what is needed

cdef struct Place:
    int64_t offset  # of the arena
    int64_t size
