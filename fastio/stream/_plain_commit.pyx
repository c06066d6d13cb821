# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""A commit that was read whole, in one piece of memory."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc

from fastio.stream import commands as c

cdef enum:
    RECENT_LINES = 100  # of a report
    LONG_TEXT = 1 << 16


@cython.final
cdef class PlainCommit:
    """A commit in the usual spelling: parents by mark, entries set and deleted.

    Bodies of its files stay in the buffer, where they are valid until the parser's next call.

    Attributes:
        text: The commit's bytes, from ``commit`` to its last change, without those bodies; and
            behind that the paths that were quoted, as they are without quotes.
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

    cdef bint is_simple(self) noexcept:
        """Tell whether there is neither encoding nor signature."""
        return self.encoding_span.start == 0 and self.signed_span.start == 0

    def header(self):
        """Return what the parser would hand out for the header."""
        merges = [c.Mark(self.merges[index]) for index in range(self.merge_count)]
        return c.Commit(
            ref=self.ref,
            mark=c.Mark(self.mark) if self.mark else None,
            original_oid=self.original_oid,
            author=self.cut(self.author_span) if self.author_span.start else None,
            committer=self.cut(self.committer_span),
            signatures=self.signatures,
            encoding=self.encoding,
            message=self.message,
            from_=c.Mark(self.start_from) if self.start_from else None,
            merges=tuple(merges),
        )

    @property
    def signatures(self):
        """The signature, if there is one, in a tuple."""
        if self.signed_span.start == 0:
            return ()
        return (c.Signature(self.cut(self.signed_span), self.cut(self.signature_span)),)

    def changes(self):
        """Return the changes as the parser would hand them out, each with its offset.

        Bodies are there until `drop_buffer`.
        """
        cdef int64_t index
        found = []
        for index in range(self.edit_count):
            found.append((self.offset + self.edits[index].line, self.change(&self.edits[index])))
        return found

    cdef object change(self, const Change *change):
        cdef bytes path = self.cut(change.path)
        if change.reference == NOTHING:
            return c.FileDeleteAll()
        if change.mode == 0:
            return c.FileDelete(path)
        if change.reference == INLINE:
            return c.FileModify(change.mode, None, path, self.body(change))
        if change.reference == BY_OID:
            return c.FileModify(change.mode, self.cut(change.oid), path)
        return c.FileModify(change.mode, c.Mark(change.mark), path)

    cdef object body(self, const Change *change):
        """Return the bytes of an inline file, which lie in the buffer."""
        if self.buffer is None:
            return None
        return self.buffer[change.body.start:change.body.start + change.body.size]

    cdef int drop_buffer(self) except -1:
        """Let the buffer go: its bytes are about to change."""
        self.buffer = None
        return 0

    cdef int forget_changes(self) except -1:
        """Free what an executed commit does without; `lines` goes by the first change.

        Of a long text the last lines stay, as many as a report has.
        """
        cdef int64_t head, lines = 0, at = self.text_end
        if self.edit_count > 1:
            self.edits = <Change *>realloc(self.edits, sizeof(Change))
            self.edit_count = 1
        if self.edit_count and self.text_end > LONG_TEXT:
            head = self.edits[0].line
            while at > head and lines <= RECENT_LINES:
                at -= 1
                lines += PyBytes_AS_STRING(self.text)[at] == 10
            at += lines > RECENT_LINES  # behind the LF before them
            self.text = self.text[:head] + self.text[at:self.text_end]
            self.text_end = PyBytes_GET_SIZE(self.text)
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
    def encoding(self):
        """What the message is encoded in, None if the stream does not say."""
        return self.cut(self.encoding_span) if self.encoding_span.start else None

    @property
    def message(self):
        """The message."""
        return self.cut(self.message_span)

    def lines(self, int64_t offset):
        """Return the lines that are commands, up to the one at *offset* in the stream.

        The commit's own offset stands for its header, its parents included.
        """
        cdef int64_t end = self.text_end, index, start = 0
        cdef Span data
        for index in range(self.edit_count):
            if self.offset + self.edits[index].line > offset:
                end = self.edits[index].line - self.edits[index].left_out
                break
        head = b""
        for data in (self.signature_span, self.message_span):
            if data.start:
                head += self.text[start:data.start]
                start = data.start + data.size
                start += self.text[start:start + 1] == b"\n"
        lines = (head + self.text[start:end].lstrip(b"\n")).split(b"\n")
        whole = offset - self.offset >= self.size
        return lines if whole and self.blank_line else lines[:len(lines) - 1]
