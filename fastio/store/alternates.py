"""Object directories that a repository borrows from (gitrepository-layout(5))."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

MAX_DEPTH = 5  # git's own limit to alternates of alternates
_ESCAPE = rb'\\([abfnrtv"\\]|[0-3][0-7]{2})'
_LETTERS = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}


def find_alternates(
    objects_dir: bytes, environment: Mapping[str, str], directory: bytes | None = None
) -> list[bytes]:
    """List the object directories that stand behind a repository's own.

    Args:
        objects_dir: The repository's object directory.
        environment: For GIT_ALTERNATE_OBJECT_DIRECTORIES.
        directory: What relative paths in the environment are relative to; None for the current
            directory.

    Returns:
        Existing directories, each once, in git's order: the environment's first, and each
        one before what it borrows from.
    """
    found = {os.path.realpath(objects_dir): objects_dir}
    start = os.getcwdb() if directory is None else directory
    for path in _environment_paths(environment):
        _add(found, os.path.join(start, path), MAX_DEPTH)
    for path in _listed_paths(objects_dir):
        _add(found, path, MAX_DEPTH)
    return list(found.values())[1:]


def _add(found: dict[bytes, bytes], path: bytes, depth: int) -> None:
    """Add a directory and what it borrows from; cycles end at what was found before."""
    real = os.path.realpath(path)
    if real in found or not os.path.isdir(path):
        return
    found[real] = path
    if depth > 0:
        for borrowed in _listed_paths(path):
            _add(found, borrowed, depth - 1)


def _listed_paths(objects_dir: bytes) -> list[bytes]:
    """Paths in ``info/alternates``, up to a NUL; relative ones go by the object directory."""
    try:
        with open(os.path.join(objects_dir, b"info", b"alternates"), "rb") as file:
            lines = file.read().partition(b"\0")[0].split(b"\n")
    except OSError:
        return []
    return [
        os.path.join(objects_dir, _unquote(line))
        for line in lines
        if line and not line.startswith(b"#")
    ]


def _environment_paths(environment: Mapping[str, str]) -> list[bytes]:
    """Split the variable at colons, which a quoted path may contain."""
    text = os.fsencode(environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", ""))
    pieces = re.findall(rb'"(?:[^"\\]|\\.)*"|[^:]+', text)
    return [_unquote(piece) for piece in pieces]


def _unquote(path: bytes) -> bytes:
    """Undo C-style quoting, if there is any."""
    if len(path) < 2 or not path.startswith(b'"') or not path.endswith(b'"'):
        return path
    return re.sub(_ESCAPE, _unescape, path[1:-1])


def _unescape(match: re.Match[bytes]) -> bytes:
    text = match[1]
    return bytes([int(text, 8)]) if text.isdigit() else _LETTERS.get(text, text)
