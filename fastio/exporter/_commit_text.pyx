# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Makes the text of a commit; commit_text.py tells by which rules.

All of it goes by spans of the object's bytes, which end where the object or its first NUL does.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp

from fastio.exporter._records cimport RecordWriter
from fastio.exporter._walk cimport Walk
from workers._arrays cimport resized

cdef extern from "iconv.h" nogil:
    ctypedef void *iconv_t
    iconv_t iconv_open(const char *to, const char *source)
    int iconv_close(iconv_t descriptor)
    size_t iconv(iconv_t descriptor, char **source, size_t *left, char **target, size_t *room)

cdef extern from "errno.h" nogil:
    int errno
    int E2BIG

cdef enum:
    # Modes of --reencode.
    ENCODED_ABORT
    ENCODED_YES
    ENCODED_NO

cdef enum:
    # Modes of --signed-commits: what to do, and whether to tell.
    SIGNED_STRIP = 0
    SIGNED_KEEP = 1
    SIGNED_ABORT = 2
    SIGNED_TELL = 4

cdef dict REENCODE = {"abort": ENCODED_ABORT, "yes": ENCODED_YES, "no": ENCODED_NO}
cdef dict SIGNATURES = {
    "strip": SIGNED_STRIP,
    "warn-strip": SIGNED_STRIP | SIGNED_TELL,
    "verbatim": SIGNED_KEEP,
    "warn-verbatim": SIGNED_KEEP | SIGNED_TELL,
    "abort": SIGNED_ABORT,
}
cdef tuple KINDS = (  # of signatures, by their first bytes
    (b"-----BEGIN PGP SIGNATURE-----", b"openpgp"),
    (b"-----BEGIN PGP MESSAGE-----", b"openpgp"),
    (b"-----BEGIN SIGNED MESSAGE-----", b"x509"),
    (b"-----BEGIN SSH SIGNATURE-----", b"ssh"),
)
# Names that git knows beside those of iconv, in lower case.
cdef dict OTHER_NAMES = {b"utf8": b"UTF-8", b"utf-8": b"UTF-8", b"latin-1": b"ISO-8859-1"}

GOES_ON, BEHIND_BLOBS, AT_ONCE = TEXT_GOES_ON, TEXT_ENDS_BEHIND_BLOBS, TEXT_ENDS_AT_ONCE


