from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef enum:
    NO_COMMIT = 0xFFFFFFFF


cdef struct GraphCommit:
    const unsigned char *tree
    uint64_t date  # of the committer
    uint64_t generation  # corrected commit date
    uint32_t first_parent  # position, or NO_COMMIT
    uint32_t second_parent  # position, or NO_COMMIT
    uint32_t more_parents  # where in the list of edges those from the second on are, or NO_COMMIT


cdef class CommitGraph:
    cdef Py_buffer content
    cdef bint is_open
    cdef readonly int oid_size
    cdef readonly uint32_t count
    cdef const unsigned char *fan_out
    cdef const unsigned char *oids
    cdef const unsigned char *rows
    cdef const unsigned char *corrections
    cdef const unsigned char *large_corrections
    cdef const unsigned char *edges
    cdef uint64_t large_count, edge_count

    # The position of a commit, or -1.
    cdef int64_t c_find(self, const unsigned char *oid) noexcept nogil
    # What is known of the commit at a position below *count*. Raises PackError.
    cdef int c_read(self, uint32_t position, GraphCommit *out) except -1
    # The position in an edge of the list; *is_last* says whether there are more. Raises PackError.
    cdef uint32_t c_edge(self, uint32_t at, bint *is_last) except? 0

    cdef int find_chunks(self) except -1
    cdef const unsigned char *chunk(self, dict chunks, bytes name, uint64_t size) except NULL

    cdef inline const unsigned char *c_oid(self, uint32_t position) noexcept nogil:
        return self.oids + <size_t>position * self.oid_size
