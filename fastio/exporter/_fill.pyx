# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Fills the holes of records: see `fastio.exporter.fill`.

Records come from our own workers; what is looked at twice is only that nothing is read behind
their end.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from fastio.exporter._mark_table cimport MarkTable
from fastio.exporter._walk cimport Walk
from fastio.exporter._records cimport DIE, END, HEAD, OF, OWN
from fastio.objects._digits cimport NUMBER_ROOM, number_before
from workers._arrays cimport resized

from fastio.errors import WorkerError

cdef enum:
    FIRST_ROOM = 1 << 16


cdef struct Buffer:
    unsigned char *data
    int64_t size
    int64_t room


cdef inline unsigned char *c_space(Buffer *buffer, int64_t n) except NULL:
    cdef int64_t room
    if buffer.size + n >= buffer.room:  # so that there always is some, also for no bytes
        room = max(buffer.size + n + 1, buffer.room * 2, FIRST_ROOM)
        buffer.data = <unsigned char *>resized(buffer.data, room)
        buffer.room = room
    return buffer.data + buffer.size


cdef inline int c_put(Buffer *buffer, const void *data, int64_t n) except -1:
    memcpy(c_space(buffer, n), data, n)
    buffer.size += n
    return 0


cdef inline int c_put_number(Buffer *buffer, uint64_t number) except -1:
    cdef unsigned char digits[NUMBER_ROOM]
    cdef unsigned char *start = number_before(digits + NUMBER_ROOM, number)
    return c_put(buffer, start, digits + NUMBER_ROOM - start)


cdef class Filled:
    """What `Filler.fill` made of some records.

    Attributes:
        text: The stream's text but for the blobs' records.
        blobs: Those that are new: rows of position in the text, mark, and oid in 32 bytes.
        commits: How many records were filled, the one that ends the export not among them.
        warnings: For stderr.
        death: Why the export ends behind this text; None when it goes on.
    """

    cdef readonly bytes text, blobs
    cdef readonly int64_t commits
    cdef readonly list warnings
    cdef readonly bytes death

    def __cinit__(self):
        self.commits, self.warnings, self.death = 0, [], None


cdef class Filler:
    """Gives numbers to blobs and commits in the order of the stream, and fills them in.

    Args:
        marks: What has a number already.
        progress: Blobs and commits between two ``progress`` commands; 0 for none.
    """

    cdef MarkTable marks
    cdef int64_t oid_size, progress, counted
    cdef Buffer text, blobs
    cdef const unsigned char *at  # where in the records we are
    cdef const unsigned char *end

    def __cinit__(self, MarkTable marks not None, *, int oid_size=20, int64_t progress=0):
        self.marks, self.oid_size, self.progress = marks, oid_size, progress
        self.counted = 0
        memset(&self.text, 0, sizeof(Buffer))
        memset(&self.blobs, 0, sizeof(Buffer))

    def __dealloc__(self):
        free(self.text.data)
        free(self.blobs.data)

    def fill(self, const unsigned char[::1] records not None, Walk walk not None, int64_t row):
        """Make text of records.

        Args:
            records: Whole records.
            walk: Their commits.
            row: The row of the first of them; the others follow.

        Returns:
            What became of them.

        Raises:
            WorkerError: Records are cut short, or name what has no mark.
        """
        cdef Filled filled = Filled()
        self.at = &records[0] if records.shape[0] else NULL
        self.end = self.at + records.shape[0]
        while self.at < self.end:
            if not 0 <= row < walk.count:
                raise WorkerError("a worker made more records than there are commits")
            if not self.fill_one(walk.oids + row * self.oid_size, filled):
                break
            filled.commits += 1
            row += 1
        return self.take(filled)

    def blob(self, bytes oid not None):
        """Mark a blob that stands before all commits, if it is new; returned as by `fill`."""
        self.c_blob(<const unsigned char *>PyBytes_AS_STRING(oid))
        return self.take(Filled())

    def count(self):
        """Count one more object; return the ``progress`` command that belongs behind it."""
        self.c_count()
        return self.take(Filled()).text

    cdef Filled take(self, Filled filled):
        filled.text = PyBytes_FromStringAndSize(<const char *>self.text.data, self.text.size)
        filled.blobs = PyBytes_FromStringAndSize(<const char *>self.blobs.data, self.blobs.size)
        self.text.size = self.blobs.size = 0
        return filled

    cdef int c_count(self) except -1:
        self.counted += 1
        if self.progress and self.counted % self.progress == 0:
            c_put(&self.text, b"progress ", 9)
            c_put_number(&self.text, self.counted)
            c_put(&self.text, b" objects\n", 9)
        return 0

    cdef int c_blob(self, const unsigned char *oid) except -1:
        cdef NewBlob *blob
        if self.marks.c_find(oid):
            return 0
        blob = <NewBlob *>c_space(&self.blobs, sizeof(NewBlob))
        blob.position = self.text.size
        blob.mark = self.marks.c_add(oid, False)
        memset(blob.oid, 0, OID_ROOM)
        memcpy(blob.oid, oid, self.oid_size)
        self.blobs.size += sizeof(NewBlob)
        return self.c_count()

    cdef const unsigned char *c_take(self, int64_t n) except NULL:
        """Go past *n* bytes of the records."""
        cdef const unsigned char *taken = self.at
        if n > self.end - taken:
            raise WorkerError("a worker's records are cut short")
        self.at += n
        return taken

    cdef const unsigned char *c_counted(self, int64_t *size) except NULL:
        """Go past counted bytes."""
        cdef uint32_t n
        memcpy(&n, self.c_take(4), 4)
        size[0] = n
        return self.c_take(n)

    cdef bint fill_one(self, const unsigned char *own, Filled filled) except -1:
        """Fill one record; False if the export ends with it."""
        cdef uint32_t head[2]
        cdef int64_t n, number, blobs
        cdef const unsigned char *start = self.at
        cdef const unsigned char *text
        cdef unsigned char hole
        memcpy(head, self.c_take(HEAD), HEAD)
        blobs = head[1] * self.oid_size
        if head[0] < HEAD + blobs or head[0] > self.end - start:
            raise WorkerError("a worker's records are cut short")
        text = start + head[0] - blobs
        for number in range(head[1]):
            self.c_blob(text + number * self.oid_size)
        while True:
            text = self.c_counted(&n)
            c_put(&self.text, text, n)
            hole = self.c_take(1)[0]
            if hole == END:
                break
            if hole == OWN:
                c_put_number(&self.text, self.marks.c_add(own, True))
            elif hole == OF:
                c_put_number(&self.text, self.mark_of(self.c_take(self.oid_size)))
            else:
                text = self.c_counted(&n)
                said = PyBytes_FromStringAndSize(<const char *>text, n)
                if hole == DIE:
                    filled.death = said
                    return False
                filled.warnings.append(said)
        self.c_take(blobs)
        self.c_count()
        return True

    cdef uint64_t mark_of(self, const unsigned char *oid) except 0:
        cdef uint64_t mark = self.marks.c_find(oid)
        if not mark:
            name = PyBytes_FromStringAndSize(<const char *>oid, self.oid_size).hex()
            raise WorkerError(f"a record needs the mark of {name}, which has none")
        return mark
