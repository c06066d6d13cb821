"""A reader that goes on behind mistakes, for whoever wants to know all of them.

The grammar asks its reader to deal with what is broken, and the strict one raises. This one tells
`Problems`, and lets the grammar go on:

* A broken field (ident, date, committish, change) is told, and read as if it were in order.
* A line that is missing is told, and made up; lines that are out of place are passed over.
* A body whose length cannot be right, and what is no command at all, are left to `Resync`.

Nothing is told twice for one line, and nothing for the lines that belonged to one that was skipped.
What is made up has `MENDED` where there is nothing to look up.
"""

from __future__ import annotations

from typing import Final, Protocol

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream import framing
from fastio.stream.buffer import StreamBuffer
from fastio.stream.fields import read_committish, read_number
from fastio.stream.idents import read_ident
from fastio.stream.lines import keyword_of
from fastio.stream.quoting import shown
from fastio.stream.reader import NEED_DATA, Steps, StreamReader
from fastio.stream.resync import Body, Resync

MENDED: Final = b"\0"
"""Stands for a name that could not be read. No name holds a NUL."""

_NOBODY: Final = b" <> 0 +0000"
_MADE_UP: Final = {
    b"from ": b"from " + MENDED,
    b"to ": b"to " + MENDED,
    b"committer ": b"committer " + MENDED,
    b"mark :": b"mark :0",
    b"data ": b"data 0",
}
# Where one of these stands instead of another line, that one is missing, and not out of place.
_IN_PLACE: Final = {
    b"committer ": frozenset((b"data ", b"from ", b"merge ")),
    b"data ": frozenset((b"from ", b"merge ")),
    b"from ": frozenset((b"data ",)),
    b"to ": frozenset(framing.HEADER_KEYWORDS),
    b"mark :": frozenset((b"to ",)),
}
# Here a CR is text to git, or is not looked at. A date may be wrong with it, or not.
_CR_IN_PATH: Final = frozenset((b"M ", b"D ", b"C ", b"R "))
_CR_IN_TEXT: Final = frozenset(
    (
        *(b"ls ", b"progress ", b"option ", b"mark ", b"original-oid ", b"gpgsig "),
        *(b"encoding ", b"data ", b"author ", b"committer ", b"tagger "),
    )
)


_NOT_FOR_CR: Final = frozenset(("data-length", "data", "truncated"))


class Problems(Protocol):
    """Whoever wants to know what is wrong. Errors come with offset, kind and line."""

    def problem(self, error: StreamError) -> None:
        """Take note of what the strict reader would have raised."""

    def notice(self, error: StreamError) -> None:
        """Take note of what the strict reader lets pass, but nobody can have meant."""

    def skipped(self, text: bytes) -> None:
        """Take note of bytes that nothing was read from; they hold whole lines."""


