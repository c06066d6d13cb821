"""The commands that are one line each: a table of readers by keyword.

A keyword that takes an argument ends in its SP here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.fields import (
    read_committish,
    read_last_dataref,
    read_ls,
    read_path,
    read_path_pair,
)
from fastio.stream.quoting import shown


def keyword_of(line: bytes) -> bytes:
    """Return the first word of *line* with the SP behind it, if there is one."""
    return line[: line.find(b" ") + 1] or line


def _progress(line: bytes) -> c.Progress:
    return c.Progress(line[9:])


def _get_mark(line: bytes) -> c.GetMark:
    mark = read_committish(line[9:])
    if not isinstance(mark, int):
        raise StreamError(f"not a mark: {shown(line)}", kind="mark")
    return c.GetMark(mark)


def _cat_blob(line: bytes) -> c.CatBlob:
    return c.CatBlob(read_last_dataref(line[9:]))


def _ls(line: bytes) -> c.Ls:
    return c.Ls(*read_ls(line, in_commit=False))


def _feature(line: bytes) -> c.Feature:
    name, equals, value = line[8:].partition(b"=")
    return c.Feature(name, value if equals else None)


def _option(line: bytes) -> c.Option:
    return c.Option(line[7:])


def _done(_line: bytes) -> c.Done:
    return c.Done()


TOP_LEVEL: Final[dict[bytes, Callable[[bytes], c.Command]]] = {
    b"progress ": _progress,
    b"get-mark ": _get_mark,
    b"cat-blob ": _cat_blob,
    b"ls ": _ls,
    b"feature ": _feature,
    b"option ": _option,
    b"done": _done,
}
"""One-line commands outside a commit."""


def _delete(line: bytes) -> c.FileDelete:
    return c.FileDelete(read_path(line[2:]))


def _copy(line: bytes) -> c.FileCopy:
    return c.FileCopy(*read_path_pair(line[2:]))


def _rename(line: bytes) -> c.FileRename:
    return c.FileRename(*read_path_pair(line[2:]))


def _delete_all(_line: bytes) -> c.FileDeleteAll:
    return c.FileDeleteAll()


def _ls_in_commit(line: bytes) -> c.Ls:
    return c.Ls(*read_ls(line, in_commit=True))


IN_COMMIT: Final[dict[bytes, Callable[[bytes], c.Command]]] = {
    b"D ": _delete,
    b"C ": _copy,
    b"R ": _rename,
    b"deleteall": _delete_all,
    b"ls ": _ls_in_commit,
    b"cat-blob ": _cat_blob,
}
"""One-line commands inside a commit; ``M`` and ``N`` are not here, as data may follow them."""
