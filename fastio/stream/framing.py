r"""Where a command can start: for readers that go on behind broken framing.

The length of a body is known from its ``data`` line alone. When that is wrong, what follows the
body is no command, and only the look of the lines tells where the stream goes on. A line of a file
may look like a command, too; so what is searched for is unlikely text: two lines that belong
together (``commit …``, then ``mark :`` or ``author``), or one with several fields of fixed form.

All functions look at ``data[at:end]`` of a buffer and return positions in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from fastio.stream.blocks import BLOCKS
from fastio.stream.lines import IN_COMMIT, TOP_LEVEL, keyword_of

LOOKAHEAD: Final = 16
"""Bytes that `can_follow` needs, unless the input ends before: the longest keyword with CR LF."""

ENOUGH: Final = 4096
"""Bytes behind a body that show what it is: of a command that the body cuts in two, the rest."""

KEYWORDS: Final = frozenset((*TOP_LEVEL, *BLOCKS, *IN_COMMIT, b"commit ", b"M ", b"N "))
"""What starts a command or a change; those with an argument end in their SP."""

HEADER_KEYWORDS: Final = frozenset(
    (
        *(b"mark ", b"original-oid ", b"author ", b"committer ", b"tagger ", b"gpgsig "),
        *(b"encoding ", b"data ", b"from ", b"merge ", b"to "),
    )
)
"""What starts a line inside a command."""

_ALONE: Final = b"|".join(word for word in sorted(KEYWORDS) if word[-1:] != b" ")
_WITH_ARGUMENT: Final = b"|".join(word for word in sorted(KEYWORDS) if word[-1:] == b" ")
_FOLLOWS: Final = rb"(?:%b|%b|#)|(?:%b)?\r?(?:\n|\Z)"
_FOLLOWS_FILE: Final = re.compile(_FOLLOWS % (_WITH_ARGUMENT, b"#", _ALONE))
_FOLLOWS_TEXT: Final = re.compile(
    _FOLLOWS % (_WITH_ARGUMENT, b"gpgsig |encoding |data |from |merge ", _ALONE)
)

_END: Final = rb"\r?\n"
_COMMAND: Final = (
    rb"blob%(end)b(?:mark :|original-oid |data [0-9<])"
    rb"|commit [^\n]+\n(?:mark :|original-oid |author |committer )"
    rb"|tag [^\n]+\n(?:mark :|from )"
    rb"|alias%(end)b(?:%(end)b)?mark :"
    rb"|reset refs/[^\x00-\x20\x7f]+%(end)b"
)
# Lines inside a command that hardly occur in text. What a frontend gets wrong is mostly the length
# of a message, and then the commit's parents and files come next.
_INSIDE: Final = (
    rb"|(?:from|merge) (?::[0-9]+|refs/[^\x00-\x20\x7f]+|[0-9a-f]{40})%(end)b"
    rb"|M (?:(?:100)?(?:644|755)|120000|160000|0?40000) (?::[0-9]+|inline|[0-9a-f]{40,64}) [^\n]+\n"
    rb"|N (?::[0-9]+|inline|[0-9a-f]{40,64}) [^\n]+\n"
    rb"|(?:author|committer|tagger) [^\n<>]*<[^\n<>]*> -?[0-9]+ [-+][0-9]+%(end)b"
    rb"|data (?:[0-9]+|<<[^\n]+)%(end)b"
)
_COMMAND_LINE: Final = re.compile(_COMMAND % {b"end": _END})
_ANY_LINE: Final = re.compile((_COMMAND + _INSIDE) % {b"end": _END})
_INSIDE_LINE: Final = re.compile(rb"(?:D |C |R )[^\n]+\n|deleteall\n" + _INSIDE % {b"end": _END})

_MOST_BYTES: Final = 4  # of a character in UTF-8
_CONTINUATION: Final = bytes(range(0x80, 0xC0))


def is_known(line: bytes) -> bool:
    """Tell whether *line* starts as some line of a stream does."""
    keyword = keyword_of(line)
    return keyword in KEYWORDS or keyword in HEADER_KEYWORDS or line[:1] in (b"", b"#")


def can_follow(data: bytearray, at: int, end: int, *, is_text: bool) -> bool:
    """Tell whether what stands at *at*, `LOOKAHEAD` bytes or up to the end, can follow a body.

    Whatever the strict reader accepts there can. Behind the body of a message or signature, which
    *is_text*, there may be more lines of the same command.
    """
    follows = _FOLLOWS_TEXT if is_text else _FOLLOWS_FILE
    return follows.match(data, at, end) is not None


def find_command(data: bytearray, at: int, end: int, *, is_start: bool) -> int:
    """Return the position of the first line that can only start a command, or -1.

    *is_start* tells whether a line starts at *at* itself.
    """
    return _find(_COMMAND_LINE, data, at, end, is_start)


def find_line(data: bytearray, at: int, end: int, *, is_start: bool) -> int:
    """Like `find_command`, for lines inside a command as well."""
    return _find(_ANY_LINE, data, at, end, is_start)


def _find(pattern: re.Pattern[bytes], data: bytearray, at: int, end: int, is_start: bool) -> int:
    if is_start and pattern.match(data, at, end) is not None:
        return at
    found = _behind_lf(pattern).search(data, at, end)
    return -1 if found is None else found.end()


@cache
def _behind_lf(pattern: re.Pattern[bytes]) -> re.Pattern[bytes]:
    return re.compile(rb"\n(?=%b)" % pattern.pattern)


def find_overrun(data: bytearray, at: int, body_end: int, end: int, *, is_start: bool) -> int:
    """Return where the lines start that a body has swallowed, being declared too long.

    Either it holds a command, or lines from inside one, the last of which *body_end* cuts in two.

    Args:
        data: The buffer.
        at: Position of the body.
        body_end: Where it was said to end.
        end: How far the buffer is filled.
        is_start: Whether *at* is the start of the body, and with it of a line.

    Returns:
        The position of the first such line, or -1.
    """
    found = find_command(data, at, min(body_end + ENOUGH, end), is_start=is_start)
    if 0 <= found < body_end:
        return found
    found, before = -1, body_end
    while before > at:
        start = data.rfind(b"\n", at, before) + 1 or at
        if start == body_end or _INSIDE_LINE.match(data, start, end) is None:
            break
        if start > at or is_start:
            found = start
        before = start - 1
    return found


def end_in_characters(data: bytearray, start: int, count: int, end: int) -> int:
    """Return where a body ends if *count* counts the characters of UTF-8.

    A position behind *end* tells that more bytes are needed.
    """
    at = _real_end(start, count, end, lambda since, stop: _continuations(data, since, stop))
    while at < end and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def end_before_crlf(data: bytearray, start: int, count: int, end: int) -> int:
    """Return where a body ends if *count* was taken before each LF became CR LF.

    A position behind *end* tells that more bytes are needed.
    """
    at = _real_end(
        start, count, end, lambda since, stop: data.count(b"\r\n", max(since - 1, start), stop)
    )
    # The last LF counted may be one that has a CR before it now.
    return at + (start < at < end and data[at - 1 : at + 1] == b"\r\n")


def _real_end(start: int, count: int, end: int, uncounted: Callable[[int, int], int]) -> int:
    """Return the end that lies *count* bytes, and all that were not counted, behind *start*."""
    at, missing, limit = start, count, start + _MOST_BYTES * count
    while missing and at <= end:
        stop = at + missing
        missing = uncounted(at, min(stop, end))
        at = stop
        if at > limit:  # no text is like that
            return start + count
    return at


def _continuations(data: bytearray, start: int, stop: int) -> int:
    """Count the bytes that continue a character of UTF-8."""
    return stop - start - len(data[start:stop].translate(None, _CONTINUATION))