class LenientReader(StreamReader):
    """Reads on behind mistakes and tells *problems* of them."""

    def __init__(self, buffer: StreamBuffer, *, piece_size: int, problems: Problems) -> None:
        super().__init__(buffer, piece_size=piece_size)
        self._problems = problems
        self._resync = Resync(self, problems.skipped)
        self._told = self._noticed = -1  # offsets of the last line of which anything was
        self._is_text = False

    def tell(self, error: StreamError, offset: int, line: bytes) -> None:
        """Tell of a problem, unless its line was told already."""
        if offset != self._told:
            self._told = offset
            line, kind = error.line or line, error.kind
            if line[-1:] == b"\r" and kind not in _NOT_FOR_CR:
                kind = "carriage-return"
            self._problems.problem(StreamError(error.reason, offset, kind=kind, line=line))

    def _notice(self, reason: str, kind: str, line: bytes) -> None:
        """Tell of a line that the strict reader lets pass, once."""
        offset = self.line_offset
        if offset != self._noticed:
            self._noticed = offset
            self._problems.notice(StreamError(reason, offset, kind=kind, line=line))

    # --- what the grammar hands over ------------------------------------------------------------

    def mend(self, error: StreamError) -> None:
        """Tell of the field, and let reading go on."""
        self.tell(error, self.line_offset, self.last_line)

    def expected(self, start: bytes, line: bytes) -> Steps[bytes]:
        """Find the line further down, or make it up."""
        self.mend(self.not_expected(start, line))
        while self._is_out_of_place(start, line):
            with_data = line.startswith(b"gpgsig ")
            line = yield from self.next_line()
            if with_data and line.startswith(b"data "):
                yield from self._pass_body(line)
                line = yield from self.next_line()
            if line.startswith(start):
                return line
        self.unread_line()
        return _MADE_UP[start]

    def _is_out_of_place(self, start: bytes, line: bytes) -> bool:
        """Pass over a line that is not the expected one, if that comes later perhaps."""
        keyword = keyword_of(line)
        if keyword not in framing.HEADER_KEYWORDS:
            return self.passes_over(line)
        if keyword in _IN_PLACE[start]:
            return False
        self._problems.skipped(line)
        return True

    def skip_change(self, error: StreamError) -> Steps[None]:
        """Tell of the change and pass over it, its data included."""
        self.mend(error)
        line = yield from self.next_line()
        if line.startswith(b"data "):
            yield from self._pass_body(line)
        else:
            self.unread_line()

    def _pass_body(self, line: bytes) -> Steps[None]:
        """Read a body that belongs to something broken."""
        yield from self.body(line)
        for step in self.pieces():
            if step is NEED_DATA:
                yield step

    def passes_over(self, line: bytes) -> bool:
        """Pass over a line that is no command at all, and what comes with it."""
        if framing.is_known(line):
            return False
        self.mend(StreamError(f"unsupported command: {shown(line)}", kind="command"))
        self._problems.skipped(line)
        self._resync.skip(is_start=True, inside=True)
        return True

    def give_up(self, error: StreamError) -> None:
        """Tell of the command and go to the next one."""
        offset, kind, is_whole = self.line_offset, error.kind, not self.pieces_left
        self.pieces_left = 0
        if kind == "truncated":
            behind = self._resync.resume_in_body(is_whole=is_whole)
            if behind:
                reason = f"{error.reason}; but a command starts behind {behind} bytes"
                error = StreamError(reason, kind="data-length")
        if offset != self._resync.resumed:
            self.tell(error, offset, self.last_line)
        if kind == "command":
            self._problems.skipped(self.last_line)
            if self.last_line:  # one empty line too many does no harm
                self._resync.skip(is_start=True, inside=False)
        elif kind == "data":
            self._resync.skip(is_start=True, inside=False)

    # --- fields ---------------------------------------------------------------------------------

    def ident(self, text: bytes) -> bytes:
        """Read an ident; a broken one is nobody's."""
        if text == MENDED:
            return _NOBODY
        try:
            return read_ident(text, self.date_format)
        except StreamError as error:
            self.mend(error)
            return _NOBODY

    def committish(self, text: bytes) -> c.Committish:
        """Read the mark or name of a commit; a broken one is `MENDED`."""
        try:
            return read_committish(text)
        except StreamError as error:
            self.mend(error)
            return MENDED

    def declared_mark(self, line: bytes) -> c.Mark | None:
        """Return the mark, and tell if it was meant otherwise."""
        self._look_at_number(line, 6)
        return super().declared_mark(line)

    def _size(self, line: bytes) -> int:
        self._look_at_number(line, 5)
        return super()._size(line)

    def _look_at_number(self, line: bytes, at: int) -> None:
        """Tell of a number that is none, or has something behind it."""
        if line[at:].isdigit():
            return
        value, end, _ = read_number(line, at)
        if end == at:
            reason = f"there is no number, it reads as 0: {shown(line)}"
        elif line[end:].strip():
            reason = f"only {value} is read of the number: {shown(line)}"
        else:
            return
        self._notice(reason, "number", line)

    # --- lines ----------------------------------------------------------------------------------

    def line(self) -> bytes | None:
        """Take the next line that can be understood."""
        while self._resync.is_ready():
            try:
                line = super().line()
            except StreamError as error:
                self.mend(error)
                if error.kind == "nul":
                    return self.last_line.partition(b"\0")[0]  # as git reads it
                self._resync.skip(is_start=False, inside=True)  # it is too long
                continue
            if line is None or line[-1:] != b"\r":
                return line
            line = self._without_cr(line)
            if line:
                return line
        return None

    def _without_cr(self, line: bytes) -> bytes:
        """Return *line* as it was meant; that is nothing if it was meant to be empty."""
        keyword, offset = keyword_of(line), self.line_offset
        if keyword in _CR_IN_PATH:
            self._notice("the path ends in a CR", "path-cr", line)
        elif keyword not in _CR_IN_TEXT and framing.is_known(line[:-1]):
            if offset != self._noticed:
                self._noticed = offset
                reason = f"the line ends in CR LF: {shown(line[:-1])}"
                error = StreamError(reason, offset, kind="carriage-return", line=line)
                self._problems.problem(error)
            return line[:-1]
        return line

    # --- bodies ---------------------------------------------------------------------------------

    def message(self, line: bytes) -> Steps[bytes]:
        """Read a body that has to be whole and to outlive the buffer."""
        self._is_text = True
        message = yield from super().message(line)
        self._is_text = False
        return message

    def _whole_body(self, line: bytes) -> Steps[memoryview]:
        offset, is_text = self.line_offset, self._is_text
        view = yield from super()._whole_body(line)
        if not line.startswith(b"data <<") and line is not _MADE_UP[b"data "]:
            start = self.buffer.base + self.buffer.start - len(view)
            self._resync.note_body(Body(line, offset, start, len(view), True, is_text))
        return view

    def pieces(self) -> Steps[None]:
        """Read the body that was announced, as far as it is there."""
        line, offset = self.last_line, self.line_offset
        try:
            for step in super().pieces():
                if isinstance(step, c.DataPiece) and step.last:
                    start = self.buffer.base + self.buffer.start - len(step.data)
                    self._resync.note_body(Body(line, offset, start, len(step.data), False, False))
                yield step
        except StreamError as error:
            self.give_up(error)

    def passed_over(self) -> None:
        """Take it that the body before is in order, as a command came behind it."""
        self._resync.passed_over()
