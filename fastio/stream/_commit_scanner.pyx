# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The loop of `fastio.stream.commit_scanner`: a whole commit in its usual spelling at once."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from fastio.stream._commit_fields cimport (
    Bytes,
    has_dot_name,
    is_known_kind,
    is_plain_path,
    is_usual_ident,
    mode_at,
    reference_at,
    unquote,
)
from fastio.stream._numbers cimport digits
from fastio.stream._plain_commit cimport (
    BY_MARK,
    GITLINK,
    INLINE,
    NOTHING,
    SYMLINK,
    Change,
    PlainCommit,
    Span,
)

cdef enum:
    MAX_LINE = 4096
    MAX_MERGES = 64
    MAX_DATA = 1 << 18  # of a message or signature: two hundred commits are kept, for reports
    # What one commit may take here; a larger one goes through the parser, which takes no less.
    MAX_TEXT = 1 << 24
    MAX_CHANGES = 1 << 18
    USUAL_CHANGES = 1 << 12  # room for so many is kept for the next commit
    # To wait for more than this beyond complete lines would only make the buffer grow.
    MAX_WAITED = 1 << 20
    # What the scan may find.
    PLAIN = 1
    UNUSUAL = 0
    SHORT = -1  # not all of it has arrived
    # Sorts of M lines; a plain commit has one of them.
    BODIES = 1
    FILES = 2
    GITLINKS = 4

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
    bint eof  # nothing comes behind `stop`
    int64_t max_body
    int64_t done  # bytes up to the change that has not arrived in full, 0 before the first one
    Change *changes
    int64_t count
    int64_t room  # for changes; grows to what the largest commit needed, and is used for each
    unsigned char *names  # unquoted paths
    int64_t names_room
    int64_t left_out  # bytes of bodies so far, which the commit's text is without
    int sorts  # of M lines that there are
    int64_t names_size
    Span ref
    Span original_oid
    Span author
    Span committer
    Span signed
    Span signature
    Span encoding
    Span message


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
    rest.start = start - scan.first - scan.left_out
    rest.size = lf - start
    scan.at = lf + 1
    return PLAIN


cdef int take_number(Scan *scan, int64_t keyword, uint64_t *value) noexcept nogil:
    """Take a line that holds nothing but a number behind its keyword."""
    cdef Span rest
    cdef int found = take_line(scan, keyword, &rest)
    if found != PLAIN:
        return found
    if rest.size == 0 or digits(scan.at - 1 - rest.size, scan.at, value) != rest.size:
        return UNUSUAL
    return PLAIN


cdef int take_path(Scan *scan, Bytes text, Change *change) except -2 nogil:
    """Read the path at the end of a line; `change.path` is its place, quotes and all."""
    cdef int64_t used
    if change.path.size and text[0] == 34:
        if scan.names_size + change.path.size > scan.names_room:
            grow_names(scan, scan.names_size + change.path.size)
        used = unquote(text, change.path.size, scan.names + scan.names_size)
        if used < 0:
            return UNUSUAL
        text = scan.names + scan.names_size
        # Counted from the end of the text, which is not known yet.
        change.path.start, change.path.size = -1 - scan.names_size, used
        scan.names_size += used
    if not is_plain_path(text, change.path.size):
        return UNUSUAL
    if change.mode == SYMLINK and has_dot_name(text, change.path.size):
        return UNUSUAL
    return PLAIN


cdef int take_data(Scan *scan, int64_t limit, Span *body) noexcept nogil:
    """Take counted data of at most *limit* bytes, and the optional LF."""
    cdef int found = expect(scan, b"data ", 5)
    cdef uint64_t size
    if found == PLAIN:
        found = take_number(scan, 5, &size)
    if found != PLAIN:
        return found
    if size > <uint64_t>limit:
        return UNUSUAL
    if scan.stop - scan.at < <int64_t>size + 1:
        return SHORT
    body.start, body.size = scan.at - scan.first, <int64_t>size
    scan.at += size
    if scan.at[0] == 10:
        scan.at += 1
    return PLAIN


cdef int take_delete_all(Scan *scan, Change *change) noexcept nogil:
    """Take a deleteall line."""
    memset(change, 0, sizeof(Change))
    change.line, change.left_out, change.reference = scan.at - scan.first, scan.left_out, NOTHING
    return take_line(scan, 9, &change.path)


