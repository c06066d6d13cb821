"""The commands of more than one line, commits excepted.

Source: git-fast-import(1), "Commands".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.fields import read_committish, read_count
from fastio.stream.quoting import shown
from fastio.stream.reader import NEED_DATA, Steps, StreamReader


def read_mark(reader: StreamReader, line: bytes) -> Steps[tuple[c.Mark | None, bytes]]:
    """Read a ``mark`` if *line* is one; return it and the line behind it. Mark 0 is none."""
    if not line.startswith(b"mark :"):
        return None, line
    number = read_count(line[6:])
    return c.Mark(number) if number else None, (yield from reader.next_line())


def read_original_oid(reader: StreamReader, line: bytes) -> Steps[tuple[bytes | None, bytes]]:
    """Read an ``original-oid`` if *line* is one; return it and the line behind it."""
    if not line.startswith(b"original-oid "):
        return None, line
    return line[13:], (yield from reader.next_line())


def _blob(reader: StreamReader, _head: bytes) -> Steps[c.Command]:
    line = yield from reader.next_line()
    mark, line = yield from read_mark(reader, line)
    original_oid, line = yield from read_original_oid(reader, line)
    return c.Blob(mark, original_oid, (yield from reader.body(line)))


def _tag(reader: StreamReader, head: bytes) -> Steps[c.Command]:
    line = yield from reader.next_line()
    mark, line = yield from read_mark(reader, line)
    if not line.startswith(b"from "):
        raise StreamError(f"expected 'from' command, found: {shown(line)}")
    from_ = read_committish(line[5:])
    line = yield from reader.next_line()
    original_oid, line = yield from read_original_oid(reader, line)
    tagger = None
    if line.startswith(b"tagger "):
        tagger = reader.ident(line[7:])
        line = yield from reader.next_line()
    message = yield from reader.message(line)
    return c.Tag(head[4:], mark, from_, original_oid, tagger, message)


def _reset(reader: StreamReader, head: bytes) -> Steps[c.Command]:
    line = yield from reader.next_line()
    from_ = None
    if line.startswith(b"from "):
        from_ = read_committish(line[5:])
    else:
        reader.unread_line()
    reader.optional_lf = True
    return c.Reset(head[6:], from_)


def _alias(reader: StreamReader, _head: bytes) -> Steps[c.Command]:
    reader.optional_lf = True
    line = yield from reader.next_line()
    mark, to_line = yield from read_mark(reader, line)
    if mark is None:
        raise StreamError(f"expected 'mark' command with a mark, found: {shown(line)}")
    if not to_line.startswith(b"to "):
        raise StreamError(f"expected 'to' command, found: {shown(to_line)}")
    reader.optional_lf = True
    return c.Alias(mark, read_committish(to_line[3:]))


def _checkpoint(reader: StreamReader, _head: bytes) -> Steps[c.Command]:
    # Unlike all others, a checkpoint waits for its optional LF: git does, and a frontend that wants
    # to know when it is over sends a progress behind it.
    while not reader.buffer.skip_lf():
        yield NEED_DATA
    return c.Checkpoint()


BLOCKS: Final[dict[bytes, Callable[[StreamReader, bytes], Steps[c.Command]]]] = {
    b"blob": _blob,
    b"tag ": _tag,
    b"reset ": _reset,
    b"alias": _alias,
    b"checkpoint": _checkpoint,
}
"""Readers by keyword. They are given the first line and return the command."""
