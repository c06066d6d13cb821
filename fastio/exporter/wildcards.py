"""git's shell patterns, as far as they match without regard to directories."""

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


def wildcard(pattern: bytes) -> Callable[[bytes], bool]:
    """Return a function that tells whether a whole text matches *pattern*.

    ``*`` and ``?`` also match a slash, as they do where git compares names of refs.
    """
    try:
        match = re.compile(_translate(pattern), re.DOTALL).fullmatch
    except _MalformedError:
        return lambda _text: False
    return lambda text: match(text) is not None


class _MalformedError(Exception):
    """The pattern can match nothing."""


def _translate(pattern: bytes) -> bytes:
    """The regular expression that matches the same."""
    parts: list[bytes] = []
    at = 0
    while at < len(pattern):
        char = pattern[at : at + 1]
        at += 1
        if char == b"*":
            if parts[-1:] != [b".*"]:
                parts.append(b".*")
        elif char == b"?":
            parts.append(b".")
        elif char == b"\\":
            if at == len(pattern):
                raise _MalformedError
            parts.append(re.escape(pattern[at : at + 1]))
            at += 1
        elif char == b"[":
            part, at = _set(pattern, at)
            parts.append(part)
        else:
            parts.append(re.escape(char))
    return b"".join(parts)


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
            if low <= high:
                parts.append(re.escape(low) + b"-" + re.escape(high))
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
