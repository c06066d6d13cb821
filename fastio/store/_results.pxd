from libc.stdint cimport int64_t

cdef enum:
    KEPT = 8  # results that stay valid
    RESULTS = 64
    MAX_OID = 32


cdef struct Result:
    unsigned char oid[MAX_OID]
    unsigned char *data
    int64_t room
    int64_t size
    int64_t used  # number of the call that gave it last
    int kind


cdef class Results:
    cdef Result results[RESULTS]
    cdef int64_t calls
    cdef int64_t held  # bytes of all results
    cdef int64_t limit
    cdef int oid_size
    cdef int turn
    cdef unsigned char recent[256]  # the result that an oid with that first byte may be in

    # Begin a call; the result that has the object already, if there is one.
    cdef Result *c_find(self, const unsigned char *oid) noexcept
    # A result with *room* bytes, that the last KEPT - 1 calls did not give.
    cdef Result *c_next(self, int64_t room) except NULL
    # Let that result be known as an object, which lies in it.
    cdef void c_enter(self, const unsigned char *oid, int kind, int64_t size) noexcept
