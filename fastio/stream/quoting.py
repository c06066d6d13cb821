r"""C-style quoting of paths: ``"a\tb\303\244"``.

Source: git-fast-import(1), "filemodify", and core.quotePath in git-config(1).
"""

from __future__ import annotations

import re
from typing import Final

from fastio.errors import StreamError

_NAMED: Final = {
    0x07: b"\\a",
    0x08: b"\\b",
    0x09: b"\\t",
    0x0A: b"\\n",
    0x0B: b"\\v",
    0x0C: b"\\f",
    0x0D: b"\\r",
    0x22: b'\\"',
    0x5C: b"\\\\",
}
_BY_LETTER: Final = {escape[1:]: bytes((byte,)) for byte, escape in _NAMED.items()}
_ESCAPES: Final = {bytes((byte,)): b"\\%03o" % byte for byte in range(256)} | {
    bytes((byte,)): escape for byte, escape in _NAMED.items()
}

_SPECIAL: Final = re.compile(rb'[\x00-\x1f\x7f"\\]')
_SPECIAL_OR_HIGH: Final = re.compile(rb'[\x00-\x1f\x7f-\xff"\\]')
_STOP: Final = re.compile(rb'["\\]')
_OCTAL: Final = re.compile(rb"[0-3][0-7][0-7]")


def quote(path: bytes, *, quote_high: bool = True) -> bytes:
    """Return *path* in double quotes with escapes if it needs them, else as it is.

    Args:
        path: Any bytes.
        quote_high: Whether bytes from 0x80 on need an escape (git's core.quotePath).
    """
    special = _SPECIAL_OR_HIGH if quote_high else _SPECIAL
    if special.search(path) is None:
        return path
    return b'"%s"' % special.sub(lambda found: _ESCAPES[found[0]], path)


def unquote(text: bytes, field: str = "path") -> tuple[bytes, int]:
    """Read a quoted path from the start of *text*.

    Args:
        text: Bytes that start with a double quote.
        field: What to call the path in an error: ``path``, ``source`` or ``dest``.

    Returns:
        The path, and the position in *text* behind the closing quote.

    Raises:
        StreamError: The closing quote is missing, an escape is unknown, or the path holds a NUL.
    """
    parts, at = [], 1
    while (stop := _STOP.search(text, at)) is not None:
        parts.append(text[at : stop.start()])
        at = stop.end()
        if stop[0] == b'"':
            path = b"".join(parts)
            if 0 in path:
                raise StreamError(f"NUL in {field}: {shown(text)}", kind="path")
            return path, at
        if (octal := _OCTAL.match(text, at)) is not None:
            parts.append(bytes((int(octal[0], 8),)))
            at += 3
        elif (byte := _BY_LETTER.get(text[at : at + 1])) is not None:
            parts.append(byte)
            at += 1
        else:
            break
    raise StreamError(f"invalid {field}: {shown(text)}", kind="path")


def shown(text: bytes, limit: int = 200) -> str:
    """Return *text* for an error message: as text, and cut when it is long."""
    if len(text) > limit:
        text = text[:limit] + b"..."
    return text.decode("utf-8", "backslashreplace")