@cython.final
cdef class CommitText:
    """Writes the text of commits.

    Args:
        options: Those of the export.
        oid_size: Bytes of an oid.
    """

    def __cinit__(self, options, int oid_size=20):
        self.oid_size = oid_size
        self.signatures = SIGNATURES[options.signed_commits]
        self.reencode = REENCODE[options.reencode]
        self.original_ids = options.show_original_ids
        self.excluded_parents = options.reference_excluded_parents
        self.anonymize = options.anonymize

    def __dealloc__(self):
        free(self.converted)

    def write(self, RecordWriter out not None, Walk walk not None, row, bytes body not None):
        """Write the text of a commit into the open record.

        Args:
            out: The record.
            walk: All commits.
            row: The commit's row.
            body: Its object.

        Returns:
            GOES_ON, or what is to come when the export ends here: BEHIND_BLOBS still names the
            commit's blobs, AT_ONCE does not.
        """
        if not 0 <= row < walk.count:
            raise IndexError(f"no row {row} in a walk of {walk.count} commits")
        return self.c_write(
            out, walk, row, <const unsigned char *>PyBytes_AS_STRING(body), PyBytes_GET_SIZE(body)
        )

    cdef int c_write(
        self, RecordWriter out, Walk walk, uint32_t row, const unsigned char *body, int64_t size
    ) except -1:
        cdef const unsigned char *oid = walk.oids + <size_t>row * self.oid_size
        cdef const unsigned char *end = <const unsigned char *>memchr(body, 0, size)
        cdef Span author, committer, headers, encoding, message
        if end == NULL:
            end = body + size
        author = find_line(body, end, b"\nauthor ", 8)
        if author.start == NULL:
            self.c_die(out, oid, "has no author")
            return TEXT_ENDS_AT_ONCE
        committer = find_line(author.end, end, b"\ncommitter ", 11)
        if committer.start == NULL:
            self.c_die(out, oid, "has no committer behind its author")
            return TEXT_ENDS_AT_ONCE
        message = find_message(committer.end, end)
        headers.start = committer.end
        headers.end = message.start - 2 if message.start != NULL else end
        encoding.start = NULL
        if headers.end > headers.start:
            encoding = find_line(headers.start, headers.end, b"\nencoding ", 10)
        if encoding.start != NULL:
            headers.start = encoding.end
        if self.anonymize:
            encoding.start = message.start = NULL  # whoever anonymizes writes another message
        elif encoding.start != NULL and self.reencode == ENCODED_ABORT:
            self.c_die(out, oid, "has an encoding header; --reencode=yes or no says what to do")
            return TEXT_ENDS_BEHIND_BLOBS
        elif encoding.start != NULL and self.reencode == ENCODED_YES:
            if self.c_convert(message, encoding):
                encoding.start = NULL
                message.start = self.converted
                message.end = self.converted + self.converted_size
        self.c_head(out, walk, row, author, committer)
        if headers.end > headers.start and self.signatures != SIGNED_STRIP:
            if not self.c_signatures(out, oid, headers):
                return TEXT_ENDS_BEHIND_BLOBS
        if encoding.start != NULL:
            write_line(out, encoding)
        write_data(out, message)
        self.c_parents(out, walk, row)
        return TEXT_GOES_ON

    cdef int c_head(
        self, RecordWriter out, Walk walk, uint32_t row, Span author, Span committer
    ) except -1:
        """Write all lines up to that of the committer."""
        cdef bytes name = <bytes>walk.ref_names[walk.names[row]]
        cdef const char *text = PyBytes_AS_STRING(name)
        cdef int64_t size = PyBytes_GET_SIZE(name)
        if walk.parent_starts[row] == walk.parent_starts[row + 1]:
            out.c_text(b"reset ", 6)
            out.c_text(text, size)
            out.c_text(b"\n", 1)
        out.c_text(b"commit ", 7)
        out.c_text(text, size)
        out.c_text(b"\nmark :", 7)
        out.c_own()
        out.c_text(b"\n", 1)
        if self.original_ids:
            out.c_text(b"original-oid ", 13)
            out.c_hex(walk.oids + <size_t>row * self.oid_size)
            out.c_text(b"\n", 1)
        write_line(out, author)
        write_line(out, committer)
        return 0

    cdef bint c_signatures(
        self, RecordWriter out, const unsigned char *oid, Span headers
    ) except -1:
        """Do with the signatures what the option says; False if the export ends with them."""
        cdef list found = signatures_of(headers)
        if not found:
            return True
        if self.signatures == SIGNED_ABORT:
            self.c_die(out, oid, "is signed; --signed-commits=<mode> says what to do")
            return False
        if self.signatures & SIGNED_TELL:
            keeps = self.signatures & SIGNED_KEEP
            warning = b"commit %b is signed: its signatures are %b" % (
                hex_of(oid, self.oid_size), b"exported" if keeps else b"left out"
            )
            out.warn(warning)
        if self.signatures & SIGNED_KEEP:
            for algorithm, text in found:
                kind = next((kind for start, kind in KINDS if text.startswith(start)), b"unknown")
                out.text(b"gpgsig %b %b\ndata %d\n%b\n" % (algorithm, kind, len(text), text))
        return True

    cdef int c_parents(self, RecordWriter out, Walk walk, uint32_t row) except -1:
        cdef uint32_t number
        cdef const unsigned char *oid
        cdef bint is_first = True
        for number in range(walk.parent_starts[row], walk.parent_starts[row + 1]):
            if not walk.parent_marked[number] and not self.excluded_parents:
                continue
            if is_first:
                out.c_text(b"from ", 5)
            else:
                out.c_text(b"merge ", 6)
            is_first = False
            oid = walk.parent_oids + <size_t>number * self.oid_size
            if walk.parent_marked[number]:
                out.c_text(b":", 1)
                out.c_of(oid)
            else:
                out.c_hex(oid)
            out.c_text(b"\n", 1)
        return 0

    cdef int c_die(self, RecordWriter out, const unsigned char *oid, str problem) except -1:
        out.die(b"commit %b %b" % (hex_of(oid, self.oid_size), problem.encode()))
        return 0

    cdef bint c_convert(self, Span message, Span encoding) except -1:
        """Convert a message to UTF-8, all of it or not at all."""
        cdef bytes name = bytes_of(encoding)[9:]
        cdef iconv_t descriptor = iconv_open(b"UTF-8", name)
        cdef char *source = <char *>message.start
        cdef char *target
        cdef size_t left = 0, room, done
        if <int64_t>descriptor == -1 and name.lower() in OTHER_NAMES:
            descriptor = iconv_open(b"UTF-8", <bytes>OTHER_NAMES[name.lower()])
        if <int64_t>descriptor == -1:
            return False
        if source != NULL:
            left = message.end - message.start
        self.converted_size = 0
        try:
            while True:
                self.grow(left)
                target = <char *>self.converted + self.converted_size
                room = self.converted_room - self.converted_size
                done = iconv(descriptor, &source, &left, &target, &room)
                self.converted_size = <unsigned char *>target - self.converted
                if done != <size_t>-1:
                    return True
                if errno != E2BIG:
                    return False
        finally:
            iconv_close(descriptor)

    cdef int grow(self, size_t left) except -1:
        """Make room to convert some more bytes, which may become longer."""
        cdef int64_t room = self.converted_size + left * 2 + 64
        if room > self.converted_room:
            self.converted = <unsigned char *>resized(self.converted, room)
            self.converted_room = room
        return 0


