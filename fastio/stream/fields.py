"""The fields of a line: numbers, marks, datarefs, modes, paths.

All functions work on a line that is complete and raise `StreamError` without a place: only the
parser knows where the line stands.
"""

from __future__ import annotations

import re
from binascii import Error as HexError
from binascii import unhexlify
from typing import Final

from fastio.errors import StreamError
from fastio.stream.commands import Committish, Dataref, FileModify, Mark, NoteModify
from fastio.stream.grammar import (
    GITLINK_MODE,
    MAX_NUMBER,
    MODES,
    MODES_BY_TEXT,
    OID_DIGITS,
    TREE_MODE,
)
from fastio.stream.quoting import shown, unquote

# What C's strtoumax takes, which every fast-import number is read with.
_NUMBER: Final = re.compile(rb"[ \t\n\v\f\r]*+([+-]?)([0-9]++)")

_NEVER_INLINE: Final = (TREE_MODE, GITLINK_MODE)

# 18 digits cannot pass 2**64, nor 2**63.
_SAFE_DIGITS: Final = 18


def read_number(text: bytes, at: int = 0) -> tuple[int, int, bool]:
    """Read a number the way C does: blanks, a sign, digits, and whatever follows is left.

    Returns:
        The value (a negative one modulo 2**64, a great one 2**64-1, none 0), the position behind it
        (*at*, if there is no number), and whether it was too great.
    """
    found = _NUMBER.match(text, at)
    if found is None:
        return 0, at, False
    digits = found[2].lstrip(b"0") or b"0"
    # The length is asked first: int() refuses thousands of digits.
    if len(digits) > 20 or int(digits) > MAX_NUMBER:
        return MAX_NUMBER, found.end(), True
    value = int(digits)
    return (-value & MAX_NUMBER if found[1] == b"-" else value), found.end(), False


def read_count(text: bytes) -> int:
    """Read the number of a ``mark`` or ``data`` line, where anything may follow."""
    if text.isdigit() and len(text) <= _SAFE_DIGITS:
        return int(text)
    return read_number(text)[0]


def _read_mark(text: bytes, at: int) -> tuple[Mark, int]:
    """Read ``:num`` at *at*, and return the mark and the position behind it."""
    value, end, _ = read_number(text, at + 1)
    if end == at + 1:
        raise StreamError(f"no number after ':' in mark: {shown(text)}", kind="mark")
    return Mark(value), end


def read_committish(text: bytes) -> Committish:
    """Read a mark or any other name that runs to the end of its line."""
    if text[:1] != b":":
        return text
    digits = text[1:]
    if digits.isdigit() and len(digits) <= _SAFE_DIGITS:
        return Mark(int(digits))
    mark, end = _read_mark(text, 0)
    if end != len(text):
        raise StreamError(f"garbage after mark: {shown(text)}", kind="mark")
    return mark


def is_oid(word: bytes) -> bool:
    """Tell whether *word* is a whole oid in hexadecimal, of either algorithm."""
    try:
        return len(unhexlify(word)) * 2 in OID_DIGITS
    except HexError:
        return False


def read_last_dataref(text: bytes) -> Dataref:
    """Read a dataref that runs to the end of its line."""
    if text[:1] == b":":
        return read_committish(text)
    if not is_oid(text):
        if any(is_oid(text[:digits]) for digits in OID_DIGITS):
            raise StreamError(f"garbage after SHA1: {shown(text)}", kind="dataref")
        raise StreamError(f"invalid dataref: {shown(text)}", kind="dataref")
    return text


def read_dataref(text: bytes, oid_name: str = "SHA1") -> tuple[Dataref, bytes]:
    """Read a dataref that another field follows.

    Args:
        text: The rest of the line, from the dataref on.
        oid_name: What to call an oid when the SP behind it is missing.

    Returns:
        The dataref, and what stands behind the SP.
    """
    word, space, rest = text.partition(b" ")
    if text[:1] == b":":
        digits = word[1:]
        if space and digits.isdigit() and len(digits) <= _SAFE_DIGITS:
            return Mark(int(digits)), rest
        mark, end = _read_mark(text, 0)
        if text[end : end + 1] != b" ":
            raise StreamError(f"missing space after mark: {shown(text)}", kind="mark")
        return mark, text[end + 1 :]
    if is_oid(word) and space:
        return word, rest
    if any(is_oid(word[:digits]) for digits in OID_DIGITS):
        raise StreamError(f"missing space after {oid_name}: {shown(text)}", kind="dataref")
    raise StreamError(f"invalid dataref: {shown(text)}", kind="dataref")


def read_mode(text: bytes) -> int:
    """Read the mode of an ``M`` line and return the one that is to be stored."""
    mode = MODES_BY_TEXT.get(text)
    if mode is None and text and not text.strip(b"01234567"):
        mode = MODES.get(int(text, 8))
    if mode is None:
        raise StreamError(f"invalid mode: {shown(text)}", kind="mode")
    return mode


def read_path(text: bytes, field: str = "path") -> bytes:
    """Read a path, quoted or not, that runs to the end of its line."""
    if text[:1] != b'"':
        return text
    path, end = unquote(text, field)
    if end != len(text):
        raise StreamError(f"garbage after {field}: {shown(text)}", kind="path")
    return path


def read_path_pair(text: bytes) -> tuple[bytes, bytes]:
    """Read the source and destination of a ``C`` or ``R`` line."""
    if text[:1] == b'"':
        source, end = unquote(text, "source")
        space, rest = text[end : end + 1], text[end + 1 :]
    else:
        source, space, rest = text.partition(b" ")
    if space != b" ":
        raise StreamError(f"missing space after source: {shown(text)}", kind="path")
    return source, read_path(rest, "dest")


def read_modify(line: bytes) -> FileModify:
    """Read an ``M`` line; one that is inline is still without its data."""
    parts = line.split(b" ", 3)
    if len(parts) == 4 and (mode := MODES_BY_TEXT.get(parts[1])) is not None:
        # The usual spellings first, as there are millions of these lines.
        word, digits = parts[2], parts[2][1:]
        if word[:1] == b":" and digits.isdigit() and len(digits) <= _SAFE_DIGITS:
            return FileModify(mode, Mark(int(digits)), read_path(parts[3]))
        if word == b"inline" and mode not in _NEVER_INLINE:
            return FileModify(mode, None, read_path(parts[3]))
    text, space, rest = line[2:].partition(b" ")
    if not space:
        raise StreamError(f"invalid mode: {shown(line)}", kind="mode")
    mode = read_mode(text)
    if not rest.startswith(b"inline "):
        dataref, rest = read_dataref(rest)
        return FileModify(mode, dataref, read_path(rest))
    if mode in _NEVER_INLINE:
        raise StreamError(
            f"neither directories nor gitlinks can be inline: {shown(line)}", kind="mode"
        )
    return FileModify(mode, None, read_path(rest[7:]))


def read_note(line: bytes) -> NoteModify:
    """Read an ``N`` line; one that is inline is still without its data."""
    if line.startswith(b"N inline "):
        return NoteModify(None, read_committish(line[9:]))
    dataref, rest = read_dataref(line[2:])
    return NoteModify(dataref, read_committish(rest))


def read_ls(line: bytes, *, in_commit: bool) -> tuple[Dataref | None, bytes]:
    """Read an ``ls`` line: dataref (None for the commit being built) and path."""
    text = line[3:]
    if text[:1] == b'"':
        if not in_commit:
            raise StreamError(f"not in a commit: {shown(line)}", kind="dataref")
        return None, read_path(text)
    dataref, rest = read_dataref(text, "tree-ish")
    return dataref, read_path(rest)
