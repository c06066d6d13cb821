"""Dates as people and mail programs write them: RFC 2822, ISO 8601, and much between.

The text is read token by token, and each token says what it can about the fields that are still
open. The order in which a token's meanings are tried is git's, as frontends rely on what git makes
of a date. What means nothing is skipped.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Final

from fastio.stream.date_fields import UNKNOWN, Fields
from fastio.stream.fields import read_number
from fastio.stream.grammar import MAX_NUMBER

MONTHS: Final = (
    *(b"JANUARY", b"FEBRUARY", b"MARCH", b"APRIL", b"MAY", b"JUNE"),
    *(b"JULY", b"AUGUST", b"SEPTEMBER", b"OCTOBER", b"NOVEMBER", b"DECEMBER"),
)
WEEKDAYS: Final = (
    *(b"SUNDAY", b"MONDAY", b"TUESDAY", b"WEDNESDAY", b"THURSDAY", b"FRIDAY", b"SATURDAY"),
)

# Hours east of UTC, as git has them. A shortened name that fits two means the western one.
_ZONES_BY_HOUR: Final = {
    -12: b"IDLW",
    -11: b"NT",
    -10: b"CAT HST",
    -9: b"HDT YST",
    -8: b"PST YDT",
    -7: b"MST PDT",
    -6: b"CST MDT",
    -5: b"CDT EST",
    -4: b"EDT",
    -3: b"AST",
    -2: b"ADT",
    -1: b"WAT",
    0: b"GMT UTC WET Z",
    1: b"BST CET FWT MET MEWT",
    2: b"CEST EET FST MEST MESZ",
    3: b"EEST",
    7: b"WAST",
    8: b"CCT WADT",
    9: b"JST",
    10: b"EAST GST",
    11: b"EADT",
    12: b"IDLE NZST NZT",
    13: b"NZDT",
}
ZONES: Final = {name: hour for hour, names in _ZONES_BY_HOUR.items() for name in names.split()}
"""Zone names in upper case."""

_WORD: Final = re.compile(rb"[A-Za-z]+")
_DIGITS: Final = re.compile(rb"[0-9]+")
_TRIPLE: Final = re.compile(rb"([0-9]+)([-:/.])([0-9]+)(?:\2([0-9]+))?")
_FRACTION: Final = re.compile(rb"\.[0-9]+")
_EPOCH: Final = re.compile(rb"@([0-9]+) ([+-])([0-9]{2})([0-9]{2})")
_ZONE_NAMES: Final = tuple(ZONES)
_LEAST_EPOCH: Final = 100_000_000  # a bare number with fewer digits may be YYYYMMDD


def read_loose_date(text: bytes) -> tuple[int, int] | None:
    """Return seconds since the epoch and minutes east of UTC, or None if *text* is no date."""
    found = _EPOCH.fullmatch(text)
    if found is not None and (seconds := _number(found[1])) < MAX_NUMBER:
        offset = int(found[3]) * 60 + int(found[4])
        return seconds, -offset if found[2] == b"-" else offset
    fields, at = Fields(), 0
    while at < len(text):
        if (found := _WORD.match(text, at)) is not None:
            at = found.end()
            _take_word(fields, found[0], text[at : at + 1].isdigit())
        elif (found := _DIGITS.match(text, at)) is not None:
            at = _take_digits(fields, text, at, found[0])
        elif text[at] in b"+-" and text[at + 1 : at + 2].isdigit():
            at = _take_offset(fields, text, at)
        else:
            at += 1
    return _finish(fields)


def _finish(fields: Fields) -> tuple[int, int] | None:
    seconds = fields.seconds()
    if seconds is None:
        return None
    offset = fields.local_offset() if fields.offset is None else fields.offset
    if not fields.in_utc:
        seconds -= offset * 60
    return (seconds, offset) if seconds >= 0 else None


def _number(digits: bytes) -> int:
    """Return the value of *digits*; one that is absurd stays so, whatever it is."""
    return int(digits) if len(digits) < 20 else 2**64


def _take_word(fields: Fields, word: bytes, before_digit: bool) -> None:
    if before_digit:
        # "T10:00" of ISO 8601; other words are known only when they end here.
        if word == b"T" and fields.hour == UNKNOWN:
            fields.minute = fields.second = 0
        return
    if (month := _position(word, MONTHS)) is not None:
        fields.month = month + 1
    elif _position(word, WEEKDAYS) is not None:
        return
    elif (zone := _position(word, _ZONE_NAMES)) is not None:
        if fields.offset is None:
            fields.offset = ZONES[_ZONE_NAMES[zone]] * 60
    elif word.upper() in (b"AM", b"PM"):
        hour = fields.hour % 12 if fields.hour >= 0 else UNKNOWN
        fields.hour = hour + 12 * (word.upper() == b"PM")


def _position(word: bytes, names: Sequence[bytes]) -> int | None:
    """Return the position of the first name that *word* is, or is short for."""
    word = word.upper()  # the shortest short form has three letters
    for position, name in enumerate(names):
        if word == name or (len(word) >= 3 and name.startswith(word)):
            return position
    return None


def _take_offset(fields: Fields, text: bytes, at: int) -> int:
    """Take ``+hhmm``, ``+hh:mm`` or ``+hh``; return the position behind it. Others are skipped."""
    digits = _DIGITS.match(text, at + 1)
    assert digits is not None
    end, hour, minute = digits.end(), _number(digits[0]), 0
    if end - at == 5:
        hour, minute = divmod(hour, 100)
    elif end - at != 3:
        return end
    elif text[end : end + 1] == b":":
        minute, end, _ = read_number(text, end + 1)
        if end - at != 6:
            return end
    if hour < 24 and minute < 60:
        offset = hour * 60 + minute
        fields.offset = -offset if text[at] == ord("-") else offset
    return end


def _take_digits(fields: Fields, text: bytes, at: int, digits: bytes) -> int:
    """Take what starts with *digits* at *at*; return the position behind it."""
    number, size, end = _number(digits), len(digits), at + len(digits)
    if number >= _LEAST_EPOCH and fields.is_blank():
        fields.set_epoch(number)
        return end
    if (triple := _TRIPLE.match(text, at)) is not None and _take_triple(fields, triple):
        end = triple.end()
        fraction = _FRACTION.match(text, end)
        # A fraction of a second counts as one only behind a date; elsewhere it is a number.
        if triple[2] == b":" and fraction is not None and fields.has_date():
            end = fraction.end()
    elif size == 8:
        fields.set_date(number // 10_000, number // 100 % 100, number % 100)
    elif size == 6:
        fraction = _FRACTION.match(text, end)
        is_time = fields.set_time(number // 10_000, number // 100 % 100, number % 100)
        if is_time and fraction is not None:
            end = fraction.end()
    elif not _take_hours(fields, number, size):
        _guess(fields, number, size)
    return end


def _take_triple(fields: Fields, triple: re.Match[bytes]) -> bool:
    """Take ``a:b``, ``a:b:c``, ``a-b-c``, ``a/b/c`` or ``a.b.c`` if it is a time or a date."""
    first, separator, second = _number(triple[1]), triple[2], _number(triple[3])
    third = UNKNOWN if triple[4] is None else _number(triple[4])
    if separator == b":":
        return fields.set_time(first, second, max(third, 0))
    if first > 70 and (
        fields.set_date(first, second, third) or fields.set_date(first, third, second)
    ):
        return True
    # Americans put the month first, and say so with a slash or a dash; Europeans write dots.
    orders = [(first, second), (second, first)]
    if separator == b".":
        orders.reverse()
    now = time.time()
    return any(fields.set_past_date(third, month, day, now) for month, day in orders)


def _take_hours(fields: Fields, number: int, size: int) -> bool:
    """Take ``HHMM`` or ``HH`` behind a ``T``."""
    if fields.hour != UNKNOWN or fields.minute != 0 or fields.second != 0:
        return False
    if size == 4 and fields.set_time(number // 100, number % 100, 0):
        return True
    if size == 2 and fields.set_time(number, 0, 0):
        return True
    fields.minute = fields.second = UNKNOWN
    return False


def _guess(fields: Fields, number: int, size: int) -> None:
    """Take a bare number for the field that its size and value fit, a day before all else."""
    if size == 4:
        if number <= 1400 and fields.offset is None:
            fields.offset = number // 100 * 60 + number % 100
        elif 1900 < number < 2100:
            fields.year = number
    elif size > 2:
        return
    elif 0 < number < 32 and fields.day == UNKNOWN:
        fields.day = number
    elif size == 2 and fields.year == UNKNOWN and number >= 70:
        fields.year = 1900 + number
    elif size == 2 and fields.year == UNKNOWN and number < 10 and fields.day != UNKNOWN:
        fields.year = 2000 + number
    elif 0 < number < 13 and fields.month == UNKNOWN:
        fields.month = number
