"""Commits: a header, changes, and an end.

Source: git-fast-import(1), "commit".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.blocks import read_labels
from fastio.stream.fields import read_modify, read_note
from fastio.stream.lines import IN_COMMIT, keyword_of
from fastio.stream.reader import NEED_DATA, WAITS_FOR_CHANGE, WAITS_FOR_MORE, Steps, StreamReader

# The first line of a change. What comes without a dataref is inline: its data follows.
_CHANGES: Final[dict[bytes, Callable[[bytes], c.Command]]] = IN_COMMIT | {
    b"M ": read_modify,
    b"N ": read_note,
}

_MAY_BE_INLINE: Final = (c.FileModify, c.NoteModify)


def read_commit(reader: StreamReader, head: bytes) -> Steps[c.Command]:
    """Read a commit: hand out its header and its changes, and return its end."""
    yield (yield from _header(reader, head))
    yield from _changes(reader)
    return c.CommitEnd()


def _header(reader: StreamReader, head: bytes) -> Steps[c.Commit]:
    mark, original_oid, line = yield from read_labels(reader)
    author = encoding = None
    if line.startswith(b"author "):
        author = reader.ident(line[7:])
        line = yield from reader.next_line()
    if not line.startswith(b"committer "):
        line = yield from reader.expected(b"committer ", line)
    committer = reader.ident(line[10:])
    line = yield from reader.next_line()
    signatures: tuple[c.Signature, ...] = ()
    if line.startswith(b"gpgsig "):
        signatures, line = yield from _signatures(reader, line)
    if line.startswith(b"encoding "):
        encoding = line[9:]
        line = yield from reader.next_line()
    message = yield from reader.message(line)
    from_, merges = yield from _parents(reader)
    return c.Commit(
        ref=head[7:],
        mark=mark,
        original_oid=original_oid,
        author=author,
        committer=committer,
        signatures=signatures,
        encoding=encoding,
        message=message,
        from_=from_,
        merges=merges,
    )


def _signatures(reader: StreamReader, line: bytes) -> Steps[tuple[tuple[c.Signature, ...], bytes]]:
    """Read ``gpgsig`` commands from *line* on; return them and the line behind them."""
    signatures = []
    while line.startswith(b"gpgsig "):
        data_line = yield from reader.next_line()
        data = yield from reader.message(data_line)
        signatures.append(c.Signature(line[7:], data))
        line = yield from reader.next_line()
    return tuple(signatures), line


def _parents(reader: StreamReader) -> Steps[tuple[c.Committish | None, tuple[c.Committish, ...]]]:
    """Read ``from`` and ``merge`` lines, up to the first line that is neither."""
    from_, merges = None, []
    line = yield from reader.next_line()
    if line.startswith(b"from "):
        from_ = reader.committish(line[5:])
        line = yield from reader.next_line()
    while line.startswith(b"merge "):
        merges.append(reader.committish(line[6:]))
        line = yield from reader.next_line()
    reader.unread_line()
    return from_, tuple(merges)


def _changes(reader: StreamReader) -> Steps[None]:
    """Hand out changes up to the first line that is none; an empty one belongs to the commit."""
    while True:
        while (line := reader.line()) is None:
            reader.waits = WAITS_FOR_CHANGE
            yield NEED_DATA
        reader.waits = WAITS_FOR_MORE
        if not line:
            return
        read_change = _CHANGES.get(keyword_of(line))
        if read_change is None:
            if reader.passes_over(line):
                continue
            reader.unread_line()
            return
        reader.offset = reader.line_offset
        try:
            change = read_change(line)
        except StreamError as error:
            yield from reader.skip_change(error)
            continue
        if isinstance(change, _MAY_BE_INLINE) and change.dataref is None:
            yield from _inline(reader, change)
        else:
            yield change


def _inline(reader: StreamReader, change: c.FileModify | c.NoteModify) -> Steps[None]:
    """Read the data that follows *change*, and hand both out."""
    offset = reader.offset
    line = yield from reader.next_line()
    while line.startswith(b"cat-blob ") and isinstance(change, c.FileModify):
        reader.offset = reader.line_offset
        try:
            question = IN_COMMIT[b"cat-blob "](line)
        except StreamError as error:
            reader.mend(error)
        else:
            yield question
        line = yield from reader.next_line()
    reader.offset = offset
    data = yield from reader.body(line)
    if isinstance(change, c.FileModify):
        yield c.FileModify(change.mode, None, change.path, data)
    else:
        yield c.NoteModify(None, change.committish, data)
    yield from reader.pieces()
