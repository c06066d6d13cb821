"""What a fatal error tells: the reason, where in the stream, the line, and a hint.

The parser is ahead of what is executed. So an error of the language is told with what the parser
stands at, and one of an operation with the command that the operation belongs to, and with the
commit that was being built then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from fastio.errors import FastioError, StreamError
from fastio.importer.hints import hint_of
from fastio.records import record
from fastio.stream.excerpt import excerpt, visible

if TYPE_CHECKING:
    from fastio.importer.executor import Executor
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.pipeline import Pipeline
    from fastio.store.config import Config
    from fastio.stream._plain_commit import PlainCommit
    from fastio.stream.commands import Commit
    from fastio.stream.parser import StreamParser

# Of a reason that holds a path, which may have megabytes.
_LONGEST_REASON: Final = 1000
_LONGEST_NAME: Final = 200
_COMMAND: Final = re.compile(
    rb"(?:commit|tag|reset|progress|get-mark|cat-blob|ls|feature|option) "
    rb"|(?:blob|alias|checkpoint)\Z"
)
# Kinds of errors that, if they name no line, are about there being none.
_AT_THE_END: Final = ("truncated", "done")
# What git itself, or a file system, may take for .git: the part of a refused path to be shown.
_REFUSED_PART: Final = re.compile(rb'(?i)(?<=[ /\\"])(?:\.git[^/]*|git~1[^/]*|\.{0,2})(?=/|"|\Z)')


@record
class Diagnosis:
    """What there is to say about a fatal error.

    Attributes:
        message: One line: the reason, and the place if the stream is to blame.
        details: Further lines.
        recent: The last lines of the stream read as commands, up to the one to blame.
    """

    message: str
    details: tuple[str, ...]
    recent: Sequence[bytes]

    def lines(self) -> Iterator[str]:
        """Yield the lines as they are to be shown."""
        yield f"fatal: {self.message}"
        for detail in self.details:
            yield "  " + detail


class Diagnostician:
    """Finds out what there is to say about a fatal error.

    Args:
        parser: Has the lines of the stream.
        executor: Has the commit that was begun last.
        sink: Has the marks.
        config: The repository's.
        pipeline: What executes operations; None if no command had come yet.
    """

    def __init__(
        self,
        parser: StreamParser,
        executor: Executor,
        sink: ObjectSink,
        config: Config,
        pipeline: Pipeline | None,
    ) -> None:
        self._parser, self._executor, self._sink, self._config = parser, executor, sink, config
        self._pipeline = pipeline

    def diagnose(self, error: FastioError) -> Diagnosis:
        """Find out what there is to say about *error*."""
        if not isinstance(error, StreamError) or error.offset < 0:
            return self._beside_the_stream(error)
        recent = self._lines_of(error)
        details = ["where: " + self._where(error, recent)]
        if error.line or error.kind not in _AT_THE_END:
            line = _blamed(error, recent)
            details.append("line:  " + (excerpt(line, _quoted(error, line)) or "(empty)"))
        return self._made(error, details, recent)

    def _beside_the_stream(self, error: FastioError) -> Diagnosis:
        """Say what there is to say of a full disk, a dead worker, a bad option."""
        if self._pipeline is None:
            recent = list(takewhile(_is_header, self._parser.recent_lines))
            return self._made(error, ["where: before the first command"], recent)
        place = self._pipeline.next_place or self._parser.place
        recent = self._parser.lines_up_to(place)
        at = f"where: near byte {place[0]}, command {place[1]}: "
        return self._made(error, [at + self._where(None, recent)], recent)

    def _made(self, error: FastioError, details: list[str], recent: Sequence[bytes]) -> Diagnosis:
        hint = hint_of(error, marks=self._sink.marks, config=self._config)
        if hint:
            details.append("hint:  " + hint)
        return Diagnosis(_shown(error), tuple(details), recent)

    def _lines_of(self, error: StreamError) -> list[bytes]:
        """Return the lines that were read when the command to blame was."""
        pipeline, place = self._pipeline, (error.offset, error.command_number)
        if error is self._parser.failure or pipeline is None or pipeline.place[:2] != place:
            return self._parser.recent_lines
        return _up_to_blamed(self._parser.lines_up_to(pipeline.place), error.line)

    def _where(self, error: StreamError | None, recent: Sequence[bytes]) -> str:
        """Name the commit that was being built, or else the command, and the commit before it."""
        header = self._executor.header
        if header is not None and self._executor.in_commit:
            return _commit(header)
        if error and error is self._parser.failure and error.offset == self._parser.offset:
            recent = recent[-1:]  # the command has only this one line so far
        command = _command(recent)
        if command.startswith("commit "):
            return command
        before = "before the first commit" if header is None else f"after {_commit(header)}"
        return f"{command}, {before}" if command else before


def _is_header(line: bytes) -> bool:
    return line.startswith((b"feature ", b"option "))


def _shown(error: FastioError) -> str:
    """The message, short and in one line; its place stays whole."""
    text = str(error).encode("utf-8", "surrogateescape")
    if len(text) <= _LONGEST_REASON or not isinstance(error, StreamError):
        return visible(text)
    reason = error.reason.encode("utf-8", "surrogateescape")
    return visible(reason[:_LONGEST_REASON]) + "…" + visible(text[len(reason) :])


def _up_to_blamed(recent: list[bytes], line: bytes) -> list[bytes]:
    """Cut what stands behind the line to blame, if it is one of the command's own.

    Unless the error tells, it is the last one, or the one that inline data belongs to.
    """
    if not line and not (recent and recent[-1].startswith(b"data ")):
        return recent
    for at in range(len(recent) - 1, -1, -1):
        if recent[at].startswith(line or (b"M ", b"N ")):
            return recent[: at + 1]
        if _COMMAND.match(recent[at]):
            break
    return recent


def _blamed(error: StreamError, recent: Sequence[bytes]) -> bytes:
    """Return the line to blame, not clipped if it is at hand."""
    if recent and recent[-1].startswith(error.line):
        return recent[-1]
    return error.line


def _quoted(error: StreamError, line: bytes) -> bytes:
    """Return the part of the line that the reason is about, as far as one can tell."""
    if error.kind == "refused-path" and (part := _REFUSED_PART.search(line)) is not None:
        return line[max(part.start() - 1, 0) : part.end()]
    _, _, quoted = error.reason.partition(": ")
    return quoted.removesuffix("...").encode("utf-8", "surrogateescape")


def _command(recent: Sequence[bytes]) -> str:
    """Name the command that the last lines belong to; empty if that is not at hand."""
    for at in range(len(recent) - 1, -1, -1):
        if not _COMMAND.match(recent[at]):
            continue
        line = recent[at]
        marked = recent[at + 1 : at + 2]
        mark = visible(marked[0][5:]) if marked and marked[0].startswith(b"mark :") else ""
        word, _, name = line.partition(b" ")
        if word == b"commit":
            return f"commit {mark} on {_name(name)}" if mark else f"commit on {_name(name)}"
        if word in (b"tag", b"reset"):
            return f"{word.decode()} {_name(name)}"
        return f"blob {mark}" if word == b"blob" and mark else ""
    return ""


def _commit(header: Commit | PlainCommit) -> str:
    """Name a commit: by mark, by what the frontend called it, or by its subject."""
    name = f":{header.mark} " if header.mark else ""
    if header.original_oid is not None:
        name += f"(original-oid {_name(header.original_oid)}) "
    if not name:
        subject = header.message.partition(b"\n")[0]
        name = f"'{_name(subject)}' " if subject else ""
    return f"commit {name}on {_name(header.ref)}"


def _name(text: bytes) -> str:
    return visible(text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + b"...")
