# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The loop of `fastio.stream.commit_scanner`: a whole commit in its usual spelling at once."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from fastio.stream import commands as c

cdef enum:
    MAX_DIGITS = 18  # they fit into 63 bits
    MAX_LINE = 4096
    MAX_DEPTH = 64  # components of a path: who walks them may use the stack
    MAX_MERGES = 64
    MAX_TEXT = 1 << 18  # two hundred commits are kept, for reports
    # What the scan may find.
    PLAIN = 1
    UNUSUAL = 0
    SHORT = -1  # not all of it has arrived

INCOMPLETE = -1


cdef struct Scan:
    Bytes at
    Bytes stop
    Bytes first
    uint64_t mark
    uint64_t start_from
    uint64_t merges[MAX_MERGES]
    int64_t merge_count
    bint blank_line
    Span ref
    Span original_oid
    Span author
    Span committer
    Span message


# Grows to what the largest commit needed, and is used for each.
cdef Change *room = NULL
cdef int64_t room_for = 0


cdef inline bint starts(Scan *scan, const char *word, int64_t size) noexcept nogil:
    return scan.stop - scan.at >= size and memcmp(scan.at, word, size) == 0


cdef int expect(Scan *scan, const char *word, int64_t size) noexcept nogil:
    """Tell whether *word* comes next, as far as one can see."""
    if memcmp(scan.at, word, min(size, scan.stop - scan.at)) != 0:
        return UNUSUAL
    return PLAIN if scan.stop - scan.at >= size else SHORT


cdef int take_line(Scan *scan, int64_t keyword, Span *rest) noexcept nogil:
    """Take the line at hand; *rest* is what stands behind its keyword."""
    cdef Bytes start = scan.at + keyword
    cdef Bytes lf = <Bytes>memchr(scan.at, 10, min(scan.stop - scan.at, <int64_t>MAX_LINE))
    if lf == NULL:
        return SHORT if scan.stop - scan.at < MAX_LINE else UNUSUAL
    if memchr(start, 0, lf - start) != NULL:
        return UNUSUAL
    rest.start = start - scan.first
    rest.size = lf - start
    scan.at = lf + 1
    return PLAIN


cdef int64_t digits(Bytes at, Bytes stop, uint64_t *value) noexcept nogil:
    """Read a decimal number; return how many digits it has, 0 if it is none or too long."""
    cdef int64_t length = 0
    value[0] = 0
    while length < MAX_DIGITS and at + length < stop and 48 <= at[length] <= 57:
        value[0] = value[0] * 10 + (at[length] - 48)
        length += 1
    return length


cdef int take_number(Scan *scan, int64_t keyword, uint64_t *value) noexcept nogil:
    """Take a line that holds nothing but a number behind its keyword."""
    cdef Span rest
    cdef int found = take_line(scan, keyword, &rest)
    if found != PLAIN:
        return found
    if rest.size == 0 or digits(scan.first + rest.start, scan.at, value) != rest.size:
        return UNUSUAL
    return PLAIN


cdef bint is_usual_ident(Bytes text, int64_t size) noexcept nogil:
    """Tell whether an ident with a raw date needs no change, as `fastio.stream.idents` has it."""
    cdef Bytes stop = text + size
    cdef Bytes opening = <Bytes>memchr(text, 60, size)
    cdef Bytes closing
    cdef uint64_t value
    cdef int64_t length
    if opening == NULL or opening == text or (opening - 1)[0] != 32:
        return False
    if memchr(text, 62, opening - text) != NULL:
        return False
    closing = <Bytes>memchr(opening, 62, stop - opening)
    if closing == NULL or memchr(opening + 1, 60, stop - opening - 1) != NULL:
        return False
    if stop - closing < 3 or closing[1] != 32:
        return False
    closing += 2
    length = digits(closing, stop, &value)
    closing += length
    if length == 0 or stop - closing != 6 or closing[0] != 32:
        return False
    if closing[1] != 43 and closing[1] != 45:
        return False
    return digits(closing + 2, stop, &value) == 4 and value <= 1400


