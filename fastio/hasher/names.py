"""Names of files that stdin has, one a line, in lists as long as what is at hand.

Whoever wrote a name may wait for its answer before writing the next. So before we wait for more,
what has come so far is given out, and None tells that there is nothing more for the moment.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fastio.errors import FastioError, StreamError

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = 128
"""Names in a group at most: enough to fill the lanes that hash them, few enough to share out."""

_PART = 8 * GROUP  # of names that are all there: a few questions to git, and not too long ones
_PIECE = 1 << 16
_PATIENCE = 20  # milliseconds


def parted(names: list[bytes]) -> Iterator[list[bytes]]:
    """Cut a list of names into parts of some groups."""
    for start in range(0, len(names), _PART):
        yield names[start : start + _PART]


def read_names(
    descriptor: int, is_worth_waiting: Callable[[], bool]
) -> Iterator[list[bytes] | None]:
    """Read names to the end.

    Args:
        descriptor: Where they come from.
        is_worth_waiting: Whether, where nothing is at hand, something may be a moment later.

    Yields:
        Names, some groups of them or what is at hand, or None: there is nothing more at hand.

    Raises:
        FastioError: They cannot be read, or one is badly quoted; those before it were given out.
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    waiting: list[bytes] = []
    begun = b""
    while True:
        if not poll.poll(0) and not (is_worth_waiting() and poll.poll(_PATIENCE)):
            if waiting:
                yield from _unquoted(waiting)
                waiting = []
            yield None
        piece = _read(descriptor)
        if not piece:
            break
        *lines, begun = (begun + piece).split(b"\n")
        waiting += lines
        whole = len(waiting) - len(waiting) % GROUP
        if whole:
            yield from _unquoted(waiting[:whole])
            del waiting[:whole]
    if begun:
        # Where no line end follows, a CR belongs to the name.
        waiting.append(begun + b"\r" if begun.endswith(b"\r") else begun)
    yield from _unquoted(waiting)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _PIECE)
    except OSError as error:
        raise FastioError(f"cannot read names from stdin: {error.strerror}") from error


def _unquoted(lines: list[bytes]) -> Iterator[list[bytes]]:
    """Yield the names that lines stand for; those before a bad one first, then raise."""
    text = b"\n".join(lines)
    if not any(byte in text for byte in (b'"', b"\r", b"\0")):
        if lines:
            yield lines
        return
    names = []
    for line in lines:
        try:
            names.append(_name(line))
        except StreamError:
            if names:
                yield names
            shown = line.decode(errors="backslashreplace")
            raise FastioError(f"a name on stdin is badly quoted: {shown}") from None
    if names:
        yield names


def _name(line: bytes) -> bytes:
    # As in git, a name ends at a NUL.
    line = line.removesuffix(b"\r").partition(b"\0")[0]
    if not line.startswith(b'"'):
        return line
    from fastio.stream.quoting import unquote  # noqa: PLC0415 - few names are quoted

    return unquote(line)[0]
