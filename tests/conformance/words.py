"""Pieces that the streams of the conformance tests are put together from."""

from __future__ import annotations

WHO = b"A U Thor <a@b> 1 +0000"
ZERO = b"0" * 40
ABSENT = b"1234567890" * 4
EMPTY_TREE = b"4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def blob(mark: int, data: bytes) -> bytes:
    """A blob in the counted form."""
    return b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(data), data)


BLOBS = blob(1, b"one") + blob(2, b"two")
ONE = b"43dd47ea691c90a5fa7827892c70241913351963"
TWO = b"64c5e5885a4b06010b3a0c20edb7900dd0311025"


def commit(
    *lines: bytes, ref: bytes = b"refs/heads/x", mark: int | None = None, message: bytes = b""
) -> bytes:
    """A commit whose *lines* stand behind its message; no blank line ends it."""
    marked = b"" if mark is None else b"mark :%d\n" % mark
    head = b"commit %b\n%bcommitter %b\ndata %d\n%b" % (ref, marked, WHO, len(message), message)
    return head + (b"\n" if message else b"") + b"".join(line + b"\n" for line in lines)


def inline(path: bytes, data: bytes = b"inline", mode: bytes = b"644") -> bytes:
    """An M line with its data, without the last LF."""
    return b"M %b inline %b\ndata %d\n%b" % (mode, path, len(data), data)