cdef bint is_plain_path(Bytes path, int64_t size) noexcept nogil:
    """Tell whether a path may enter a tree for certain; see `fastio.objects.path_check`."""
    cdef int64_t at = 0, depth = 0
    if size == 0:
        return False
    while True:
        depth += 1
        if at == size or depth > MAX_DEPTH:
            return False
        if path[at] == 46:  # a dot
            at += 1
            if at == size or path[at] == 46 or path[at] == 47 or path[at] == 71 or path[at] > 127:
                return False
            if path[at] == 103 and not (
                size - at > 3 and path[at + 1] == 105 and path[at + 2] == 116
                and 97 <= path[at + 3] <= 122 and path[at + 3] != 109
            ):
                return False
        elif path[at] == 47 or path[at] == 0xE2 or path[at] == 0xEF:
            return False  # in UTF-8 all that HFS+ ignores starts with E2 or EF
        while at < size and path[at] != 47:
            if path[at] == 126 or path[at] == 92:
                return False
            at += 1
        if at == size:
            return True
        at += 1


cdef int64_t mode_at(Bytes text, int64_t size, unsigned int *mode) noexcept nogil:
    """Read the mode of a regular file and its SP; return their bytes, 0 if it is another."""
    if size > 7 and (memcmp(text, b"100644 ", 7) == 0 or memcmp(text, b"100755 ", 7) == 0):
        mode[0] = 0o100755 if text[3] == 55 else 0o100644
        return 7
    if size > 4 and (memcmp(text, b"644 ", 4) == 0 or memcmp(text, b"755 ", 4) == 0):
        mode[0] = 0o100755 if text[0] == 55 else 0o100644
        return 4
    return 0


cdef int take_change(Scan *scan, Change *change) noexcept nogil:
    """Take an M or D line."""
    cdef bint modifies = scan.at[0] == 77
    cdef Bytes text
    cdef int64_t length
    cdef int found
    change.line = scan.at - scan.first
    change.mode, change.mark = 0, 0
    found = take_line(scan, 2, &change.path)
    if found != PLAIN:
        return found
    if modifies:
        text = scan.first + change.path.start
        length = mode_at(text, change.path.size, &change.mode)
        if length == 0 or text[length] != 58:
            return UNUSUAL
        length += 1
        length += digits(text + length, scan.at, &change.mark)
        if change.mark == 0 or length >= change.path.size or text[length] != 32:
            return UNUSUAL
        change.path.start += length + 1
        change.path.size -= length + 1
    text = scan.first + change.path.start
    if not is_plain_path(text, change.path.size) or text[0] == 34:
        return UNUSUAL
    return PLAIN


cdef int take_header(Scan *scan) noexcept nogil:
    """Take all up to the message's first byte; its size is in ``message``."""
    cdef int found = take_line(scan, 7, &scan.ref)
    cdef uint64_t size
    if found == PLAIN and starts(scan, b"mark :", 6):
        found = take_number(scan, 6, &scan.mark)
        if found == PLAIN and scan.mark == 0:
            return UNUSUAL
    if found == PLAIN and starts(scan, b"original-oid ", 13):
        found = take_line(scan, 13, &scan.original_oid)
    if found == PLAIN and starts(scan, b"author ", 7):
        found = take_line(scan, 7, &scan.author)
        if found == PLAIN and not is_usual_ident(scan.first + scan.author.start, scan.author.size):
            return UNUSUAL
    if found != PLAIN:
        return found
    found = expect(scan, b"committer ", 10)
    if found == PLAIN:
        found = take_line(scan, 10, &scan.committer)
    if found != PLAIN:
        return found
    if not is_usual_ident(scan.first + scan.committer.start, scan.committer.size):
        return UNUSUAL
    found = expect(scan, b"data ", 5)
    if found == PLAIN:
        found = take_number(scan, 5, &size)
    scan.message.start, scan.message.size = scan.at - scan.first, <int64_t>size
    return found


