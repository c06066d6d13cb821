"""A line of the stream as people can read it: nothing invisible, and not too long."""

from __future__ import annotations

import re
from typing import Final

WIDTH: Final = 100
"""Bytes of a line that are shown around its spot, when it is too long to be shown whole."""

_HEAD: Final = 24  # of a longer line, so that one sees which command it is
_BEFORE_SPOT: Final = 30
_NAMED: Final = {"\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_SUSPICIOUS: Final = rb"[\x00-\x08\x0a-\x1f\x7f]"  # compiled when first used


def visible(text: bytes) -> str:
    r"""Return *text* with everything that cannot be seen, or is not UTF-8, as an escape.

    A carriage return reads ``\r``, a byte that is no character ``\xff``. Backslashes stay single:
    this is for reading.
    """
    decoded = text.decode("utf-8", "backslashreplace")
    if decoded.isprintable():
        return decoded
    return "".join(each if each.isprintable() else _escape(each) for each in decoded)


def visible_lines(text: bytes) -> str:
    """Return *text* as `visible` does, its lines still lines.

    What goes to a terminal goes through this: names, of files and refs alike, may hold sequences
    that command it.
    """
    return "\n".join(visible(line) for line in text.split(b"\n"))


def _escape(character: str) -> str:
    return _NAMED.get(character) or character.encode("unicode_escape").decode("ascii")


def excerpt(line: bytes, quoted: bytes = b"") -> str:
    """Return what to show of *line*, blanks at its ends made visible.

    Args:
        line: Without its LF.
        quoted: A part of the line that has to be in view, if it is a part; without one, the first
            control character has to.
    """
    if len(line) <= _HEAD + WIDTH:
        return _with_ends(line)
    spot = max(line.find(quoted), 0) if quoted else 0
    if not spot and (found := re.search(_SUSPICIOUS, line)) is not None:
        spot = found.start()
    start = min(max(spot - _BEFORE_SPOT, 0), len(line) - WIDTH)
    if start <= _HEAD:
        return _with_ends(_cut(line, 0, _HEAD + WIDTH)) + "…"
    shown = f"{visible(_cut(line, 0, _HEAD))}…{visible(_cut(line, start, start + WIDTH))}"
    return shown if start + WIDTH == len(line) else shown + "…"


def _with_ends(line: bytes) -> str:
    """Show a line whose blanks at either end matter, as the language takes them for text."""
    inner = line.strip(b" ")
    if len(inner) == len(line):
        return visible(line)
    before = len(line) - len(line.lstrip(b" "))
    after = len(line) - before - len(inner)
    return "\\x20" * before + visible(inner) + "\\x20" * after


def _cut(line: bytes, start: int, stop: int) -> bytes:
    """Return ``line[start:stop]``, without the halves of characters at its ends."""
    while start < stop and line[start] & 0xC0 == 0x80:
        start += 1
    while start < stop < len(line) and line[stop] & 0xC0 == 0x80:
        stop -= 1
    return line[start:stop]
