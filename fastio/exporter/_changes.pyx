# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The table of changes; see changes.py."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from workers._arrays cimport resized

cdef enum:
    FIRST_ROWS = 32
    FIRST_TEXT = 1024


@cython.final
cdef class ChangeTable:
    """Changes of files, in the order in which they were added.

    Args:
        oid_size: Bytes of a raw oid.
    """

    def __cinit__(self, int oid_size=20):
        if not 0 < oid_size <= OID_ROOM:
            raise ValueError(f"an oid of {oid_size} bytes")
        self.oid_size = oid_size

    def __dealloc__(self):
        free(self.rows)
        free(self.text)

    def __len__(self):
        return self.count

    cdef void c_clear(self) noexcept nogil:
        self.count = self.text_size = 0

    cdef int reserve(self, int64_t path_size) except -1:
        """Make room for one row and its path."""
        cdef int64_t room
        if self.count == self.room:
            room = max(<int64_t>FIRST_ROWS, 2 * self.room)
            self.rows = <Change *>resized(self.rows, room * sizeof(Change))
            self.room = room
        if self.text_room - self.text_size < path_size:
            room = max(self.text_size + path_size, 2 * self.text_room, <int64_t>FIRST_TEXT)
            self.text = <unsigned char *>resized(self.text, room)
            self.text_room = room
        return 0

    cdef int c_add(
        self, unsigned char status, const unsigned char *base, int64_t base_size,
        const unsigned char *name, int64_t name_size,
        uint32_t old_mode, const unsigned char *old_oid,
        uint32_t new_mode, const unsigned char *new_oid,
    ) except -1:
        cdef Change *row
        self.reserve(base_size + name_size)
        row = &self.rows[self.count]
        row.status, row.old_mode, row.new_mode = status, old_mode, new_mode
        row.path = row.source = self.text_size
        row.path_size = row.source_size = base_size + name_size
        if base_size:
            memcpy(self.text + self.text_size, base, base_size)
        if name_size:
            memcpy(self.text + self.text_size + base_size, name, name_size)
        if old_mode:
            memcpy(row.old_oid, old_oid, self.oid_size)
        else:
            memset(row.old_oid, 0, self.oid_size)
        if new_mode:
            memcpy(row.new_oid, new_oid, self.oid_size)
        else:
            memset(row.new_oid, 0, self.oid_size)
        self.text_size += row.path_size
        self.count += 1
        return 0

    cdef int64_t checked(self, object number) except -1:
        cdef int64_t index = number
        if not 0 <= index < self.count:
            raise IndexError(f"row {number} of {self.count}")
        return index

    cdef int take_sides(self, list pairs) except -1:
        """Give destinations the old sides of their sources, which may be destinations as well."""
        cdef Change *sources = <Change *>malloc(max(len(pairs), 1) * sizeof(Change))
        cdef Change *row
        cdef int64_t number, place
        if sources == NULL:
            raise MemoryError
        for number, (_, place, _) in enumerate(pairs):
            sources[number] = self.rows[place]
        for number, (status, _, place) in enumerate(pairs):
            row = &self.rows[place]
            row.status, row.old_mode = status, sources[number].old_mode
            row.source, row.source_size = sources[number].source, sources[number].source_size
            memcpy(row.old_oid, sources[number].old_oid, OID_ROOM)
        free(sources)
        return 0

    def clear(self):
        """Take all rows out."""
        self.c_clear()

    def add(
        self, str status not None, bytes path not None,
        uint32_t old_mode, bytes old_oid, uint32_t new_mode, bytes new_oid,
    ):
        """Add a row; None stands for the oid of a side that is not there, mode 0 for its mode."""
        for mode, oid in ((old_mode, old_oid), (new_mode, new_oid)):
            if (len(oid) != self.oid_size) if mode else (oid is not None):
                raise ValueError(f"mode {mode:o} with oid {oid!r}")
        self.c_add(
            ord(status), <const unsigned char *>PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path),
            NULL, 0,
            old_mode, <const unsigned char *>PyBytes_AS_STRING(old_oid) if old_mode else NULL,
            new_mode, <const unsigned char *>PyBytes_AS_STRING(new_oid) if new_mode else NULL,
        )

    def row(self, number):
        """Return a row's status, path, source, modes and oids: the fields of `changes.Change`."""
        cdef Change *row = &self.rows[self.checked(number)]
        cdef const char *text = <const char *>self.text
        return (
            chr(row.status),
            PyBytes_FromStringAndSize(text + row.path, row.path_size),
            PyBytes_FromStringAndSize(text + row.source, row.source_size),
            row.old_mode,
            row.new_mode,
            PyBytes_FromStringAndSize(<const char *>row.old_oid, self.oid_size),
            PyBytes_FromStringAndSize(<const char *>row.new_oid, self.oid_size),
        )

    def pair(self, pairs):
        """Make renames and copies of rows.

        A pair is ``(status, source, destination)``: ``R`` or ``C``, and two row numbers. The
        destination takes its old side from the source. Deletions that are a source of any pair
        vanish, and so do all unchanged files.
        """
        cdef int64_t number, kept = 0
        cdef list taken = [
            (ord(status), self.checked(source), self.checked(destination))
            for status, source, destination in pairs
        ]
        cdef set used = {source for _, source, _ in taken}
        self.take_sides(taken)
        for number in range(self.count):
            if self.rows[number].status == UNCHANGED:
                continue
            if self.rows[number].status == DELETED and number in used:
                continue
            self.rows[kept] = self.rows[number]
            kept += 1
        self.count = kept

    def keep(self, str statuses not None):
        """Take all rows out whose status is none of *statuses*."""
        cdef int64_t number, kept = 0
        cdef set wanted = {ord(status) for status in statuses}
        for number in range(self.count):
            if self.rows[number].status in wanted:
                self.rows[kept] = self.rows[number]
                kept += 1
        self.count = kept