cdef int take_parents(Scan *scan) noexcept nogil:
    """Take the lines behind the message that name parents."""
    cdef int found = PLAIN
    if starts(scan, b"from :", 6):
        found = take_number(scan, 6, &scan.start_from)
        if found == PLAIN and scan.start_from == 0:
            return UNUSUAL
    while found == PLAIN and starts(scan, b"merge :", 7):
        if scan.merge_count == MAX_MERGES:
            return UNUSUAL
        found = take_number(scan, 7, &scan.merges[scan.merge_count])
        if found == PLAIN and scan.merges[scan.merge_count] == 0:
            return UNUSUAL
        scan.merge_count += 1
    return found


cdef int at_end(Scan *scan) noexcept nogil:
    """Tell whether the commit ends here, before another command.

    It must not wait for more when this may be a question, which has to be answered first.
    """
    cdef int found = UNUSUAL
    if scan.at[0] == 98:
        found = expect(scan, b"blob\n", 5)
    elif scan.at[0] == 99:
        found = expect(scan, b"commit ", 7)
    elif scan.at[0] == 114:
        found = expect(scan, b"reset ", 6)
    elif scan.at[0] == 116:
        found = expect(scan, b"tag ", 4)
    elif scan.at[0] == 100:
        found = expect(scan, b"done\n", 5)
    return found


cdef int scan_commit(Scan *scan, int64_t *count, int64_t *end) except -2 nogil:
    """Scan the commit at hand; set how many changes it has, and where its text ends."""
    cdef int found = take_header(scan)
    if found != PLAIN:
        return found
    if scan.message.size > MAX_TEXT:
        return UNUSUAL
    if scan.stop - scan.at < scan.message.size + 1:
        return SHORT
    scan.at += scan.message.size
    if scan.at[0] == 10:
        scan.at += 1
    found = take_parents(scan)
    while found == PLAIN and scan.at < scan.stop:
        end[0] = scan.at - scan.first
        if scan.at[0] == 10:
            scan.at += 1
            scan.blank_line = True
            return PLAIN
        if scan.at[0] != 77 and not starts(scan, b"D ", 2):
            return at_end(scan)
        if end[0] > MAX_TEXT:
            return UNUSUAL
        found = expect(scan, b"D " if scan.at[0] == 68 else b"M ", 2)
        if found != PLAIN:
            return found
        if count[0] == room_for:
            grow()
        found = take_change(scan, &room[count[0]])
        count[0] += 1
    return SHORT if found == PLAIN else found


cdef int grow() except -1 nogil:
    global room, room_for
    cdef int64_t wanted = 2 * room_for + 64
    cdef Change *grown = <Change *>realloc(room, wanted * sizeof(Change))
    if grown == NULL:
        with gil:
            raise MemoryError
    room, room_for = grown, wanted
    return 0


@cython.final
cdef class PlainCommit:
    """A commit in the usual spelling: parents and files by mark, files set and deleted.

    Attributes:
        text: The commit's bytes, from ``commit`` to its last change.
        offset: Where in the stream they begin.
        number: The command's number.
        mark: The commit's mark, 0 for none.
        start_from: The mark of ``from``, 0 for none.
    """

    def __dealloc__(self):
        free(self.merges)
        free(self.edits)

    cdef bytes cut(self, Span span):
        return PyBytes_FromStringAndSize(PyBytes_AS_STRING(self.text) + span.start, span.size)

    def header(self):
        """Return what the parser would hand out for the header."""
        merges = [c.Mark(self.merges[index]) for index in range(self.merge_count)]
        return c.Commit(
            ref=self.ref,
            mark=c.Mark(self.mark) if self.mark else None,
            original_oid=self.original_oid,
            author=self.cut(self.author_span) if self.author_span.start else None,
            committer=self.cut(self.committer_span),
            signatures=(),
            encoding=None,
            message=self.message,
            from_=c.Mark(self.start_from) if self.start_from else None,
            merges=tuple(merges),
        )

    def changes(self):
        """Return the changes as the parser would hand them out, each with its offset."""
        cdef int64_t index
        cdef Change change
        found = []
        for index in range(self.edit_count):
            change = self.edits[index]
            path = self.cut(change.path)
            if change.mode:
                command = c.FileModify(change.mode, c.Mark(change.mark), path)
            else:
                command = c.FileDelete(path)
            found.append((self.offset + change.line, command))
        return found

    cdef int forget_changes(self) except -1:
        """Free what an executed commit does without; `lines` goes by the first change."""
        if self.edit_count > 1:
            self.edits = <Change *>realloc(self.edits, sizeof(Change))
            self.edit_count = 1
        return 0

    cdef int64_t memory(self) noexcept:
        """Return about how many bytes the commit takes."""
        return PyBytes_GET_SIZE(self.text) + self.edit_count * <int64_t>sizeof(Change)

    @property
    def ref(self):
        """The branch's name."""
        return self.cut(self.ref_span)

    @property
    def original_oid(self):
        """What the frontend called the commit, None if it did not say."""
        return self.cut(self.original_oid_span) if self.original_oid_span.start else None

    @property
    def message(self):
        """The message."""
        return self.cut(self.message_span)

    def lines(self, int64_t offset):
        """Return the lines that are commands, up to the one at *offset* in the stream.

        The commit's own offset stands for its header, its parents included.
        """
        cdef int64_t end = PyBytes_GET_SIZE(self.text), index, behind
        cdef bint whole = True
        for index in range(self.edit_count):
            if self.offset + self.edits[index].line > offset:
                end, whole = self.edits[index].line, False
                break
        behind = self.message_span.start + self.message_span.size
        tail = self.text[behind:end].lstrip(b"\n")
        lines = (self.text[:self.message_span.start] + tail).split(b"\n")
        return lines if whole and self.blank_line else lines[:len(lines) - 1]


