"""git's shell patterns."""

from __future__ import annotations

import re
from collections.abc import Callable

SPECIAL = b"*?[\\"

_CLASSES = {
    b"alnum": rb"a-zA-Z0-9",
    b"alpha": rb"a-zA-Z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": rb"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    b"space": rb" \t\n\r\f\v",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9a-fA-F",
}


def wildcard(
    pattern: bytes, *, directories: bool = False, ignore_case: bool = False
) -> Callable[[bytes], bool]:
    r"""Return a function that tells whether a whole text matches *pattern*.

    Args:
        pattern: With ``*``, ``?``, ``[...]``, and ``\`` before what is to stand for itself.
        directories: Whether ``*``, ``?`` and sets leave slashes alone, and ``**`` stands for any
            directories. Without it they match slashes like anything else, as they do where git
            compares names of refs, and paths unless it is told otherwise.
        ignore_case: Whether ``a`` matches ``A``.
    """
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    try:
        match = re.compile(_translate(pattern, directories), flags).fullmatch
    except _MalformedError:
        return lambda _text: False
    return lambda text: match(text) is not None


class _MalformedError(Exception):
    """The pattern can match nothing."""


def _translate(pattern: bytes, directories: bool) -> bytes:
    """The regular expression that matches the same."""
    any_byte = b"[^/]" if directories else b"."
    parts: list[bytes] = []
    at = 0
    while at < len(pattern):
        char = pattern[at : at + 1]
        at += 1
        if char == b"*":
            part, at = _stars(pattern, at, any_byte)
            if parts[-1:] != [part]:
                parts.append(part)
        elif char == b"?":
            parts.append(any_byte)
        elif char == b"\\":
            if at == len(pattern):
                raise _MalformedError
            parts.append(re.escape(pattern[at : at + 1]))
            at += 1
        elif char == b"[":
            part, at = _set(pattern, at)
            parts.append(b"(?!/)" + part if directories else part)
        else:
            parts.append(re.escape(char))
    return b"".join(parts)


def _stars(pattern: bytes, at: int, any_byte: bytes) -> tuple[bytes, int]:
    """Translate one or more stars, the first of which stands before *at*."""
    start = at - 1
    while pattern[at : at + 1] == b"*":
        at += 1
    begins_name = start == 0 or pattern[start - 1 : start] == b"/"
    if any_byte == b"." or at - start == 1 or not begins_name:
        return any_byte + b"*", at
    if at == len(pattern):
        return b".*", at
    if pattern[at : at + 1] == b"/":
        return b"(?:.*/)?", at + 1
    return any_byte + b"*", at


def _set(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Translate a bracketed set; its regular expression, and where it ends."""
    inverted = pattern[at : at + 1] in (b"!", b"^")
    at += inverted
    parts: list[bytes] = []
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        if at >= len(pattern):
            raise _MalformedError
        if pattern.startswith(b"[:", at) and (end := pattern.find(b":]", at)) > 0:
            name = pattern[at + 2 : end]
            if name not in _CLASSES:
                raise _MalformedError
            parts.append(_CLASSES[name])
            at = end + 2
            continue
        low, at = _member(pattern, at)
        if pattern[at : at + 1] == b"-" and pattern[at + 1 : at + 2] not in (b"]", b""):
            high, at = _member(pattern, at + 1)
            # A range in the wrong direction is its first byte.
            parts.append(re.escape(low) + (b"-" + re.escape(high) if low <= high else b""))
        else:
            parts.append(re.escape(low))
    if not parts:
        return (b"." if inverted else b"(?!)"), at + 1
    return b"[%s%s]" % (b"^" if inverted else b"", b"".join(parts)), at + 1


def _member(pattern: bytes, at: int) -> tuple[bytes, int]:
    """One byte of a set, perhaps behind a backslash, and where it ends."""
    at += pattern[at : at + 1] == b"\\"
    if at >= len(pattern):
        raise _MalformedError
    return pattern[at : at + 1], at + 1
