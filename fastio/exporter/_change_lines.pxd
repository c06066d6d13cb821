cimport cython
from libc.stdint cimport int64_t, uint32_t

from fastio.exporter._changes cimport Change, ChangeTable
from fastio.exporter._records cimport RecordWriter


@cython.final
cdef class ChangeLines:
    cdef RecordWriter writer
    cdef bint with_data, full_tree, names_first
    cdef unsigned char classes[256]  # of bytes in paths
    cdef int64_t *order
    cdef int64_t *stack
    cdef int64_t room

    # Name all files that the new sides have, for the blobs' records: before renames are found.
    cdef int c_write_blobs(self, ChangeTable table) except -1
    # Write the lines.
    cdef int c_write_lines(self, ChangeTable table) except -1

    cdef int reserve(self, int64_t count) except -1
    cdef bint sort(self, ChangeTable table) noexcept
    cdef int write_ordered(self, ChangeTable table) except -1
    cdef int put_delete(self, ChangeTable table, const Change *row) except -1
    cdef int put_move(self, ChangeTable table, const Change *row, int letter) except -1
    cdef int put_modify(self, ChangeTable table, const Change *row) except -1
    cdef int put_names(self, ChangeTable table, const Change *row, int letter) except -1
    cdef int put_path(self, const unsigned char *path, int64_t size) except -1
