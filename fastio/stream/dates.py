"""Dates of idents, in the four formats that ``date-format`` can choose.

Source: git-fast-import(1), "Date Formats".
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from fastio.errors import StreamError
from fastio.stream.fields import read_number
from fastio.stream.quoting import shown

_GREATEST_OFFSET: Final = 1400


def _is_raw(text: bytes, greatest: int | None) -> bool:
    """Tell whether *text* is seconds, one SP and an offset of at most *greatest*."""
    _, end, overflow = read_number(text)
    if (
        end == 0
        or overflow
        or text[end : end + 1] != b" "
        or text[end + 1 : end + 2] not in (b"+", b"-")
    ):
        return False
    offset, last, overflow = read_number(text, end + 2)
    if last == end + 2 or last != len(text) or overflow:
        return False
    return greatest is None or offset <= greatest


def read_raw(text: bytes) -> bytes:
    """Check ``<seconds> <+hhmm>`` and return it as it is."""
    if not _is_raw(text, _GREATEST_OFFSET):
        raise StreamError(f"invalid raw date: {shown(text)}", kind="date")
    return text


def read_raw_permissive(text: bytes) -> bytes:
    """Check a raw date whose offset may be any number."""
    if not _is_raw(text, None):
        raise StreamError(f"invalid raw date: {shown(text)}", kind="date")
    return text


def format_date(seconds: int, offset: int) -> bytes:
    """Return git's form of a date; *offset* is in minutes east of UTC."""
    sign = b"-" if offset < 0 else b"+"
    return b"%d %s%02d%02d" % (seconds, sign, abs(offset) // 60, abs(offset) % 60)


def read_now(text: bytes) -> bytes:
    """Check that *text* is ``now`` and return the present time in the local zone."""
    if text != b"now":
        raise StreamError(f"date is not 'now': {shown(text)}", kind="date")
    seconds = int(time.time())
    return format_date(seconds, time.localtime(seconds).tm_gmtoff // 60)


def read_rfc2822(text: bytes) -> bytes:
    """Read a date as people and mail programs write it, and return git's form of it."""
    from fastio.stream.loose_dates import read_loose_date  # noqa: PLC0415 - few streams need it

    date = read_loose_date(text)
    if date is None:
        raise StreamError(f"invalid rfc2822 date: {shown(text)}", kind="date")
    return format_date(*date)


READERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "raw": read_raw,
    "raw-permissive": read_raw_permissive,
    "now": read_now,
    "rfc2822": read_rfc2822,
}
"""The readers by the name of their format."""


def read_date(text: bytes, date_format: str) -> bytes:
    """Return git's form of a date that is written in *date_format*, a key of `READERS`."""
    return READERS[date_format](text)
