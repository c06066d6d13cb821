"""Finding the way back when the length of a body, or a line, cannot be right.

Behind a counted body the next line is looked at before the grammar sees it. If nothing of a stream
can look like that, the count is wrong, and the body, which the buffer has held until now, is looked
at again: does it end well if the count is one of characters, or from before LF became CR LF? Does
it hold the commands that should follow it? Then reading goes on at the end that it ought to have
had. Otherwise, and for lines that are no command, all is skipped up to the next line that can only
start one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from fastio.errors import CLIPPED_LINE, StreamError
from fastio.records import record
from fastio.stream import framing
from fastio.stream.quoting import shown

if TYPE_CHECKING:
    from fastio.stream.lenient import LenientReader

_FindEnd = Callable[[bytearray, int, int, int], int]
_MISCOUNTS: Final[Sequence[tuple[_FindEnd, str]]] = (
    (framing.end_in_characters, "data counts characters, not bytes: {0} are {1} bytes"),
    (framing.end_before_crlf, "data was counted before LF became CR LF: {0} bytes are {1} now"),
)
# Bytes of bodies, after which nothing is counted again: a stream in which each body holds the next
# command would cost the square of its length.
_MOST_RECOUNTED: Final = 1 << 29
# While something is searched for, no more than this is kept for a start that has half arrived.
_KEPT: Final = 1 << 16


class _Find(Protocol):
    def __call__(self, data: bytearray, at: int, end: int, *, is_start: bool) -> int: ...


@record
class Body:
    """A counted body that was taken; whether its count was right is not known yet.

    Attributes:
        line: Its ``data`` line.
        offset: Offset in the stream of that line.
        start: Offset in the stream of the first byte that is still at hand.
        size: Bytes from there on.
        is_whole: Whether that is all of it, not the last piece of a large one.
        is_text: Whether it is a message or signature.
    """

    line: bytes
    offset: int
    start: int
    size: int
    is_whole: bool
    is_text: bool


class Resync:
    """Looks behind bodies, and skips what cannot be read.

    Attributes:
        resumed: Offset in the stream of the line at which reading went on last.
    """

    def __init__(self, reader: LenientReader, skipped: Callable[[bytes], None]) -> None:
        self._reader, self._buffer, self._skipped = reader, reader.buffer, skipped
        self._body: Body | None = None
        self._find: _Find | None = None  # what is searched for
        self._is_start = False
        self._recounted = 0
        self.resumed = -1

    @property
    def _data(self) -> bytearray:
        data = self._buffer.data
        assert isinstance(data, bytearray), "what is mended cannot be read in place"
        return data

    def note_body(self, body: Body) -> None:
        """Take note of a body that was taken."""
        self._body = body
        self._buffer.held = body.start - self._buffer.base

    def passed_over(self) -> None:
        """Forget the last body."""
        self._body = self._buffer.held = None

    def skip(self, *, is_start: bool, inside: bool) -> None:
        """Go to the next line that starts a command, before another line is read.

        Args:
            is_start: Whether it may be the very next one; else what comes is no line's start.
            inside: Whether a line inside a command will do.
        """
        self._find = framing.find_line if inside else framing.find_command
        self._is_start = is_start
        self._reader.optional_lf = False

    def is_ready(self) -> bool:
        """Go to where the next line is to be read; False if that takes more bytes."""
        if self._body is not None:
            if not self._settle(self._body):
                return False
            self._body = self._buffer.held = None
        return self._find is None or self._go_on(self._find)

    def _go_on(self, find: _Find) -> bool:
        """Go to what is searched for; False if that takes more bytes."""
        buffer = self._buffer
        at = find(self._data, buffer.start, buffer.end, is_start=self._is_start)
        if at < 0 and not buffer.eof:
            # A start may be half there: it has up to three lines.
            at = buffer.end
            for _ in range(3):
                at = max(self._data.rfind(b"\n", buffer.start, at), buffer.start)
            at = max(at, buffer.end - _KEPT)
            self._is_start &= at == buffer.start
            self._go_to(at)
            return False
        self._go_to(at if at >= 0 else buffer.end)
        self._find = None
        self.resumed = buffer.base + buffer.start
        return True

    def _go_to(self, at: int) -> None:
        buffer = self._buffer
        self._skipped(buffer.view[buffer.start : at].tobytes())
        buffer.start = at

    def resume_in_body(self, *, is_whole: bool) -> int:
        """Go to a command in a body that has no end; return its distance, 0 if there is none."""
        buffer = self._buffer
        start = buffer.start
        at = framing.find_command(self._data, start, buffer.end, is_start=is_whole)
        buffer.start = at if at >= 0 else buffer.end
        return max(at - start, 0)

    def _settle(self, body: Body) -> bool:
        """Find out whether a body was as long as it said; False if that takes more bytes."""
        buffer = self._buffer
        at = buffer.start
        if buffer.end - at < framing.LOOKAHEAD and not buffer.eof:
            return False
        if self._reader.optional_lf:
            at = self._behind_lf(at)
        can_follow = framing.can_follow(self._data, at, buffer.end, is_text=body.is_text)
        if can_follow and self._data[at : min(at + 1, buffer.end)] != b"\r":
            return True
        if buffer.end - at < framing.ENOUGH and not buffer.eof:
            return False
        end = self._explained_end(body)
        if end is None:
            return False
        if end < 0 and not can_follow:
            self._tell_of_rest(body, at)
        return True

    def _behind_lf(self, at: int) -> int:
        return at + (at < self._buffer.end and self._data[at] == 0x0A)

    def _tell_of_rest(self, body: Body, at: int) -> None:
        """Tell of a body behind which, at *at*, a line comes that is none; and skip that."""
        buffer = self._buffer
        line = buffer.view[at : min(at + CLIPPED_LINE, buffer.end)].tobytes().partition(b"\n")[0]
        offset = buffer.base + at
        if offset == body.start or self._data[at - 1] == 0x0A:
            error = StreamError(f"unsupported command: {shown(line)}", kind="command")
            self._reader.tell(error, offset, line)
        else:
            reason = f"data is declared too short: behind {body.size} bytes comes {shown(line)}"
            self._reader.tell(StreamError(reason, kind="data-length"), body.offset, body.line)
        self.skip(is_start=False, inside=True)

    def _explained_end(self, body: Body) -> int | None:
        """Tell why a body's end is wrong and go to the right one.

        Returns:
            Its position; -1 if there is no explanation, None if more bytes are needed for one.
        """
        buffer = self._buffer
        start = body.start - buffer.base
        end = start + body.size
        for find, reason in self._miscounts(body):
            at = find(self._data, start, body.size, buffer.end)
            if at > end and at + framing.LOOKAHEAD > buffer.end and not buffer.eof:
                return None
            if end < at <= buffer.end and self._can_end(body, at):
                return self._resume_at(body, at, reason.format(body.size, at - start), lf=True)
        is_start = body.is_whole
        at = framing.find_overrun(self._data, start, end, buffer.end, is_start=is_start)
        if at < 0:
            return -1
        reason = f"data is declared too long: {body.size} bytes, but the next line starts behind "
        return self._resume_at(body, at, f"{reason}{at - start}", lf=False)

    def _miscounts(self, body: Body) -> Sequence[tuple[_FindEnd, str]]:
        """Return how the body may have been counted, as long as counting again is no waste."""
        self._recounted += body.size
        return _MISCOUNTS if body.is_whole and self._recounted < _MOST_RECOUNTED else ()

    def _can_end(self, body: Body, at: int) -> bool:
        buffer, at = self._buffer, self._behind_lf(at)
        return framing.can_follow(self._data, at, buffer.end, is_text=body.is_text)

    def _resume_at(self, body: Body, at: int, reason: str, *, lf: bool) -> int:
        self._reader.tell(StreamError(reason, kind="data-length"), body.offset, body.line)
        self._buffer.start, self._reader.optional_lf = at, lf
        return at
