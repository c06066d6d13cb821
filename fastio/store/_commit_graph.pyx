# cython: boundscheck=False, wraparound=False, cdivision=True
"""Look-ups in a commit-graph file; commit_graph.py tells its layout."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcmp

from fastio.errors import PackError

cdef enum:
    HEADER_SIZE = 8
    CHUNK_ROW = 12
    NO_PARENT = 0x70000000
    TOP_BIT = 0x80000000


cdef class CommitGraph:
    """A commit-graph file that stands alone and has corrected commit dates.

    Args:
        content: The file's bytes, which must stay as they are.
        oid_size: Bytes of an oid.

    Raises:
        PackError: It is another kind of file, or damaged.
    """

    def __init__(self, content, int oid_size):
        PyObject_GetBuffer(content, &self.content, PyBUF_SIMPLE)
        self.is_open, self.oid_size = True, oid_size
        self.find_chunks()

    def __dealloc__(self):
        if self.is_open:
            PyBuffer_Release(&self.content)

    cdef int find_chunks(self) except -1:
        """Find and measure all parts, so that no look-up by position can leave the file."""
        cdef const unsigned char *start = <const unsigned char *>self.content.buf
        cdef uint64_t size = self.content.len
        cdef int hash_version = 1 if self.oid_size == 20 else 2
        cdef uint64_t begin, end, number, previous
        cdef dict chunks = {}
        if size < HEADER_SIZE or memcmp(start, b"CGPH\x01", 5) != 0 or start[5] != hash_version:
            raise PackError("not a commit-graph that can be read")
        if start[7]:
            raise PackError("the commit-graph builds on others")
        if size < HEADER_SIZE + CHUNK_ROW * (<uint64_t>start[6] + 1):
            raise PackError("the commit-graph is cut short")
        for number in range(start[6]):
            begin = be64(start + HEADER_SIZE + CHUNK_ROW * number + 4)
            end = be64(start + HEADER_SIZE + CHUNK_ROW * (number + 1) + 4)
            if not HEADER_SIZE < begin <= end <= size:
                raise PackError("the commit-graph's parts lie outside it")
            name = start[HEADER_SIZE + CHUNK_ROW * number:HEADER_SIZE + CHUNK_ROW * number + 4]
            chunks[name] = begin, end - begin
        self.fan_out = self.chunk(chunks, b"OIDF", 256 * 4)
        previous = 0
        for number in range(256):
            if be32(self.fan_out + 4 * number) < previous:
                raise PackError("the commit-graph's fan-out is out of order")
            previous = be32(self.fan_out + 4 * number)
        if previous >= <uint64_t>NO_PARENT:
            raise PackError("the commit-graph has more commits than can be")
        self.count = <uint32_t>previous
        self.oids = self.chunk(chunks, b"OIDL", previous * self.oid_size)
        self.rows = self.chunk(chunks, b"CDAT", previous * (self.oid_size + 16))
        self.corrections = self.chunk(chunks, b"GDA2", previous * 4)
        if b"GDO2" in chunks:
            self.large_count = chunks[b"GDO2"][1] // 8
            self.large_corrections = self.chunk(chunks, b"GDO2", 0)
        if b"EDGE" in chunks:
            self.edge_count = chunks[b"EDGE"][1] // 4
            self.edges = self.chunk(chunks, b"EDGE", 0)
        return 0

    cdef const unsigned char *chunk(self, dict chunks, bytes name, uint64_t size) except NULL:
        if name not in chunks or chunks[name][1] < size:
            raise PackError(f"the commit-graph lacks its part {name.decode()}")
        return <const unsigned char *>self.content.buf + <uint64_t>chunks[name][0]

    cdef int64_t c_find(self, const unsigned char *oid) noexcept nogil:
        cdef uint32_t low = be32(self.fan_out + 4 * (<size_t>oid[0] - 1)) if oid[0] else 0
        cdef uint32_t high = be32(self.fan_out + 4 * <size_t>oid[0])
        cdef uint32_t middle
        cdef int order
        while low < high:
            middle = low + (high - low) // 2
            order = memcmp(oid, self.c_oid(middle), self.oid_size)
            if order == 0:
                return middle
            if order < 0:
                high = middle
            else:
                low = middle + 1
        return -1

    cdef int c_read(self, uint32_t position, GraphCommit *out) except -1:
        cdef const unsigned char *row = self.rows + <size_t>position * (self.oid_size + 16)
        cdef uint32_t second, correction
        out.tree = row
        row += self.oid_size
        out.first_parent, second = be32(row), be32(row + 4)
        out.date = <uint64_t>(be32(row + 8) & 3) << 32 | be32(row + 12)
        out.second_parent = out.more_parents = <uint32_t>NO_COMMIT
        if out.first_parent == <uint32_t>NO_PARENT:
            out.first_parent = <uint32_t>NO_COMMIT
        elif out.first_parent >= self.count:
            raise PackError("the commit-graph names a parent that it has not")
        if second & <uint32_t>TOP_BIT:
            out.more_parents = second & <uint32_t>0x7FFFFFFF
        elif second != <uint32_t>NO_PARENT:
            if second >= self.count:
                raise PackError("the commit-graph names a parent that it has not")
            out.second_parent = second
        correction = be32(self.corrections + 4 * <size_t>position)
        if not correction & <uint32_t>TOP_BIT:
            out.generation = out.date + correction
        elif (correction & <uint32_t>0x7FFFFFFF) < self.large_count:
            correction &= <uint32_t>0x7FFFFFFF
            out.generation = out.date + be64(self.large_corrections + 8 * <size_t>correction)
        else:
            raise PackError("the commit-graph lacks a corrected date")
        return 0

    cdef uint32_t c_edge(self, uint32_t at, bint *is_last) except? 0:
        cdef uint32_t edge
        if at >= self.edge_count:
            raise PackError("the commit-graph lacks edges")
        edge = be32(self.edges + 4 * <size_t>at)
        is_last[0] = edge & <uint32_t>TOP_BIT != 0
        edge &= <uint32_t>0x7FFFFFFF
        if edge >= self.count:
            raise PackError("the commit-graph names a parent that it has not")
        return edge


cdef inline uint32_t be32(const unsigned char *at) noexcept nogil:
    return <uint32_t>at[0] << 24 | <uint32_t>at[1] << 16 | <uint32_t>at[2] << 8 | at[3]


cdef inline uint64_t be64(const unsigned char *at) noexcept nogil:
    return <uint64_t>be32(at) << 32 | be32(at + 4)
