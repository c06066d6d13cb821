from libc.stdint cimport int64_t, uint64_t

cdef enum:
    OID_ROOM = 32

cdef struct NewBlob:
    int64_t position  # where in the text its record belongs
    uint64_t mark
    unsigned char oid[OID_ROOM]
