"""Feeding a parser in various ways and keeping what it said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.commit_scanner import PlainCommit
from fastio.stream.parser import NEED_DATA, StreamParser


class Said(NamedTuple):
    """What a parser said of a stream."""

    commands: list[Any]
    offsets: list[int]
    error: StreamError | None
    recent_lines: list[bytes]

    @property
    def outcome(self) -> tuple[Any, ...]:
        """All of it in a form that can be compared."""
        return self.commands, self.offsets, self.error and self.error.args, self.recent_lines


def freeze(command: Any) -> Any:
    """Return *command* with data that outlives the buffer."""
    data = getattr(command, "data", None)
    return replace(command, data=bytes(data)) if isinstance(data, memoryview) else command


def cut(stream: bytes, size: int) -> list[bytes]:
    """Return *stream* in parts of *size*."""
    return [stream[at : at + size] for at in range(0, len(stream), size)]


def available(parser: StreamParser) -> Iterator[Any]:
    """Yield commands until the parser needs more."""
    while (command := parser.next_command()) is not NEED_DATA and command is not None:
        yield command


def unfold(commit: PlainCommit) -> Iterator[Any]:
    """Yield the commands of a commit that was taken whole, with their offsets."""
    offset = commit.offset
    yield commit.header(), offset
    for offset, change in commit.changes():
        yield change, offset
    yield c.CommitEnd(), offset


def with_runs(parser: StreamParser, max_count: int) -> Iterator[tuple[Any, int]]:
    """Do so by the fast paths where they will, and yield each one's offset as well."""
    while True:
        while (question := parser.take_question()) is not None:
            yield question, parser.offset
        while (reset := parser.take_reset()) is not None:
            yield reset, parser.offset
        while blobs := parser.take_blobs(max_count):
            for mark, data, offset in blobs:
                yield c.Blob(mark, None, data), offset
        commit = parser.take_commit()
        if commit is NEED_DATA:
            return
        if isinstance(commit, PlainCommit):
            yield from unfold(commit)
            continue
        command = parser.next_command()
        if command is NEED_DATA or command is None:
            return
        yield command, parser.offset


def say(parts: Iterable[bytes], *, runs: int = 0, **settings: Any) -> Said:
    """Feed *parts* one by one, asking for all commands in between."""
    return _said(StreamParser(**settings), parts, runs)


def say_in_place(block: bytes, size: int, behind: Iterable[bytes], *, runs: int = 0) -> Said:
    """Let a parser read *block* where it lies, *size* bytes a time, and feed what is *behind*."""
    parser = StreamParser()
    parser.use(block)
    sizes = (min(size, len(block) - at) for at in range(0, len(block), size))
    return _said(parser, [*sizes, *behind], runs)


def _said(parser: StreamParser, steps: Iterable[bytes | int], runs: int) -> Said:
    """Give a parser bytes, or that so many more of its block have come, and keep what it says."""
    said = Said([], [], None, [])
    try:
        for step in (*steps, None):
            if step is None:
                parser.feed_eof()
            elif isinstance(step, int):
                parser.buffer_updated(step)
            else:
                parser.feed(step)
            one_by_one = ((command, parser.offset) for command in available(parser))
            for command, offset in with_runs(parser, runs) if runs else one_by_one:
                said.commands.append(freeze(command))
                said.offsets.append(offset)
    except StreamError as error:
        said = said._replace(error=error)
    return said._replace(recent_lines=parser.recent_lines)


def commands_of(stream: bytes, **settings: Any) -> list[Any]:
    """Return the commands of a stream that has to be right."""
    said = say([stream], **settings)
    assert said.error is None, said.error
    return said.commands


def error_of(stream: bytes, **settings: Any) -> StreamError:
    """Return the error of a stream that has to be wrong."""
    said = say([stream], **settings)
    assert said.error is not None, said.commands
    return said.error
