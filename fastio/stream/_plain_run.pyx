# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Plain blobs and commits in turn, for a kernel that deals with them: no call in Python for each.

Parser and reader are left as if the parser had read each command. Of commits it takes what
`fastio.stream.commit_scanner` would; whether more bytes may make one plain is for that to say.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint64_t

from fastio.stream._plain_commit cimport PlainCommit
from fastio.stream._scanner cimport c_scan_blobs

from fastio.stream.commit_scanner import may_be_plain

cdef enum:
    # A blob has two lines or more: so many of a run stand among the hundred most recent ones.
    RECENT_BLOBS = 51


cdef class PlainRun:
    """Takes plain commands for a parser, which must not be used between `open` and `close`."""

    def __init__(self, parser, reader):
        self.parser, self.reader = parser, reader

    def open(self):
        """Begin where the parser stands."""
        reader, parser = self.reader, self.parser
        buffer = reader.buffer
        self.data = buffer.data
        self.view = self.data
        self.scan.first, self.scan.at, self.scan.end = &self.view[0], buffer.start, buffer.end
        self.scan.base, self.scan.max_line = buffer.base, buffer.max_line
        self.scan.max_size, self.scan.optional_lf = reader.piece_size, bool(reader.optional_lf)
        self.recent, self.dropped = reader.recent, reader.dropped
        self.number, self.takes_commits = parser.command_number, may_be_plain(reader)
        self.took_any = self.took_blobs = False

    def blobs(self, int64_t max_count):
        """Take up to *max_count* blobs; see `StreamParser.take_blobs`."""
        cdef int64_t count = self.take_blobs(min(max_count, <int64_t>ROWS)), _number
        cdef uint64_t *row = self.rows
        cdef list found = []
        buffer = self.reader.buffer.view
        for _number in range(count):
            found.append((row[0] or None, buffer[row[1]:row[1] + row[2]], row[3]))
            row += 4
        return found

    cdef int64_t take_blobs(self, int64_t max_count=ROWS) except -1:
        cdef int64_t count = c_scan_blobs(&self.scan, self.rows, max_count), number
        cdef const unsigned char *first = self.scan.first
        cdef uint64_t *row
        if count == 0:
            return 0
        for number in range(max(0, count - RECENT_BLOBS), count):
            row = &self.rows[4 * number]
            self.offset = row[3]
            self.recent.append(PyBytes_FromStringAndSize(
                <const char *>first + (row[3] - self.scan.base),
                row[1] - 1 - (row[3] - self.scan.base),
            ))
        self.number += count
        self.took_any = self.took_blobs = True
        return count

    cdef PlainCommit take_commit(self):
        cdef PlainCommit commit
        cdef int64_t position
        if not self.takes_commits or self.scan.at == self.scan.end:
            return None
        commit, position = self.reader.commits.take(
            self.data, self.scan.at, self.scan.end, base=self.scan.base, number=self.number + 1,
            optional_lf=self.scan.optional_lf, max_body=self.scan.max_size,
        )
        if commit is not None:
            self.scan.at, self.scan.optional_lf = position, False
            self.offset = commit.offset
            self.number += 1
            self.took_any = True
            self.recent.append(commit)
        return commit

    cdef int64_t lines(self) except -1:
        return self.dropped + len(self.recent)

    cpdef int close(self) except -1:
        """Let the parser stand behind what was taken."""
        reader = self.reader
        if self.took_any:
            reader.buffer.start, reader.optional_lf = self.scan.at, bool(self.scan.optional_lf)
            reader.in_header, reader.offset = False, self.offset
            self.parser.command_number = self.number
        if self.took_blobs:
            self.parser.command_line = b"blob"
        self.view = self.data = self.recent = None
        return 0