cdef int take_change(Scan *scan, Change *change) except -2 nogil:
    """Take an M or D line."""
    cdef bint modifies = scan.at[0] == 77
    cdef Bytes text = scan.at + 2
    cdef int64_t length = 0, more
    cdef int found
    change.line, change.left_out = scan.at - scan.first, scan.left_out
    change.mode, change.reference, change.mark = 0, BY_MARK, 0
    found = take_line(scan, 2, &change.path)
    if found != PLAIN:
        return found
    if modifies:
        length = mode_at(text, change.path.size, &change.mode)
        change.oid.start = change.path.start + length
        more = reference_at(text + length, change.path.size - length, change) if length else 0
        if more == 0:
            return UNUSUAL
        length += more
        change.path.start += length
        change.path.size -= length
    found = take_path(scan, text + length, change)
    if found == PLAIN and change.reference == INLINE:
        scan.sorts |= BODIES
        found = take_data(scan, scan.max_body, &change.body)
        if found == PLAIN:
            scan.left_out += scan.at - scan.first - change.body.start
    elif modifies:
        scan.sorts |= GITLINKS if change.mode == GITLINK else FILES
    return UNUSUAL if scan.sorts & (scan.sorts - 1) else found


cdef int take_signature(Scan *scan) noexcept nogil:
    """Take a signature of a known kind."""
    cdef int found = take_line(scan, 7, &scan.signed)
    if found == PLAIN and not is_known_kind(scan.first + scan.signed.start, scan.signed.size):
        return UNUSUAL
    return take_data(scan, MAX_DATA, &scan.signature) if found == PLAIN else found


cdef int take_header(Scan *scan) noexcept nogil:
    """Take all up to the message, and that."""
    cdef int found = take_line(scan, 7, &scan.ref)
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
    if starts(scan, b"gpgsig ", 7):
        found = take_signature(scan)
    if found == PLAIN and starts(scan, b"encoding ", 9):
        found = take_line(scan, 9, &scan.encoding)
    return take_data(scan, MAX_DATA, &scan.message) if found == PLAIN else found


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

    It must not wait for more when this may be a question, which has to be answered first. A line
    with a NUL is refused before the commit ends.
    """
    cdef int found = UNUSUAL
    cdef Span rest
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
    return take_line(scan, 0, &rest) if found == PLAIN else found


cdef int scan_commit(Scan *scan, int64_t *end) except -2 nogil:
    """Scan the commit at hand, from `scan.done` on; set where its text ends."""
    cdef int found = PLAIN
    cdef Bytes line
    cdef int64_t names_size
    if scan.done == 0:
        found = take_header(scan)
        if found == PLAIN:
            found = take_parents(scan)
    while found == PLAIN and scan.at < scan.stop:
        line, names_size = scan.at, scan.names_size
        scan.done = line - scan.first
        end[0] = scan.done - scan.left_out
        if line[0] == 10:
            scan.at += 1
            scan.blank_line = True
            return PLAIN
        if line[0] != 77 and not starts(scan, b"D ", 2):
            if scan.count or not starts(scan, b"deleteall\n", 10):
                found = at_end(scan)
                scan.at = line
                return found
        if end[0] > MAX_TEXT or scan.count == MAX_CHANGES:
            return UNUSUAL
        if scan.count == scan.room:
            grow(scan)
        found = take_line_of_change(scan, &scan.changes[scan.count])
        if found != PLAIN:
            scan.at, scan.names_size = line, names_size
            return found
        scan.count += 1
    if found == PLAIN:
        scan.done = scan.at - scan.first
        end[0] = scan.done - scan.left_out
        return PLAIN if scan.eof else SHORT
    return found


cdef int take_line_of_change(Scan *scan, Change *change) except -2 nogil:
    cdef int found
    if scan.at[0] == 100:
        return take_delete_all(scan, change)
    found = expect(scan, b"D " if scan.at[0] == 68 else b"M ", 2)
    return take_change(scan, change) if found == PLAIN else found


cdef int grow(Scan *scan) except -1 nogil:
    cdef int64_t wanted = 2 * scan.room + 64
    cdef Change *grown = <Change *>realloc(scan.changes, wanted * sizeof(Change))
    if grown == NULL:
        with gil:
            raise MemoryError
    scan.changes, scan.room = grown, wanted
    return 0


cdef int grow_names(Scan *scan, int64_t wanted) except -1 nogil:
    cdef unsigned char *grown = <unsigned char *>realloc(scan.names, 2 * wanted)
    if grown == NULL:
        with gil:
            raise MemoryError
    scan.names, scan.names_room = grown, 2 * wanted
    return 0


cdef bytes text_of(Scan *scan, int64_t end):
    """Copy the commit's lines, which end at *end*, without bodies; then the unquoted paths."""
    cdef bytes text = PyBytes_FromStringAndSize(NULL, end + scan.names_size)
    cdef unsigned char *out = <unsigned char *>PyBytes_AS_STRING(text)
    cdef int64_t done = 0, count = scan.count, index  # done: bytes of the stream
    cdef Change *room = scan.changes
    if scan.sorts & BODIES:
        for index in range(count):
            if room[index].reference == INLINE:
                memcpy(out, scan.first + done, room[index].body.start - done)
                out += room[index].body.start - done
                done = room[index + 1].line if index + 1 < count else end + scan.left_out
    memcpy(out, scan.first + done, end + scan.left_out - done)
    out += end + scan.left_out - done
    if scan.names_size:
        memcpy(out, scan.names, scan.names_size)
        for index in range(count):
            if room[index].path.start < 0:
                room[index].path.start = end - 1 - room[index].path.start
    return text


