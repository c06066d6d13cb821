"""The parser of the fast-import language: bytes in, commands out, no IO.

Theory of operation. The grammar is written down as generators that read top-down, as the manual
does. They take a line or a body from the `StreamReader`; when it has not arrived they stand still
at a `NEED_DATA`, all the way up to `StreamParser.next_command`, and go on from there at the next
call. So what is read stays read. (A table of states that starts an incomplete command over was the
other way: it costs the square of a long header, and reads less like the grammar.)

Nothing waits for more than it needs. A line is read when its LF is there; the optional LF behind a
body or a command is looked for when the next command is asked for; a commit's header is handed out
when the line behind it has arrived, as only that one shows that no further ``merge`` follows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream._plain_run import PlainRun
from fastio.stream.blocks import BLOCKS
from fastio.stream.buffer import CAPACITY, Block, StreamBuffer
from fastio.stream.commit_scanner import PlainCommit, take_commit
from fastio.stream.commits import read_commit
from fastio.stream.dates import READERS as DATE_READERS
from fastio.stream.grammar import MAX_DATA, MAX_LINE, PIECE_SIZE
from fastio.stream.lines import TOP_LEVEL, keyword_of
from fastio.stream.questions import Question, take_question
from fastio.stream.quoting import shown
from fastio.stream.reader import (
    NEED_DATA,
    WAITS_FOR_COMMAND,
    WAITS_FOR_MORE,
    NeedData,
    Step,
    Steps,
    StreamReader,
)
from fastio.stream.resets import take_reset
from fastio.stream.scans import Scan

if TYPE_CHECKING:
    from fastio.stream.lenient import Problems

__all__ = ["NEED_DATA", "Place", "StreamParser"]

Place: TypeAlias = tuple[int, int, int]
"""Where a command stands: offset in the stream, command number, lines read until then."""

_FEATURE_DONE = c.Feature(b"done", None)
_HEADER_KEYWORDS = frozenset((b"feature ", b"option "))
_BLOCKS = BLOCKS | {b"commit ": read_commit}


class StreamParser:
    """Turns the bytes of a stream into commands.

    Args:
        keep_lines: Whether all lines are kept until `drop_lines`, for one who deals with a command
            later and wants to know then what stood there; or else a hundred.
        problems: Is told what is wrong with the stream, and reading goes on behind it; without,
            `next_command` raises, and that is the end.

    Attributes:
        require_done: Whether the stream has to end in ``done``; ``feature done`` sets it.
        command_number: How many top-level commands were begun, the present one included.
        command_line: The first line of the present one; empty behind what was passed over.
        command_offset: Offset in the stream of that line.
        failure: What `next_command` raised, if it ever did.
        header_ended: Is called once, before anything but features and options is read, the end of
            input included. What it changes in the parser counts for the first command already.
    """

    def __init__(
        self,
        *,
        date_format: str = "raw",
        require_done: bool = False,
        piece_size: int = PIECE_SIZE,
        max_line: int = MAX_LINE,
        max_data: int = MAX_DATA,
        capacity: int = CAPACITY,
        keep_lines: bool = False,
        problems: Problems | None = None,
    ) -> None:
        max_data = max(max_data, piece_size)
        self._buffer = StreamBuffer(capacity, max_line=max_line, max_data=max_data)
        self._is_lenient = problems is not None
        if problems is None:
            self._reader = StreamReader(self._buffer, piece_size=piece_size, keep_lines=keep_lines)
        else:
            self._reader = _lenient_reader(self._buffer, piece_size, problems)
        self.date_format = date_format
        self.require_done = require_done
        self.command_number = 0
        self.command_line, self.command_offset = b"", -1
        self.header_ended: Callable[[], None] = lambda: None
        self._header_over = False
        self._between = True  # two top-level commands
        self._steps = self._stream()
        self._run = PlainRun(self, self._reader)
        self.failure: StreamError | None = None

    @property
    def date_format(self) -> str:
        """How dates are written: raw, raw-permissive, now or rfc2822. May change at any time."""
        return self._reader.date_format

    @date_format.setter
    def date_format(self, name: str) -> None:
        if name not in DATE_READERS:
            raise StreamError(f"unknown date format: {name}", kind="date-format")
        self._reader.date_format = name

    @property
    def piece_size(self) -> int:
        """Longest counted body of a file that is handed out whole."""
        return self._reader.piece_size

    @piece_size.setter
    def piece_size(self, size: int) -> None:
        self._reader.piece_size = size

    @property
    def offset(self) -> int:
        """Offset in the stream of the command, or of the change, returned last."""
        return self._reader.offset

    @property
    def place(self) -> Place:
        """Where the command, or the change, returned last stands."""
        reader = self._reader
        return reader.offset, self.command_number, reader.dropped + len(reader.recent)

    @property
    def bytes_read(self) -> int:
        """How many bytes of the stream have come in."""
        return self._buffer.base + self._buffer.end

    @property
    def bytes_left(self) -> int:
        """How many of them were not parsed."""
        return self._buffer.end - self._buffer.start

    @property
    def last_line(self) -> bytes:
        """The line read last as a command; empty at the end of input."""
        return self._reader.last_line

    @property
    def is_between(self) -> bool:
        """Whether what comes next is a top-level command; the header is over by then."""
        return self._between and self._header_over

    @property
    def lines_kept(self) -> int:
        """How many lines are kept."""
        return len(self._reader.recent)

    @property
    def recent_lines(self) -> list[bytes]:
        """The last 100 lines read as commands, comments included, the newest at the end."""
        reader = self._reader
        return reader.lines_up_to(reader.dropped + len(reader.recent), sys.maxsize)

    def lines_up_to(self, place: Place) -> list[bytes]:
        """Return a hundred lines, as `recent_lines` was when *place* was; lines must be kept."""
        return self._reader.lines_up_to(place[2], place[0])

    def drop_lines(self, place: Place) -> None:
        """Drop the lines that `lines_up_to` needs for no place from *place* on."""
        self._reader.drop_lines(place[2])

    def use(self, block: Block) -> None:
        """Read the stream from *block*, where it lies in memory, instead of from a copy.

        `buffer_updated` then tells how many of its bytes have come in; `get_buffer` leaves it, for
        bytes that stand behind. What is handed out as a view is a view of it. Before all else.
        """
        self._buffer.use(block)

    def get_buffer(self, hint: int = 0) -> memoryview:
        """Return writable space for the next bytes, at least *hint* of them.

        Views given out before, data included, lose their meaning.
        """
        return self._buffer.free_space(hint)

    def buffer_updated(self, count: int) -> None:
        """Take in the first *count* bytes of the space returned last, or the block's next ones."""
        self._buffer.end += count

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take in a copy of *data*."""
        size = len(data)
        self.get_buffer(size)[:size] = data
        self.buffer_updated(size)

    def feed_eof(self) -> None:
        """Take in that there are no more bytes."""
        self._buffer.eof = True

    def next_command(self) -> Step | None:
        """Return the next command, `NEED_DATA`, or None when the stream is over.

        Raises:
            StreamError: The stream breaks the grammar. From then on every call raises it.
        """
        try:
            return next(self._steps)
        except StopIteration:
            if self.failure is not None:
                raise self.failure from None
            return None
        except StreamError as error:
            reader = self._reader
            self.failure = StreamError(
                error.reason,
                reader.line_offset,
                self.command_number,
                kind=error.kind,
                line=error.line or reader.last_line,
            )
            raise self.failure from None

    def comes_next(self, keyword: bytes) -> bool:
        """Tell whether the next line is certain to start with *keyword*."""
        buffer = self._buffer
        start = buffer.start
        if self._reader.optional_lf and buffer.data.startswith(b"\n", start, buffer.end):
            start += 1
        return buffer.data.startswith(keyword, start, buffer.end)

    def take_blobs(self, max_count: int) -> list[tuple[c.Mark | None, memoryview, int]]:
        """Take the blobs that come next, if their spelling is the usual one: the fast path.

        Args:
            max_count: Take no more of them; some hundred is as good as more.

        Returns:
            Mark, data (valid until the next call) and offset of each, of which `next_command` then
            knows nothing; none if they are not so usual: ask that one. That is always so when
            *problems* are told, as then each body has to be looked behind.
        """
        run = self.take_run()
        if run is None:
            return []
        try:
            return run.blobs(max_count)
        finally:
            run.close()

    def take_run(self) -> PlainRun | None:
        """Take blobs and commits that come next by compiled calls, for another kernel.

        Returns:
            What takes them. It stands for the parser, which must not be used, until it is closed.
            None where `take_blobs` and `take_commit` would take nothing.
        """
        if not self._between or self._is_lenient or self.failure is not None:
            return None
        self._run.open()
        return self._run

    def take_question(self) -> Question | None:
        """Take a question that comes next, if its spelling is the usual one: the fast path.

        Returns:
            The question, of which `next_command` then knows nothing, or None: ask that one. That is
            always so when *problems* are told, or nothing but features and options has come so far.
        """
        if self._is_lenient or not self._header_over:
            return None
        reader = self._reader
        question = take_question(reader)
        if question is not None and reader.waits == WAITS_FOR_COMMAND:
            self.command_number += 1
            self.command_line = reader.last_line
        return question

    def take_reset(self) -> c.Reset | None:
        """Take a ref set to a mark that comes next, if it is spelled as usual: the fast path.

        Returns:
            The command, of which `next_command` then knows nothing, or None: ask that one. That is
            always so when *problems* are told, or nothing but features and options has come so far.
        """
        if not self.is_between or self._is_lenient or self.failure is not None:
            return None
        reset = take_reset(self._reader)
        if reset is not None:
            self.command_number += 1
            self.command_offset = self._reader.offset
            self.command_line = b"reset " + reset.ref
        return reset

    def pass_over(self, scan: Scan) -> bool:
        """Let *scan* take commands that come next, of which `next_command` then knows nothing.

        Returns:
            Whether it might take more if more bytes were there.
        """
        if not self._between or self.failure is not None:
            return False
        buffer, reader = self._buffer, self._reader
        position, count, is_short = scan(
            buffer.data,
            buffer.start,
            buffer.end,
            max_line=buffer.max_line,
            max_data=reader.piece_size,
            optional_lf=bool(reader.optional_lf),
        )
        if count:
            buffer.start, reader.optional_lf = position, False
            reader.passed_over()
            self.command_number += count
            self.command_line = b""
        return is_short

    def take_commit(self) -> PlainCommit | NeedData | None:
        """Take the commit that comes next, if its spelling is the usual one: the fast path.

        Returns:
            The commit, of which `next_command` then knows nothing; NEED_DATA, if it is a usual one
            as far as it has arrived: feed more before asking for a command; or None, as always
            when *problems* are told.
        """
        if not self._between or self._is_lenient or self.failure is not None:
            return None
        commit = take_commit(self._reader, self.command_number + 1)
        if isinstance(commit, PlainCommit):
            self.command_number += 1
        return commit

    def _stream(self) -> Steps[None]:
        reader = self._reader
        while True:
            while (line := reader.line()) is None:
                reader.waits = WAITS_FOR_COMMAND
                yield NEED_DATA
            reader.waits = WAITS_FOR_MORE
            if not line and self._buffer.at_end:
                break
            self._between = False
            self.command_number += 1
            self.command_line = line
            reader.offset = self.command_offset = reader.line_offset
            keyword = keyword_of(line)
            if keyword not in _HEADER_KEYWORDS or not reader.in_header:
                self._end_header()
            try:
                if (read_block := _BLOCKS.get(keyword)) is not None:
                    reader.in_header = False
                    command = yield from read_block(reader, line)
                else:
                    command = self._one_line(keyword, line)
            except StreamError as error:
                reader.give_up(error)
                continue
            if keyword == b"done":
                yield command
                return
            self._between = not reader.pieces_left
            yield command
            if reader.pieces_left:
                yield from reader.pieces()
                self._between = True
        self._end_header()
        if self.require_done:
            missing = "stream ends early: the required 'done' is missing"
            reader.give_up(StreamError(missing, kind="done"))

    def _end_header(self) -> None:
        if not self._header_over:
            self._header_over = True
            self.header_ended()

    def _one_line(self, keyword: bytes, line: bytes) -> c.Command:
        """Read a command of one line, and see to what it changes in the parser."""
        if (read_line := TOP_LEVEL.get(keyword)) is None:
            raise StreamError(f"unsupported command: {shown(line)}", kind="command")
        command = read_line(line)
        if isinstance(command, c.Feature):
            self._expect_header(line)
            if command == _FEATURE_DONE:
                self.require_done = True
        elif isinstance(command, c.Option):
            if command.git_option is not None:
                self._expect_header(line)
        else:
            self._reader.in_header = False
        self._reader.optional_lf = keyword == b"progress "
        return command

    def _expect_header(self, line: bytes) -> None:
        if not self._reader.in_header:
            raise StreamError(
                f"feature or option after other commands: {shown(line)}", kind="header"
            )


def _lenient_reader(buffer: StreamBuffer, piece_size: int, problems: Problems) -> StreamReader:
    from fastio.stream.lenient import LenientReader  # noqa: PLC0415 - imports need it not

    return LenientReader(buffer, piece_size=piece_size, problems=problems)
