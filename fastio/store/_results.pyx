# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Objects that were read last, each in memory that is used again for another."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

cdef enum:
    MOST_ROOM = 4  # times what is needed: above, memory is given back


cdef class Results:
    """A few results; those of the last calls stay as they are.

    Args:
        oid_size: Bytes of an oid.
        limit: Bytes of all results but those that must stay.
    """

    def __cinit__(self, int oid_size, int64_t limit):
        self.oid_size, self.limit = oid_size, limit
        self.calls = KEPT

    def __dealloc__(self):
        cdef int i
        for i in range(RESULTS):
            free(self.results[i].data)

    cdef Result *c_find(self, const unsigned char *oid) noexcept:
        cdef Result *result = &self.results[self.recent[oid[0]]]
        self.calls += 1
        if result.data == NULL or memcmp(result.oid, oid, self.oid_size) != 0:
            return NULL
        result.used = self.calls
        return result

    cdef Result *c_next(self, int64_t room) except NULL:
        cdef Result *result
        cdef int i
        while True:
            self.turn = (self.turn + 1) % RESULTS
            result = &self.results[self.turn]
            if self.calls - result.used >= KEPT:
                break
        self.held -= result.room
        if room > result.room or result.room > MOST_ROOM * room:
            free(result.data)
            result.room = 0
            result.data = <unsigned char *>malloc(room)
            if result.data == NULL:
                raise MemoryError
            result.room = room
        self.held += result.room
        result.oid[0] ^= 0xFF  # what was in it is no longer known
        for i in range(RESULTS):
            if self.held <= self.limit:
                break
            if i != self.turn and self.calls - self.results[i].used >= KEPT:
                free(self.results[i].data)
                self.held -= self.results[i].room
                self.results[i].data, self.results[i].room = NULL, 0
        return result

    cdef void c_enter(self, const unsigned char *oid, int kind, int64_t size) noexcept:
        cdef Result *result = &self.results[self.turn]
        memcpy(result.oid, oid, self.oid_size)
        result.kind, result.size, result.used = kind, size, self.calls
        self.recent[oid[0]] = <unsigned char>self.turn
