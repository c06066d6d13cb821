"""Reading one stream for all that is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

from fastio.check.findings import Findings, Place
from fastio.check.marks import ANY
from fastio.check.meaning import Meaning
from fastio.check.options import CheckOptions, feature_error, option_error
from fastio.check.plain import PlainScan
from fastio.errors import CLIPPED_LINE, MarksError, StreamError
from fastio.store.marks_file import read_marks
from fastio.stream import commands as c
from fastio.stream.blocks import BLOCKS
from fastio.stream.excerpt import visible
from fastio.stream.lines import IN_COMMIT, TOP_LEVEL, keyword_of
from fastio.stream.parser import NEED_DATA, StreamParser

_COMMANDS: Final = frozenset((*TOP_LEVEL, *BLOCKS, b"commit ")) - IN_COMMIT.keys()
READ_SIZE: Final = 1 << 20
# So much is read until a command is whole; what is larger is left to the parser, which can wait.
_MOST_WAITING: Final = 2 * READ_SIZE


class Checker:
    """Reads a stream and collects what it finds.

    Args:
        options: What the import would be told.

    Attributes:
        findings: What was found.
        is_complete: Whether the input was read to its end, or to ``done``.
        progress: Is called about once a read.
    """

    def __init__(self, options: CheckOptions) -> None:
        self._options = options
        self.findings = Findings(options.max_places)
        self.is_complete = False
        self.progress: Callable[[], None] = lambda: None
        self._parser = StreamParser(
            date_format=options.date_format or "raw", require_done=options.done, problems=self
        )
        self._parser.header_ended = self._import_marks
        self._meaning = Meaning(
            self._parser, self._tell, checks_signatures=not options.strip_signatures
        )
        self._marks_files = list(options.import_marks)
        self._plain: PlainScan | None = None
        self._relative_marks = False
        self._marks_are_unknown = False

    @property
    def bytes_read(self) -> int:
        """How many bytes of the stream were read, up to ``done`` if that ends it."""
        return self._parser.bytes_read - self._parser.bytes_left

    @property
    def command_count(self) -> int:
        """How many top-level commands the stream has."""
        return self._parser.command_number

    @property
    def counts(self) -> dict[str, int]:
        """How many blobs, commits, tags, refs and marks the stream has."""
        meaning = self._meaning
        counts = meaning.counts | {"refs": len(meaning.refs), "marks": len(meaning.marks)}
        if self._plain is not None:
            counts["blobs"] += self._plain.blobs
            counts["commits"] += self._plain.commits
        return counts

    def run(self, read_into: Callable[[memoryview], int]) -> None:
        """Read a stream to its end.

        Args:
            read_into: Fills the start of a buffer and returns how many bytes, 0 at the end.

        Raises:
            StreamError: What *read_into* raises.
        """
        parser, meaning = self._parser, self._meaning
        while (command := parser.next_command()) is not None:
            if command is NEED_DATA:
                self._read_more(read_into)
                continue
            kind = type(command)
            if isinstance(command, c.Feature | c.Option):
                self._header(command)
                continue
            meaning.handle(command)
            if kind is c.Blob or kind is c.CommitEnd:
                self._pass_plain(read_into)
            elif kind is c.Done:
                self._look_behind_done(read_into)
        meaning.finish()
        self.is_complete = True

    def _pass_plain(self, read_into: Callable[[memoryview], int]) -> None:
        """Pass over all that is plainly in order; the header is over."""
        parser, meaning = self._parser, self._meaning
        if self._plain is None:
            is_raw = parser.date_format in ("raw", "raw-permissive")
            self._plain = PlainScan(
                meaning.marks.table, meaning.refs.with_tips, dates_are_raw=is_raw
            )
        while parser.pass_over(self._plain.scan) and parser.bytes_left < _MOST_WAITING:
            if not self._read_more(read_into):
                return

    def _read_more(self, read_into: Callable[[memoryview], int]) -> int:
        """Read what there is; returns how many bytes, 0 at the end."""
        with self._parser.get_buffer(READ_SIZE) as buffer:
            count = read_into(buffer)
        if count:
            self._parser.buffer_updated(count)
            self.progress()
        else:
            self._parser.feed_eof()
        return count

    def _look_behind_done(self, read_into: Callable[[memoryview], int]) -> None:
        parser = self._parser
        if not parser.bytes_left:
            self._read_more(read_into)
        if parser.bytes_left:
            reason = "there is more input behind it, which nothing reads"
            self._tell(StreamError(reason, kind="behind-done", line=b"done"))

    # --- header ---------------------------------------------------------------------------------

    def _header(self, command: c.Feature | c.Option) -> None:
        if isinstance(command, c.Feature):
            name, value = command.name, command.value
            allowed = self._options.allow_unsafe_features
            error = feature_error(name, value, allow_unsafe=allowed)
            if error is None:
                self._apply(name, value or b"")
        else:
            text = command.git_option
            error = None if text is None else option_error(text)
            if text is not None and text.startswith(b"signed-commits=") and error is None:
                self._meaning.checks_signatures &= not text.endswith(b"strip")
        if error is not None:
            self._tell(StreamError(error.reason, kind=error.kind, line=self._parser.last_line))

    def _apply(self, name: bytes, value: bytes) -> None:
        """Do as a feature says that is in order."""
        if name == b"date-format" and self._options.date_format is None:
            self._parser.date_format = value.decode()
        elif name in (b"relative-marks", b"no-relative-marks"):
            self._relative_marks = name == b"relative-marks"
        elif name.startswith(b"import-marks") and not self._options.import_marks:
            self._marks_files.append((os.fsdecode(value), name.endswith(b"if-exists")))
        elif name.startswith(b"rewrite-submodules-"):
            list(self._read_marks(os.fsdecode(value.partition(b":")[2]), False))

    def _import_marks(self) -> None:
        for path, may_be_missing in self._marks_files:
            if self._relative_marks and not os.path.isabs(path):
                self._marks_are_unknown = True  # they are in a repository
                continue
            for mark in self._read_marks(path, may_be_missing):
                self._meaning.marks.declare(mark, ANY)

    def _read_marks(self, path: str, may_be_missing: bool) -> Iterator[int]:
        try:
            for mark, _ in read_marks(path, None):
                yield mark
        except FileNotFoundError:
            if not may_be_missing:
                self._tell(StreamError(f"no such file: {path}", kind="marks-file"))
        except MarksError as error:
            self._tell(StreamError(str(error), kind="marks-file"))

    # --- findings -------------------------------------------------------------------------------

    def _tell(self, error: StreamError) -> None:
        """Take note of what a command means that it must not."""
        if error.kind == "undeclared-mark" and self._marks_are_unknown:
            return
        self.findings.add(error.kind, lambda: self._place(error))

    def problem(self, error: StreamError) -> None:
        """Take note of what the reader could not read."""
        parser, line = self._parser, error.line.removesuffix(b"\r")
        if error.offset > parser.command_offset and keyword_of(line) in _COMMANDS:
            # The reader tells of a line before the parser knows that it starts a command.
            number = parser.command_number + 1
            error = StreamError(
                error.reason, error.offset, number, kind=error.kind, line=error.line
            )
        self._tell(error)

    notice = problem

    def skipped(self, text: bytes) -> None:
        """Take note of what was not read: marks may have been declared there."""
        self._meaning.marks.lose(text)

    def _place(self, error: StreamError) -> Place:
        """Complete a place with what the parser knows of the command of the moment."""
        parser, line = self._parser, error.line
        number, offset = error.command_number or parser.command_number, error.offset
        reason = error.reason[:CLIPPED_LINE]  # it may name a ref of any length
        if number != parser.command_number:
            return Place(StreamError(reason, offset, number, kind=error.kind, line=error.line))
        if offset < 0:
            offset = parser.offset
            if line:
                recent = reversed(parser.recent_lines)
                line = next((one for one in recent if one.startswith(line)), line)
        error = StreamError(reason, offset, number, kind=error.kind, line=line)
        name, branch = self._commit()
        return Place(error, name[:CLIPPED_LINE], branch[:CLIPPED_LINE])

    def _commit(self) -> tuple[str, bytes]:
        """Return name and branch of the commit that the parser is in."""
        header, head = self._meaning.commit, self._parser.command_line
        if not head.startswith(b"commit "):
            return "", b""
        if header is not None and header.ref == head[7:]:
            name = b":%d" % header.mark if header.mark else header.original_oid or b""
            return visible(name), header.ref
        name = b""
        for line in reversed(self._parser.recent_lines):  # its header is not complete
            line = line.removesuffix(b"\r")  # as the head was
            if line == head:
                break
            if line.startswith((b"mark :", b"original-oid ")):
                name = line.partition(b" ")[2]
        return visible(name), head[7:]
