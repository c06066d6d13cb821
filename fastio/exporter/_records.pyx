# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Writes records; the format is told in `fastio.exporter.records`.

Every write makes sure of its room first; there are no other bounds.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from fastio.objects._digits cimport NUMBER_ROOM, number_before, write_hex
from workers._arrays cimport resized

from fastio.errors import ObjectError

cdef enum:
    FIRST_ROOM = 4096

cdef int64_t LONGEST = 0xFFFFFFFF


cdef class RecordWriter:
    """Records, one behind the other, in memory that grows.

    Blobs may be named at any time before the record's end, also between its text.

    Args:
        oid_size: Bytes of an oid.
    """

    def __cinit__(self, int oid_size=20):
        self.oid_size = oid_size
        self.data = self.oids = NULL
        self.size = self.room = self.oids_size = self.oids_room = 0
        self.record = self.literal = -1

    def __dealloc__(self):
        free(self.data)
        free(self.oids)

    cdef unsigned char *c_space(self, int64_t n) except NULL:
        cdef int64_t room
        if self.size + n >= self.room:  # even nothing has its place: NULL would be an error
            room = max(self.size + n + 1, self.room * 2, FIRST_ROOM)
            self.data = <unsigned char *>resized(self.data, room)
            self.room = room
        return self.data + self.size

    cdef void c_wrote(self, int64_t n) noexcept nogil:
        self.size += n

    cdef int c_begin(self) except -1:
        assert self.record < 0, "the record before has not ended"
        self.c_space(HEAD + 4)
        self.record = self.size
        self.size += HEAD + 4
        self.literal = self.record + HEAD
        self.oids_size = 0
        return 0

    cdef int c_blob(self, const unsigned char *oid) except -1:
        cdef int64_t room
        if self.oids_size + self.oid_size > self.oids_room:
            room = max(self.oids_room * 2, FIRST_ROOM)
            self.oids = <unsigned char *>resized(self.oids, room)
            self.oids_room = room
        memcpy(self.oids + self.oids_size, oid, self.oid_size)
        self.oids_size += self.oid_size
        return 0

    cdef int c_text(self, const void *text, int64_t n) except -1:
        memcpy(self.c_space(n), text, n)
        self.size += n
        return 0

    cdef int c_number(self, int64_t number) except -1:
        """Write a number that is not negative in decimal digits."""
        cdef unsigned char digits[NUMBER_ROOM]
        cdef unsigned char *start = number_before(digits + NUMBER_ROOM, number)
        return self.c_text(start, digits + NUMBER_ROOM - start)

    cdef int c_hex(self, const unsigned char *oid) except -1:
        """Write an oid in hexadecimal digits."""
        write_hex(self.c_space(2 * self.oid_size), oid, self.oid_size)
        self.size += 2 * self.oid_size
        return 0

    cdef int c_hole(self, int hole) except -1:
        """End the open part's text."""
        cdef int64_t length = self.size - self.literal - 4
        cdef uint32_t count
        if length > LONGEST:
            raise ObjectError("a commit's text is longer than 4 GiB")
        count = <uint32_t>length
        memcpy(self.data + self.literal, &count, 4)
        self.c_space(1)[0] = <unsigned char>hole
        self.size += 1
        return 0

    cdef int c_next(self) except -1:
        """Begin the next part."""
        self.c_space(4)
        self.literal = self.size
        self.size += 4
        return 0

    cdef int c_own(self) except -1:
        self.c_hole(OWN)
        return self.c_next()

    cdef int c_of(self, const unsigned char *oid) except -1:
        self.c_hole(OF)
        self.c_text(oid, self.oid_size)
        return self.c_next()

    cdef int c_said(self, int hole, const void *text, int64_t n) except -1:
        cdef uint32_t count = <uint32_t>n
        self.c_hole(hole)
        self.c_text(&count, 4)
        self.c_text(text, n)
        return self.c_next()

    cdef int c_warn(self, const void *text, int64_t n) except -1:
        return self.c_said(WARN, text, n)

    cdef int c_die(self, const void *text, int64_t n) except -1:
        return self.c_said(DIE, text, n)

    cdef int c_end(self) except -1:
        cdef int64_t length
        cdef uint32_t head[2]
        self.c_hole(END)
        if self.oids_size:  # else there may be no memory at all
            self.c_text(self.oids, self.oids_size)
        length = self.size - self.record
        if length > LONGEST:
            raise ObjectError("a commit's text is longer than 4 GiB")
        head[0] = <uint32_t>length
        head[1] = <uint32_t>(self.oids_size // self.oid_size)
        memcpy(self.data + self.record, head, HEAD)
        self.record = self.literal = -1
        return 0

    def begin(self):
        """Begin a record."""
        self.c_begin()

    def blob(self, bytes oid not None):
        """Name a blob, to be marked and written if it is new."""
        assert len(oid) == self.oid_size
        self.c_blob(<const unsigned char *>PyBytes_AS_STRING(oid))

    def text(self, bytes text not None):
        """Add text."""
        self.c_text(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))

    def own(self):
        """Let the commit's own mark, which is taken here, stand here in decimal."""
        self.c_own()

    def of(self, bytes oid not None):
        """Let the mark of *oid* stand here in decimal."""
        assert len(oid) == self.oid_size
        self.c_of(<const unsigned char *>PyBytes_AS_STRING(oid))

    def warn(self, bytes text not None):
        """Warn when it is this record's turn; *text* has no LF at its end."""
        self.c_warn(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))

    def die(self, bytes text not None):
        """End the export when it is this record's turn, with all before written."""
        self.c_die(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))

    def end(self):
        """End the record."""
        self.c_end()

    def __len__(self):
        """Return the bytes of all records so far."""
        return self.size

    def take(self):
        """Return the records, and begin anew without any; the memory is kept."""
        assert self.record < 0, "a record has not ended"
        records = PyBytes_FromStringAndSize(<const char *>self.data, self.size)
        self.size = 0
        return records

    def put(self, unsigned char[::1] room not None):
        """Move the records to *room*, behind their size (eight bytes); False if it is short."""
        assert self.record < 0, "a record has not ended"
        if self.size > room.shape[0] - <int64_t>sizeof(int64_t):
            return False
        memcpy(&room[0], &self.size, sizeof(int64_t))
        memcpy(&room[0] + sizeof(int64_t), self.data, self.size)
        self.size = 0
        return True

    def drop(self):
        """Forget the record that was begun: what it needed could not be read, say."""
        if self.record >= 0:
            self.size, self.record, self.literal = self.record, -1, -1
