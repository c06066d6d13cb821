"""Lines and bodies, as the readers of the grammar want them.

What may have to wait is a generator: it stands still on a `NEED_DATA` until more bytes are there.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Generator
from itertools import islice
from typing import Final, TypeAlias, TypeVar

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream._commit_scanner import CommitScanner
from fastio.stream._plain_commit import PlainCommit
from fastio.stream.buffer import StreamBuffer
from fastio.stream.fields import read_committish, read_count
from fastio.stream.idents import read_ident
from fastio.stream.quoting import shown

RECENT_LINES: Final = 100


class NeedData(enum.Enum):
    """The type of `NEED_DATA`."""

    NEED_DATA = "NEED_DATA"


NEED_DATA: Final = NeedData.NEED_DATA
"""Returned instead of a command: feed more bytes, or the end, and ask again."""


WAITS_FOR_COMMAND, WAITS_FOR_CHANGE, WAITS_FOR_MORE = range(3)
"""What the next bytes have to bring: the first line of a command, that of a change in a commit or
of what comes behind it, or more of what has begun."""

BEHIND_COMMENTS: Final = 2
"""An optional LF may be skipped behind comments, too: where git looks for a further line."""

Step: TypeAlias = c.Command | NeedData

T = TypeVar("T")
Steps: TypeAlias = Generator[Step, None, T]
"""A reader that hands out commands and `NEED_DATA` on its way to its result."""


Recent: TypeAlias = "bytes | PlainCommit"
"""A line; what the fast paths took is there whole: a blob's header, LFs between, or a commit."""


