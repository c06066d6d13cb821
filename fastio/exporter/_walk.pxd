cimport cython
from libc.stdint cimport int64_t, uint32_t

from fastio.store._commits_ahead cimport Ahead


cdef enum:
    NO_ROW = 0xFFFFFFFF


cdef struct Seen:  # of a commit, while walking
    const Ahead *ahead  # its content, or NULL
    uint32_t entry  # its place in the idx


@cython.final
cdef class Walk:
    # Rows in export order: row i has oids[i * oid_size ...], and so on. All arrays may move when a
    # row is added; nothing moves once the walk is complete.
    cdef readonly int oid_size
    cdef readonly list ref_names  # final text behind "commit "
    cdef uint32_t count
    cdef unsigned char *oids
    cdef unsigned char *trees  # the commits' trees
    cdef uint32_t *names  # index into ref_names
    cdef uint32_t *parent_starts  # count + 1 of them
    cdef unsigned char *parent_oids  # rewritten parents
    cdef unsigned char *parent_marked  # 1: has a mark when this commit is written
    cdef Seen *seen
    cdef object seen_owner  # has the memory of what was seen
    cdef uint32_t *parent_rows  # where in the walk the parent is, before this commit; or NO_ROW

    cdef uint32_t capacity
    cdef uint32_t parent_capacity
    cdef uint32_t *slots  # rows by oid, open addressing; row + 1, 0 for free
    cdef uint32_t mask

    # The row of a commit, or -1.
    cdef int64_t c_find(self, const unsigned char *oid) noexcept nogil
    # Begin the next row; c_add_parent then adds to it. Raises MemoryError.
    cdef int c_add(
        self, const unsigned char *oid, const unsigned char *tree, uint32_t name
    ) except -1
    cdef int c_add_parent(self, const unsigned char *oid, bint imported) except -1
    cdef int grow(self) except -1
    cdef int grow_parents(self) except -1
    cdef bytes made(self, const unsigned char *oids, uint32_t number)
    cdef uint32_t known(self, object row) except? 0
