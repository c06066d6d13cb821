# cython: language_level=3, boundscheck=False, wraparound=False
"""Loops that find what a rename may begin and end at; see renames.py."""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t

from fastio.exporter._changes cimport (
    ADDED, DELETED, MODIFIED, RETYPED, UNCHANGED, Change, ChangeTable,
)


@cython.final
cdef class Side:
    """One side of a change: a file before or after a commit."""

    def __cinit__(
        self, int64_t row, bytes path, bytes oid, uint32_t mode, int uses=0, bint unchanged=False
    ):
        self.row, self.path, self.oid, self.mode = row, path, oid, mode
        self.uses, self.unchanged = uses, unchanged
        self.name = path[path.rfind(b"/") + 1:]

    cdef bint is_regular(self) noexcept:
        return self.mode & 0o170000 == 0o100000


def changed_rows(ChangeTable table not None):
    """Return the rows of files that were there before and still are, but changed."""
    cdef int64_t row
    return [
        row for row in range(table.count)
        if table.rows[row].status == MODIFIED or table.rows[row].status == RETYPED
    ]


def old_side(ChangeTable table not None, row, *, int uses=0):
    """Return what stood at the path of a row before."""
    cdef Change *change = &table.rows[table.checked(row)]
    return side_of(table, row, change.old_oid, change.old_mode, uses)


def new_side(ChangeTable table not None, row):
    """Return what stands at the path of a row now."""
    cdef Change *change = &table.rows[table.checked(row)]
    return side_of(table, row, change.new_oid, change.new_mode, 0)


def read_sides(ChangeTable table not None, *, bint copies, dict broken not None):
    """Return what renames may begin at and what they may end at, both in the order of the rows.

    Rows that are *broken* count as a deletion and an addition. Their value tells whether the
    deletion is only supposed: then the file is counted as used by itself.
    """
    cdef list sources = [], destinations = []
    cdef Change *change
    cdef int64_t row
    if not broken and not has_additions(table):
        return sources, destinations
    for row in range(table.count):
        change = &table.rows[row]
        if change.status == ADDED:
            destinations.append(side_of(table, row, change.new_oid, change.new_mode, 0))
        elif change.status == DELETED:
            sources.append(side_of(table, row, change.old_oid, change.old_mode, 0))
        elif broken and row in broken:
            sources.append(side_of(table, row, change.old_oid, change.old_mode, broken[row]))
            destinations.append(side_of(table, row, change.new_oid, change.new_mode, 0))
        elif copies:
            sources.append(side_of(table, row, change.old_oid, change.old_mode, 1))
    return sources, destinations


cdef bint has_additions(ChangeTable table) noexcept:
    cdef int64_t row
    for row in range(table.count):
        if table.rows[row].status == ADDED:
            return True
    return False


cdef Side side_of(
    ChangeTable table, int64_t row, const unsigned char *oid, uint32_t mode, int uses
):
    cdef const Change *change = &table.rows[row]
    cdef const unsigned char *path = table.text + change.path
    return Side.__new__(
        Side, row,
        PyBytes_FromStringAndSize(<const char *>path, change.path_size),
        PyBytes_FromStringAndSize(<const char *>oid, table.oid_size),
        mode, uses, change.status == UNCHANGED,
    )