cdef PlainCommit keep(Scan *scan, int64_t end, int64_t offset, int64_t number):
    """Copy what the scan found out of buffer and room."""
    cdef PlainCommit commit = PlainCommit.__new__(PlainCommit)
    cdef int64_t count = scan.count
    commit.text, commit.text_end = text_of(scan, end), end
    commit.offset, commit.size, commit.number = offset, end + scan.left_out, number
    commit.mark, commit.start_from = scan.mark, scan.start_from
    commit.blank_line, commit.has_bodies = scan.blank_line, scan.sorts & BODIES
    commit.ref_span, commit.original_oid_span = scan.ref, scan.original_oid
    commit.author_span, commit.committer_span = scan.author, scan.committer
    commit.signed_span, commit.signature_span = scan.signed, scan.signature
    commit.encoding_span, commit.message_span = scan.encoding, scan.message
    if scan.merge_count:
        commit.merges = <uint64_t *>malloc(scan.merge_count * sizeof(uint64_t))
        if commit.merges == NULL:
            raise MemoryError
        memcpy(commit.merges, scan.merges, scan.merge_count * sizeof(uint64_t))
        commit.merge_count = scan.merge_count
    if count:
        commit.starts_empty = scan.changes[0].reference == NOTHING
        commit.edits = <Change *>malloc(count * sizeof(Change))
        if commit.edits == NULL:
            raise MemoryError
        memcpy(commit.edits, scan.changes, count * sizeof(Change))
        commit.edit_count = count
    return commit


cdef class CommitScanner:
    """Scans plain commits of one stream, each from where it stopped when more has arrived."""

    cdef Scan scan
    cdef int64_t begun  # where in the stream the commit stands that has not arrived in full

    def __cinit__(self):
        memset(&self.scan, 0, sizeof(Scan))
        self.begun = -1

    def __dealloc__(self):
        free(self.scan.changes)
        free(self.scan.names)

    def take(
        self, buffer, int64_t start, int64_t end, *, int64_t base, int64_t number,
        bint optional_lf, int64_t max_body, bint eof=False,
    ):
        """Scan the commit at ``buffer[start:end]``, in front of which an LF may have to be skipped.

        Args:
            buffer: The bytes.
            start: Where the commit starts.
            end: Where what has arrived ends.
            base: Where in the stream *buffer* starts.
            number: The command's number.
            optional_lf: Whether to skip an LF first.
            max_body: Longest body of a file to take.
            eof: Whether that is the end of input, too.

        Returns:
            The commit and the position behind it; None, and `INCOMPLETE` if it is a plain commit as
            far as it has arrived and worth waiting for, or 0 if it is none.
        """
        cdef const unsigned char[::1] data = buffer
        cdef Scan *scan = &self.scan
        cdef PlainCommit commit
        cdef int64_t text_end = 0
        cdef int found
        if not 0 <= start < end <= data.shape[0]:
            return None, INCOMPLETE
        if optional_lf and data[start] == 10:
            start += 1
        if self.begun != base + start or scan.done == 0:
            clear(scan)
        self.begun = -1
        scan.max_body, scan.eof = max_body, eof
        scan.first, scan.stop = &data[0] + start, &data[0] + end
        scan.at = scan.first + scan.done
        found = PLAIN if scan.done else expect(scan, b"commit ", 7)
        if found == PLAIN:
            found = scan_commit(scan, &text_end)
        if found == SHORT and is_worth_waiting(scan):
            self.begun = base + start
            return None, INCOMPLETE
        if found != PLAIN:
            return None, 0
        commit = keep(scan, text_end, base + start, number)
        if commit.has_bodies:
            commit.buffer = memoryview(buffer)[start:scan.at - &data[0]]
        if scan.room > USUAL_CHANGES:
            free(scan.changes)
            scan.changes, scan.room = NULL, 0
        return commit, scan.at - &data[0]


cdef void clear(Scan *scan) noexcept nogil:
    """Forget the commit before, but not the room for its changes."""
    cdef Scan fresh
    memset(&fresh, 0, sizeof(Scan))
    fresh.changes, fresh.room = scan.changes, scan.room
    fresh.names, fresh.names_room = scan.names, scan.names_room
    scan[0] = fresh


cdef bint is_worth_waiting(Scan *scan) noexcept nogil:
    return scan.stop - scan.first - scan.done + scan.left_out < MAX_WAITED
