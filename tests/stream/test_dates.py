"""Checklist D: dates."""

from __future__ import annotations

import time

import pytest

from fastio.errors import StreamError
from fastio.stream.dates import format_date, read_date


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch):
    def choose(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield choose
    monkeypatch.undo()
    time.tzset()


def refused(text: bytes, date_format: str) -> bool:
    try:
        read_date(text, date_format)
    except StreamError as error:
        return "date" in error.reason
    return False


@pytest.mark.parametrize(
    "offset", [b"+1400", b"-1400", b"-0000", b"+1", b"+0099", b"+0001400", b"+ 5", b"++5", b"+-0"]
)
def test_raw_keeps_what_it_accepts(offset: bytes) -> None:
    for seconds in (b"0", b"001", b"  7", b"-1", b"18446744073709551615"):
        assert read_date(seconds + b" " + offset, "raw") == seconds + b" " + offset


@pytest.mark.parametrize(
    "text",
    [
        *(b"1 +1401", b"1 -1401", b"1 +14000", b"1 +051800", b"1 +00:00", b"1 Z", b"1 UTC", b"1"),
        *(b"1 ", b"1 +0000 ", b"1 +0000\r", b"1  +0000", b"1.5 +0000", b"@1 +0000", b"now", b""),
        *(b"18446744073709551616 +0000", b"x +0000", b"1 +", b"1 0000", b"1\t+0000"),
        b"Thu, 7 Apr 2005 15:14:13 -0700",
    ],
)
def test_raw_refuses_all_else(text: bytes) -> None:
    assert refused(text, "raw")


def test_raw_permissive_takes_any_offset() -> None:
    for offset in (b"+051800", b"-1401", b"+-5"):
        assert read_date(b"1 " + offset, "raw-permissive") == b"1 " + offset
    for text in (b"1 +18446744073709551616", b"1 +x", b"1 +1 ", b"1", b"1 Z"):
        assert refused(text, "raw-permissive")


def test_now_is_the_present_time_in_the_local_zone(zone, monkeypatch: pytest.MonkeyPatch) -> None:
    zone("XYZ-05:45")
    monkeypatch.setattr(time, "time", lambda: 1234567890.9)
    assert read_date(b"now", "now") == b"1234567890 +0545"
    assert all(refused(text, "now") for text in (b"now ", b"1 +0000", b"", b"Now"))


def test_offsets_are_written_as_hours_and_minutes() -> None:
    assert format_date(1, -(5 * 60 + 30)) == b"1 -0530"
    assert format_date(1, -5) == b"1 -0005"
    assert format_date(1, 0) == b"1 +0000"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        (b"Thu, 7 Apr 2005 15:14:13 -0700", b"1112912053 -0700"),
        (b"7 april 2005 15:14 -07", b"1112912040 -0700"),
        (b"Apr 7 15:14:13 PDT 2005", b"1112912053 -0700"),
        (b"Apr 7 15:14:13 -0600 PDT 2005", b"1112908453 -0600"),
        (b"2005-04-07T22:13:13Z", b"1112911993 +0000"),
        (b"20050407T221313.7 +00:00", b"1112911993 +0000"),
        (b"2005-04-07 22:13:13.5 +0130", b"1112906593 +0130"),
        (b"04/07/2005 10:13:13 PM GMT", b"1112911993 +0000"),
        (b"07.04.05 12:13:13 AM GMT", b"1112832793 +0000"),
        (b"13/04/2005 00:00:60 GMT", b"1113350460 +0000"),
        (b"13.04.99 24:00 CEST", b"924040800 +0200"),
        (b"Sat 30 Feb 2005 10:00 +0000", b"1109757600 +0000"),
        (b"@5 -0130", b"5 -0130"),
        (b"1112911993 -0700", b"1112911993 -0700"),
    ],
)
def test_rfc2822_reads_what_people_write(text: bytes, date: bytes) -> None:
    assert read_date(text, "rfc2822") == date


@pytest.mark.parametrize(
    "text",
    [
        *(b"7 Apr 2005", b"15:14:13", b"7 Apr 2005 -0700", b"yesterday", b"now", b"", b"5 -0500"),
        *(b"7 Apr 1960 10:00 +0000", b"7 Apr 2107 10:00 +0000", b"1 Jan 1970 00:00 +0100"),
        *(b"@5", b"7 Apr 2005 25:00 +0000", b"@" + b"9" * 5000 + b" +0000", b"9" * 5000),
    ],
)
def test_rfc2822_refuses_what_is_no_whole_date(text: bytes) -> None:
    assert refused(text, "rfc2822")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        (b"7 Apr 2005 15:14:13", b"1112908453 -0600"),
        (b"7 Jan 2005 15:14:13", b"1105136053 -0700"),
        (b"7 Jan 2005 15:14:13 +9999", b"1105136053 -0700"),
        (b"1112911993", b"1112911993 -0600"),
    ],
)
def test_rfc2822_without_an_offset_means_the_local_zone(zone, text: bytes, date: bytes) -> None:
    zone("MST7MDT,M4.1.0,M10.5.0")
    assert read_date(text, "rfc2822") == date
