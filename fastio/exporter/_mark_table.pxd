cimport cython
from libc.stdint cimport int64_t, uint64_t


@cython.final
cdef class MarkTable:
    # A slot is an oid and a word behind it: the mark, and in the lowest bit whether the object is a
    # commit. The word is 0 in a free slot.
    cdef readonly int oid_size
    cdef int stride
    cdef unsigned char *slots
    cdef uint64_t size, count
    cdef uint64_t most_new, imported

    # The mark of *oid*, or 0.
    cdef uint64_t c_find(self, const unsigned char *oid) noexcept nogil
    # The oid in a slot below *size*, if it is that of a commit, or NULL.
    cdef const unsigned char *c_commit(self, uint64_t at) noexcept nogil
    # Give *oid* the next mark, also if it has one. Raises MarksError, MemoryError.
    cdef uint64_t c_add(self, const unsigned char *oid, bint is_commit) except 0
    cdef int c_set(self, const unsigned char *oid, uint64_t mark, bint is_commit) except -1
    cdef unsigned char *slot_of(self, const unsigned char *oid) noexcept nogil
    cdef int grow(self) except -1