cdef PlainCommit keep(Scan *scan, int64_t count, int64_t end, int64_t offset, int64_t number):
    """Copy what the scan found out of buffer and room."""
    cdef PlainCommit commit = PlainCommit.__new__(PlainCommit)
    commit.text = PyBytes_FromStringAndSize(<const char *>scan.first, end)
    commit.offset, commit.number = offset, number
    commit.mark, commit.start_from = scan.mark, scan.start_from
    commit.blank_line = scan.blank_line
    commit.ref_span, commit.original_oid_span = scan.ref, scan.original_oid
    commit.author_span = scan.author
    commit.committer_span, commit.message_span = scan.committer, scan.message
    if scan.merge_count:
        commit.merges = <uint64_t *>malloc(scan.merge_count * sizeof(uint64_t))
        if commit.merges == NULL:
            raise MemoryError
        memcpy(commit.merges, scan.merges, scan.merge_count * sizeof(uint64_t))
        commit.merge_count = scan.merge_count
    if count:
        commit.edits = <Change *>malloc(count * sizeof(Change))
        if commit.edits == NULL:
            raise MemoryError
        memcpy(commit.edits, room, count * sizeof(Change))
        commit.edit_count = count
    return commit


def scan_plain_commit(
    const unsigned char[::1] data, int64_t start, int64_t end, *, int64_t base, int64_t number,
    bint optional_lf,
):
    """Scan the commit at ``data[start:end]``, in front of which an LF may have to be skipped.

    Args:
        data: The buffer.
        start: Where the commit starts.
        end: Where what has arrived ends.
        base: Where in the stream *data* starts.
        number: The command's number.
        optional_lf: Whether to skip an LF first.

    Returns:
        The commit and the position behind it; None, and `INCOMPLETE` if it is a plain commit as
        far as it has arrived, or 0 if it is none.
    """
    cdef Scan scan
    cdef int64_t count = 0, text_end = 0
    cdef int found
    if not 0 <= start < end <= data.shape[0]:
        return None, INCOMPLETE
    memset(&scan, 0, sizeof(scan))
    scan.at, scan.stop = &data[0] + start, &data[0] + end
    if optional_lf and scan.at[0] == 10:
        scan.at += 1
    scan.first = scan.at
    found = expect(&scan, b"commit ", 7)
    if found == PLAIN:
        found = scan_commit(&scan, &count, &text_end)
    if found != PLAIN:
        return None, INCOMPLETE if found == SHORT else 0
    offset = base + (scan.first - &data[0])
    return keep(&scan, count, text_end, offset, number), scan.at - &data[0]
