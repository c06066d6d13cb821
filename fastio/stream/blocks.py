"""The commands of more than one line, commits excepted.

Source: git-fast-import(1), "Commands".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fastio.stream import commands as c
from fastio.stream.reader import BEHIND_COMMENTS, NEED_DATA, Steps, StreamReader


def read_labels(reader: StreamReader) -> Steps[tuple[c.Mark | None, bytes | None, bytes]]:
    """Read a ``mark`` and an ``original-oid``; return them and the line behind them."""
    mark = original_oid = None
    line = yield from reader.next_line()
    if line.startswith(b"mark :"):
        mark = reader.declared_mark(line)
        line = yield from reader.next_line()
    if line.startswith(b"original-oid "):
        original_oid = line[13:]
        line = yield from reader.next_line()
    return mark, original_oid, line


def _blob(reader: StreamReader, _head: bytes) -> Steps[c.Command]:
    mark, original_oid, line = yield from read_labels(reader)
    return c.Blob(mark, original_oid, (yield from reader.body(line)))


def _tag(reader: StreamReader, head: bytes) -> Steps[c.Command]:
    mark = original_oid = tagger = None
    line = yield from reader.next_line()
    if line.startswith(b"mark :"):
        mark = reader.declared_mark(line)
        line = yield from reader.next_line()
    if not line.startswith(b"from "):
        line = yield from reader.expected(b"from ", line)
    from_ = reader.committish(line[5:])
    line = yield from reader.next_line()
    if line.startswith(b"original-oid "):
        original_oid = line[13:]
        line = yield from reader.next_line()
    if line.startswith(b"tagger "):
        tagger = reader.ident(line[7:])
        line = yield from reader.next_line()
    message = yield from reader.message(line)
    return c.Tag(head[4:], mark, from_, original_oid, tagger, message)


def _reset(reader: StreamReader, head: bytes) -> Steps[c.Command]:
    line = yield from reader.next_line()
    from_ = None
    if line.startswith(b"from "):
        from_ = reader.committish(line[5:])
    else:
        reader.unread_line()
    reader.optional_lf = BEHIND_COMMENTS
    return c.Reset(head[6:], from_)


def _alias(reader: StreamReader, _head: bytes) -> Steps[c.Command]:
    reader.optional_lf = True
    line = yield from reader.next_line()
    mark = reader.declared_mark(line) if line.startswith(b"mark :") else None
    if mark is None:
        line = yield from reader.expected(b"mark :", line)
        mark = reader.declared_mark(line) or c.Mark(0)
    line = yield from reader.next_line()
    if not line.startswith(b"to "):
        line = yield from reader.expected(b"to ", line)
    reader.optional_lf = BEHIND_COMMENTS
    return c.Alias(mark, reader.committish(line[3:]))


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
