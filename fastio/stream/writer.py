"""The inverse of the parser: commands in, the bytes of a stream out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.quoting import quote, shown


def write_command(command: c.Command) -> bytes:
    """Return the bytes that the parser reads as *command*.

    A body announced by `LargeData` has to follow as `DataPiece` commands. Counted data is always
    followed by an LF, and a commit ends in an empty line.

    Raises:
        StreamError: A field holds an LF or a NUL where the language has no way to write it.
    """
    kind = c.Blob if isinstance(command, c.Blob) else type(command)  # which may be read on demand
    return _WRITERS[kind](command)


def _line(*words: bytes) -> bytes:
    """Return *words* as a line; any LF or NUL in it would end it too early."""
    line = b"".join(words)
    if b"\n" in line or (b"\0" in line and words[0] != b"progress "):
        raise StreamError(f"cannot be written as a line: {shown(line)}")
    return line + b"\n"


def _optional(keyword: bytes, value: bytes | None) -> bytes:
    return b"" if value is None else _line(keyword, value)


def _mark(mark: c.Mark | None) -> bytes:
    return b"" if mark is None else b"mark :%d\n" % mark


def _ref(value: c.Committish) -> bytes:
    """Return a mark or name as it is written in a line."""
    return b":%d" % value if isinstance(value, int) else value


def _path(path: bytes) -> bytes:
    """Return a path as the last field of its line."""
    return quote(path) or b'""'


def _source(path: bytes) -> bytes:
    """Return a path as a field that ends at the first SP."""
    quoted = _path(path)
    return b'"%s"' % quoted if b" " in quoted and not quoted.startswith(b'"') else quoted


def _data(data: c.Data | c.LargeData) -> bytes:
    if isinstance(data, c.LargeData):
        return b"data %d\n" % data.size
    return b"".join((b"data %d\n" % len(data), data, b"\n"))


def _blob(blob: c.Blob) -> bytes:
    labels = _mark(blob.mark) + _optional(b"original-oid ", blob.original_oid)
    return b"blob\n" + labels + _data(blob.data)


def _piece(piece: c.DataPiece) -> bytes:
    return bytes(piece.data) + (b"\n" if piece.last else b"")


def _commit(commit: c.Commit) -> bytes:
    parts = [
        _line(b"commit ", commit.ref),
        _mark(commit.mark),
        _optional(b"original-oid ", commit.original_oid),
        _optional(b"author ", commit.author),
        _line(b"committer ", commit.committer),
    ]
    parts += [_line(b"gpgsig ", one.words) + _data(one.data) for one in commit.signatures]
    parts += [_optional(b"encoding ", commit.encoding), _data(commit.message)]
    if commit.from_ is not None:
        parts.append(_line(b"from ", _ref(commit.from_)))
    parts += [_line(b"merge ", _ref(merge)) for merge in commit.merges]
    return b"".join(parts)


def _content(change: c.FileModify | c.NoteModify) -> tuple[bytes, bytes]:
    """Return what names a change's blob in its line, and what follows the line."""
    if (change.dataref is None) != (change.data is not None):
        raise StreamError("a file or note needs either a dataref or data")
    if change.dataref is not None:
        return _ref(change.dataref), b""
    return b"inline", b"" if change.data is None else _data(change.data)


def _modify(change: c.FileModify) -> bytes:
    word, data = _content(change)
    return _line(b"M %06o " % change.mode, word, b" ", _path(change.path)) + data


def _note(note: c.NoteModify) -> bytes:
    word, data = _content(note)
    return _line(b"N ", word, b" ", _ref(note.committish)) + data


def _tag(tag: c.Tag) -> bytes:
    return b"".join(
        (
            _line(b"tag ", tag.name),
            _mark(tag.mark),
            _line(b"from ", _ref(tag.from_)),
            _optional(b"original-oid ", tag.original_oid),
            _optional(b"tagger ", tag.tagger),
            _data(tag.message),
        )
    )


def _reset(reset: c.Reset) -> bytes:
    from_ = None if reset.from_ is None else _ref(reset.from_)
    return _line(b"reset ", reset.ref) + _optional(b"from ", from_) + b"\n"


def _alias(alias: c.Alias) -> bytes:
    # git takes the line behind "to" whatever it is: the empty one is needed.
    return b"alias\n" + _mark(alias.mark) + _line(b"to ", _ref(alias.to)) + b"\n"


def _ls(ls: c.Ls) -> bytes:
    if ls.dataref is not None:
        return _line(b"ls ", _ref(ls.dataref), b" ", _path(ls.path))
    quoted = _path(ls.path)
    return _line(b"ls ", quoted if quoted.startswith(b'"') else b'"%s"' % quoted)


def _feature(feature: c.Feature) -> bytes:
    value = () if feature.value is None else (b"=", feature.value)
    return _line(b"feature ", feature.name, *value)


_WRITERS: Final[dict[type, Callable[[Any], bytes]]] = {
    c.Blob: _blob,
    c.DataPiece: _piece,
    c.Commit: _commit,
    c.CommitEnd: lambda _: b"\n",
    c.FileModify: _modify,
    c.FileDelete: lambda change: _line(b"D ", _path(change.path)),
    c.FileCopy: lambda change: _line(b"C ", _source(change.source), b" ", _path(change.dest)),
    c.FileRename: lambda change: _line(b"R ", _source(change.source), b" ", _path(change.dest)),
    c.FileDeleteAll: lambda _: b"deleteall\n",
    c.NoteModify: _note,
    c.Tag: _tag,
    c.Reset: _reset,
    c.Alias: _alias,
    c.Checkpoint: lambda _: b"checkpoint\n\n",
    c.Progress: lambda progress: _line(b"progress ", progress.text) + b"\n",
    c.GetMark: lambda get_mark: b"get-mark :%d\n" % get_mark.mark,
    c.CatBlob: lambda cat_blob: _line(b"cat-blob ", _ref(cat_blob.dataref)),
    c.Ls: _ls,
    c.Feature: _feature,
    c.Option: lambda option: _line(b"option ", option.text),
    c.Done: lambda _: b"done\n",
}