cdef Span find_line(
    const unsigned char *at, const unsigned char *end, const char *start, int64_t size
) noexcept:
    """Find the first line that begins so; *start* has the LF of the line before in front."""
    cdef Span line
    line.start = NULL
    while at < end:
        at = <const unsigned char *>memchr(at, c"\n", end - at)
        if at == NULL or end - at < size:
            break
        if memcmp(at, start, size) == 0:
            line.start = at + 1
            line.end = <const unsigned char *>memchr(at + 1, c"\n", end - at - 1)
            if line.end == NULL:
                line.end = end
            break
        at += 1
    return line


cdef Span find_message(const unsigned char *at, const unsigned char *end) noexcept:
    """Find what stands behind the first empty line."""
    cdef Span message
    message.start, message.end = NULL, end
    while at < end:
        at = <const unsigned char *>memchr(at, c"\n", end - at)
        if at == NULL or at + 1 == end:
            break
        if at[1] == c"\n":
            message.start = at + 2
            break
        at += 1
    return message


cdef list signatures_of(Span headers):
    """All signatures of the headers, as pairs of algorithm and text: SHA-1's before SHA-256's."""
    cdef list found = []
    lines = bytes_of(headers).split(b"\n")
    for name, algorithm in ((b"gpgsig ", b"sha1"), (b"gpgsig-sha256 ", b"sha256")):
        text = None
        for line in lines:
            if text is not None and line.startswith(b" "):
                text.append(line[1:])
            elif line.startswith(name):
                text = [line[len(name) :]]
                found.append((algorithm, text))
            else:
                text = None
    return [(algorithm, b"\n".join(text)) for algorithm, text in found]


cdef inline bytes bytes_of(Span span):
    return PyBytes_FromStringAndSize(<const char *>span.start, span.end - span.start)


cdef inline int write_line(RecordWriter out, Span line) except -1:
    out.c_text(line.start, line.end - line.start)
    return out.c_text(b"\n", 1)


cdef inline int write_data(RecordWriter out, Span text) except -1:
    cdef int64_t size = text.end - text.start if text.start != NULL else 0
    out.c_text(b"data ", 5)
    out.c_number(size)
    out.c_text(b"\n", 1)
    return out.c_text(text.start, size) if size else 0


cdef bytes hex_of(const unsigned char *oid, int size):
    return PyBytes_FromStringAndSize(<const char *>oid, size).hex().encode()