class StreamReader:
    """Takes lines and bodies from the buffer, and keeps what the grammar's readers share.

    Attributes:
        buffer: The bytes that have arrived.
        date_format: How dates are written, a key of `fastio.stream.dates.READERS`.
        recent: What was taken, comments included: the last hundred items and one more, as the
            newest may be given back; or all since `drop_lines`.
        dropped: How many items were dropped from *recent*, where all are kept.
        optional_lf: Whether an LF is to be skipped if it comes next, or even `BEHIND_COMMENTS`.
        in_header: Whether there was nothing but features and options so far.
        pieces_left: Bytes still to come of a body that is handed out in pieces.
        offset: Offset in the stream of the command or change that is being read.
        commits: Reads commits for the fast path.
        waits: What is waited for, a ``WAITS_FOR_`` constant.
    """

    def __init__(self, buffer: StreamBuffer, *, piece_size: int, keep_lines: bool = False) -> None:
        self.buffer, self.piece_size, self.date_format = buffer, piece_size, "raw"
        self.recent: deque[Recent] = deque(maxlen=None if keep_lines else RECENT_LINES + 1)
        self.dropped = 0
        self.optional_lf: bool | int = False
        self.in_header = True
        self.pieces_left = self.offset = 0
        self.commits = CommitScanner()
        self.waits = WAITS_FOR_MORE

    @property
    def line_offset(self) -> int:
        """Offset in the stream of the line taken last."""
        return self.buffer.base + self.buffer.line_start

    @property
    def last_line(self) -> bytes:
        """The line taken last; empty at the end of input."""
        newest = self.recent[-1] if self.recent else b""
        return newest if isinstance(newest, bytes) and not self.buffer.at_end else b""

    def lines_up_to(self, number: int, offset: int) -> list[bytes]:
        """Return the last hundred lines of the first *number* items, as far as they are kept.

        Of the last item, if that is a commit, what stands behind the line at *offset* is left out.
        """
        end = number - self.dropped
        lines: list[bytes] = []
        for item in islice(self.recent, max(end - RECENT_LINES, 0), end):
            if isinstance(item, PlainCommit):
                lines += item.lines(offset)
            else:
                lines += item.split(b"\n")
        return lines[-RECENT_LINES:]

    def drop_lines(self, number: int) -> None:
        """Drop what `lines_up_to` needs for none of the items from *number* on."""
        for _ in range(number - RECENT_LINES - self.dropped):
            self.recent.popleft()
            self.dropped += 1

    def line(self) -> bytes | None:
        """Take the next line that is no comment.

        Returns:
            The line without its LF, b"" with ``buffer.at_end`` set at the end of input, or None if
            the line has not arrived in full.
        """
        buffer = self.buffer
        if self.optional_lf and not self.skip_optional_lf():
            return None
        if buffer.start == buffer.end and not buffer.eof:
            return None
        while (line := buffer.take_line()) is not None:
            if not line and buffer.at_end:
                return line
            self.recent.append(line)
            if line[:1] == b"#":
                self.in_header = False
            elif 0 in line and not line.startswith(b"progress "):
                raise StreamError(f"NUL in command line: {shown(line)}", kind="nul")
            else:
                return line
        return None

    def skip_optional_lf(self) -> bool:
        """Skip the optional LF, if it comes next; return False if that cannot be told yet."""
        buffer = self.buffer
        while self.optional_lf == BEHIND_COMMENTS and buffer.data.startswith(
            b"#", buffer.start, buffer.end
        ):
            if (comment := buffer.take_line()) is None:
                return False
            self.recent.append(comment)
        if not buffer.skip_lf():
            return False
        self.optional_lf = False
        return True

    def next_line(self) -> Steps[bytes]:
        """Wait for the next line that is no comment; the end of input reads as an empty one."""
        while (line := self.line()) is None:
            yield NEED_DATA
        return line

    def unread_line(self) -> None:
        """Give the line taken last back, to be taken once more."""
        if not self.buffer.at_end:
            self.recent.pop()
        self.buffer.unread_line()

    # --- what a lenient reader does otherwise ----------------------------------------------------

    def mend(self, error: StreamError) -> None:
        """Deal with a field that is broken; if this returns, reading goes on behind its line."""
        raise error

    def expected(self, start: bytes, line: bytes) -> Steps[bytes]:
        """Deal with *line*, where one with another *start* has to stand.

        Returns:
            The line to read instead.
        """
        raise self.not_expected(start, line)

    def skip_change(self, error: StreamError) -> Steps[None]:
        """Deal with a change that is broken; if this returns, the next one is read."""
        raise error

    def passes_over(self, line: bytes) -> bool:
        """Tell whether *line*, which is none of a commit's, does not end the commit."""
        return False

    def give_up(self, error: StreamError) -> None:
        """Deal with a command that is broken; if this returns, the next one is read."""
        raise error

    def passed_over(self) -> None:
        """Learn that commands were passed over, so that nothing is open that was before them."""

    # --- fields and bodies -----------------------------------------------------------------------

    def not_expected(self, start: bytes, line: bytes) -> StreamError:
        """Return the error for *line*, where one with another *start* has to stand."""
        name = "data n" if start == b"data " else start.decode().strip()
        command = f"expected '{name}' command"
        if self.buffer.at_end:
            return StreamError(f"{command}, found the end of input", kind="truncated")
        return StreamError(f"{command}, found: {shown(line)}", kind="expected")

    def declared_mark(self, line: bytes) -> c.Mark | None:
        """Return the mark of a ``mark`` line. Mark 0, or no number at all, is none."""
        number = read_count(line[6:])
        return c.Mark(number) if number else None

    def committish(self, text: bytes) -> c.Committish:
        """Read the mark or name of a commit."""
        return read_committish(text)

    def ident(self, text: bytes) -> bytes:
        """Read an ident in the date format of the moment."""
        return read_ident(text, self.date_format)

    def body(self, line: bytes) -> Steps[c.Data | c.LargeData]:
        """Read a file's body, whose ``data`` line is *line*; a large one is only announced."""
        if not line.startswith(b"data "):
            line = yield from self.expected(b"data ", line)
        if not line.startswith(b"data <<"):
            size = self._size(line)
            if size > self.piece_size:
                self.pieces_left = size
                return c.LargeData(size)
        return (yield from self._whole_body(line))

    def pieces(self) -> Steps[None]:
        """Read the body that was announced, in pieces of one size."""
        while self.pieces_left:
            piece = yield from self._take(min(self.pieces_left, self.piece_size))
            self.pieces_left -= len(piece)
            self.optional_lf = not self.pieces_left
            yield c.DataPiece(piece, not self.pieces_left)

    def message(self, line: bytes) -> Steps[bytes]:
        """Read a body that has to be whole and to outlive the buffer."""
        if not line.startswith(b"data "):
            line = yield from self.expected(b"data ", line)
        return (yield from self._whole_body(line)).tobytes()

    def _whole_body(self, line: bytes) -> Steps[memoryview]:
        if line.startswith(b"data <<"):
            view = yield from self._take_until(line[7:])
        else:
            size, limit = self._size(line), self.buffer.max_data
            if size > limit:
                raise StreamError(f"data longer than {limit} bytes", kind="data")
            view = self.buffer.take(size) or (yield from self._take(size))
        self.optional_lf = True
        return view

    def _take(self, size: int) -> Steps[memoryview]:
        buffer = self.buffer
        while (view := buffer.take(size)) is None:
            if buffer.eof:
                missing = self.pieces_left or size
                raise StreamError(
                    f"end of input in data ({missing - (buffer.end - buffer.start)} bytes missing)",
                    kind="truncated",
                )
            yield NEED_DATA
        return view

    def _take_until(self, delimiter: bytes) -> Steps[memoryview]:
        while (view := self.buffer.take_until(delimiter)) is None:
            if self.buffer.eof:
                raise StreamError(
                    f"end of input in data (delimiter {shown(delimiter)!r} missing)",
                    kind="truncated",
                )
            yield NEED_DATA
        return view

    def _size(self, line: bytes) -> int:
        return read_count(line[5:])
