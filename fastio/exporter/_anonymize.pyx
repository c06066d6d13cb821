# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Loops that rewrite records; anonymize.py tells what becomes of what.

A record's text is put together first, with a NUL in place of each hole, as lines go across them.
Then each line is written anew, and for each NUL the next hole of the record.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, memcpy

from fastio.exporter._fill cimport NewBlob
from fastio.exporter._records cimport DIE, END, HEAD, OF, OWN, WARN, RecordWriter
from workers._arrays cimport resized

from fastio.errors import WorkerError

cdef enum:
    COUNT = 4  # bytes of the numbers that count text


@cython.final
cdef class RecordRewriter:
    """Writes records anew.

    Args:
        words: Gives what stands for paths, refs, idents and oids; asked once for each.
        oid_size: Bytes of an oid.
    """

    cdef object words
    cdef dict paths, refs, idents
    cdef RecordWriter writer
    cdef int64_t subjects, blobs  # how many were written
    cdef unsigned char *text
    cdef int64_t room
    cdef const unsigned char *part  # the part of the record whose hole is the next one

    def __init__(self, words, *, int oid_size):
        self.words, self.paths, self.refs, self.idents = words, {}, {}, {}
        self.writer = RecordWriter(oid_size)

    def __dealloc__(self):
        free(self.text)

    def records(self, bytes records not None):
        """Rewrite the records of some commits.

        Raises:
            WorkerError: They are not what workers write.
        """
        cdef const unsigned char *at = <const unsigned char *>PyBytes_AS_STRING(records)
        cdef const unsigned char *end = at + PyBytes_GET_SIZE(records)
        cdef const unsigned char *oids
        cdef uint32_t head[2]
        cdef int oid_size = self.writer.oid_size
        while at < end:
            if end - at < HEAD:
                raise cut_short()
            memcpy(head, at, HEAD)
            if head[0] > end - at or head[0] < HEAD + <int64_t>head[1] * oid_size:
                raise cut_short()
            oids = at + head[0] - <int64_t>head[1] * oid_size
            self.writer.c_begin()
            self.rewrite(at + HEAD, oids)
            at += head[0]
            while oids < at:
                self.writer.c_blob(oids)
                oids += oid_size
            self.writer.c_end()
        return self.writer.take()

    def blob_records(self, bytes text not None, bytes packed not None, *, bint original_oids):
        """Put the records of new blobs where they belong; the blobs themselves are not read.

        Args:
            text: Text of the stream.
            packed: As `fastio.exporter.fill.Filled` has them.
            original_oids: Whether records tell the oid, which is not replaced.
        """
        cdef const char *start = PyBytes_AS_STRING(text)
        cdef const NewBlob *blob = <const NewBlob *>PyBytes_AS_STRING(packed)
        cdef int64_t number, count = PyBytes_GET_SIZE(packed) // <int64_t>sizeof(NewBlob), at = 0
        cdef RecordWriter out = self.writer
        for number in range(count):
            out.c_text(start + at, blob[number].position - at)
            at = blob[number].position
            out.c_text(b"blob\nmark :", 11)
            out.c_number(blob[number].mark)
            if original_oids:
                out.c_text(b"\noriginal-oid ", 14)
                out.c_hex(blob[number].oid)
            self.put_numbered(b"\ndata ", 6, b"anonymous blob ", 15, self.blobs, b"", 0)
            self.blobs += 1
            out.c_text(b"\n", 1)
        out.c_text(start + at, PyBytes_GET_SIZE(text) - at)
        return out.take()

    def ident_line(self, bytes line not None):
        """Replace the ident of a line that begins with a keyword; its date is kept."""
        cdef const unsigned char *start = <const unsigned char *>PyBytes_AS_STRING(line)
        return self.new_ident_line(start, start + PyBytes_GET_SIZE(line))

    # --- a record's parts -----------------------------------------------------------------------

    cdef int rewrite(self, const unsigned char *parts, const unsigned char *end) except -1:
        """Write the text of a record anew, which goes on up to *end*."""
        cdef const unsigned char *at
        cdef const unsigned char *text_end
        cdef int64_t size = self.join(parts, end)
        self.part, at, text_end = parts, self.text, self.text + size
        while at < text_end:
            at = self.put_line(at, text_end)
        return 0

    cdef int64_t join(self, const unsigned char *at, const unsigned char *end) except -1:
        """Put the text together; returns its size."""
        cdef int64_t size = 0, count
        cdef unsigned char hole = OWN
        if end - at > self.room:
            self.text = <unsigned char *>resized(self.text, end - at)
            self.room = end - at
        while hole != END:
            count = counted(at, end - 1)
            memcpy(self.text + size, at + COUNT, count)
            at += COUNT + count
            hole = at[0]
            at += 1
            size += count
            self.text[size] = 0
            size += hole != END
            if hole == OF:
                if end - at < self.writer.oid_size:
                    raise cut_short()
                at += self.writer.oid_size
            elif hole == WARN or hole == DIE:
                at += COUNT + counted(at, end)
        return size

    cdef int put(self, const unsigned char *text, int64_t size) except -1:
        """Write text, in which a NUL stands for a hole."""
        cdef const unsigned char *end = text + size
        cdef const unsigned char *hole
        while True:
            hole = <const unsigned char *>memchr(text, 0, end - text)
            if hole == NULL:
                return self.writer.c_text(text, end - text)
            self.writer.c_text(text, hole - text)
            self.put_hole()
            text = hole + 1

    cdef int put_hole(self) except -1:
        cdef uint32_t count
        cdef unsigned char hole
        memcpy(&count, self.part, COUNT)
        self.part += COUNT + count
        hole = self.part[0]
        self.part += 1
        if hole == OWN:
            self.writer.c_own()
        elif hole == OF:
            self.writer.c_of(self.part)
            self.part += self.writer.oid_size
        elif hole == WARN or hole == DIE:
            memcpy(&count, self.part, COUNT)
            self.writer.c_said(hole, self.part + COUNT, count)
            self.part += COUNT + count
        else:
            raise WorkerError("a worker's records have a NUL where none can be")
        return 0

    # --- lines ----------------------------------------------------------------------------------

    cdef const unsigned char *put_line(
        self, const unsigned char *at, const unsigned char *text_end
    ) except NULL:
        """Write a line anew, or a few that belong together; returns where the next one begins."""
        cdef const unsigned char *end
        cdef const unsigned char *rest
        while at < text_end and at[0] == 0:  # warnings, and what ends the export
            self.put_hole()
            at += 1
        end = line_end(at, text_end)
        if begins(at, end, b"M ", 2):  # as nearly all do
            self.put_modify(at, end)
        elif begins(at, end, b"D ", 2):
            self.put(at, 2)
            self.put_path(at + 2, end)
        elif begins(at, end, b"author ", 7):
            # The committer's ident, in the next line, counts as the one printed first.
            rest, end = end + 1, line_end(end + 1, text_end)
            committer = self.new_ident_line(rest, end)
            self.put_bytes(self.new_ident_line(at, rest - 1))
            self.writer.c_text(b"\n", 1)
            self.put_bytes(committer)
        elif begins(at, end, b"commit ", 7) or begins(at, end, b"reset ", 6):
            rest = behind(at, end, c" ")
            self.put(at, rest - at)
            self.put_bytes(self.made(self.refs, self.words.ref, rest, end))
        elif begins(at, end, b"data ", 5):
            self.put_numbered(b"data ", 5, b"subject ", 8, self.subjects, b"\n\nbody\n", 7)
            self.subjects += 1
            return end + 1
        elif begins(at, end, b"gpgsig ", 7):
            rest, end = end + 1, line_end(end + 1, text_end)
            end += int(rest[5:end - rest]) + 1
            if not rest <= end <= text_end:
                raise cut_short()
            self.put(at, end - at)
        elif begins(at, end, b"name", 4):  # only gives numbers
            rest = behind(at, end, c" ")
            if begins(at, end, b"name ", 5):
                self.made(self.paths, self.words.path, rest, end)
            else:
                self.words.oid(rest[:end - rest])
            return end + 1
        else:
            self.put_other(at, end)
        if end < text_end:
            self.writer.c_text(b"\n", 1)
        return end + 1

    cdef int put_modify(self, const unsigned char *at, const unsigned char *end) except -1:
        cdef const unsigned char *reference = behind(at + 2, end, c" ")
        cdef const unsigned char *path = behind(reference, end, c" ")
        if reference[0] == c":":
            self.put(at, path - at)
        else:
            self.put(at, reference - at)
            self.put_bytes(self.words.oid(reference[:path - 1 - reference]))
            self.writer.c_text(b" ", 1)
        return self.put_path(path, end)

    cdef int put_path(self, const unsigned char *at, const unsigned char *end) except -1:
        return self.put_bytes(self.made(self.paths, self.words.path, at, end))

    cdef bytes made(self, dict known, make, const unsigned char *at, const unsigned char *end):
        """Return what stands for a word, which *make* says where it is not *known*."""
        cdef bytes word = PyBytes_FromStringAndSize(<const char *>at, end - at)
        made = known.get(word)
        if made is None:
            made = known[word] = make(word)
        return made

    cdef bytes new_ident_line(self, const unsigned char *at, const unsigned char *end):
        """Return a line with an ident anew, without its LF."""
        cdef const unsigned char *ident = behind(at, end, c" ")
        cdef const unsigned char *opening
        cdef const unsigned char *closing = NULL
        cdef const unsigned char *date
        cdef const unsigned char *date_end
        cdef bytes keyword = at[:ident - at]
        opening = <const unsigned char *>memchr(ident, c"<", end - ident)
        if opening != NULL:
            closing = <const unsigned char *>memchr(opening, c">", end - opening)
        if closing == NULL:
            return keyword + MALFORMED
        date = end
        while (date - 1)[0] != c">":
            date -= 1
        date = skip_blanks(date, end)
        date_end = skip_digits(date, end)
        if date_end == date:
            return keyword + MALFORMED
        date_end = skip_blanks(date_end, end)
        if date_end == end or (date_end[0] != c"+" and date_end[0] != c"-"):
            return keyword + MALFORMED
        if skip_digits(date_end + 1, end) == date_end + 1:
            return keyword + MALFORMED
        date_end = skip_digits(date_end + 1, end)
        name = self.made(self.idents, self.words.ident, ident, closing)
        return b"%b%b %b" % (keyword, name, date[:date_end - date])

    cdef int put_other(self, const unsigned char *at, const unsigned char *end) except -1:
        """Write a line that few commits have, or one that tells nothing."""
        cdef const unsigned char *rest = <const unsigned char *>memchr(at, c" ", end - at)
        if rest == NULL:
            return self.put(at, end - at)
        rest += 1
        if (begins(at, end, b"from ", 5) or begins(at, end, b"merge ", 6)) and (
            rest == end or rest[0] != c":"
        ):
            self.put(at, rest - at)
            return self.put_bytes(self.words.oid(rest[:end - rest]))
        if begins(at, end, b"R ", 2) or begins(at, end, b"C ", 2):
            self.put(at, 2)
            return self.put_bytes(self.words.two_paths(rest[:end - rest]))
        return self.put(at, end - at)

    cdef int put_numbered(
        self, const char *before, int before_size, const char *name, int name_size,
        int64_t number, const char *after, int after_size,
    ) except -1:
        """Write counted text with a number in it, behind what stands *before* the count."""
        cdef int64_t size = name_size + after_size + 1, rest = number
        while rest >= 10:
            rest //= 10
            size += 1
        self.writer.c_text(before, before_size)
        self.writer.c_number(size)
        self.writer.c_text(b"\n", 1)
        self.writer.c_text(name, name_size)
        self.writer.c_number(number)
        return self.writer.c_text(after, after_size)

    cdef int put_bytes(self, bytes text) except -1:
        return self.writer.c_text(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


cdef bytes MALFORMED = b"Malformed Ident <malformed@example.com> 0 -0000"


cdef object cut_short():
    return WorkerError("a worker's records are cut short")


cdef int64_t counted(const unsigned char *at, const unsigned char *end) except -1:
    """Return how many bytes are counted at *at*, all of which are there."""
    cdef uint32_t count
    if end - at < COUNT:
        raise cut_short()
    memcpy(&count, at, COUNT)
    if count > end - at - COUNT:
        raise cut_short()
    return count


cdef inline bint begins(
    const unsigned char *at, const unsigned char *end, const char *with_, int64_t size
) noexcept nogil:
    return end - at >= size and memcmp(at, with_, size) == 0


cdef const unsigned char *line_end(
    const unsigned char *at, const unsigned char *end
) except NULL:
    """Return where the LF of the line is that begins at *at*, or *end*."""
    cdef const unsigned char *found
    if at > end:
        raise cut_short()
    found = <const unsigned char *>memchr(at, c"\n", end - at)
    return end if found == NULL else found


cdef const unsigned char *behind(
    const unsigned char *at, const unsigned char *end, int byte
) except NULL:
    """Return what follows the next *byte*, which must be there."""
    cdef const unsigned char *found = NULL
    if at < end:
        found = <const unsigned char *>memchr(at, byte, end - at)
    if found == NULL:
        raise cut_short()
    return found + 1


cdef const unsigned char *skip_blanks(
    const unsigned char *at, const unsigned char *end
) noexcept nogil:
    while at < end and (at[0] == c" " or at[0] == c"\t" or at[0] == c"\r" or at[0] == c"\n"):
        at += 1
    return at


cdef const unsigned char *skip_digits(
    const unsigned char *at, const unsigned char *end
) noexcept nogil:
    while at < end and c"0" <= at[0] <= c"9":
        at += 1
    return at
