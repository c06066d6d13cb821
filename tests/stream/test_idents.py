"""Checklist D: idents."""

from __future__ import annotations

import pytest

from fastio.errors import StreamError
from fastio.stream.idents import read_ident

DATE = b"1234567890 +0200"


@pytest.mark.parametrize(
    "who",
    [b"A U Thor <a@b>", b" <a@b>", b" <>", b'  "A. \xff"  < a b >', b"A\t <a>", b"A\r <a>"],
)
def test_all_but_the_date_is_kept_byte_for_byte(who: bytes) -> None:
    assert read_ident(who + b" " + DATE) == who + b" " + DATE


def test_an_ident_without_a_name_gets_its_space() -> None:
    assert read_ident(b"<a@b> " + DATE) == b" <a@b> " + DATE
    assert read_ident(b"<> " + DATE) == b" <> " + DATE


@pytest.mark.parametrize(
    ("who", "reason"),
    [
        (b"A a@b ", "missing <"),
        (b"A> <a@b> ", "no < before >"),
        (b"A<a@b> ", "missing space before <"),
        (b"A\t<a@b> ", "missing space before <"),
        (b"A <a<b> ", "missing >"),
        (b"A <a@b ", "missing >"),
        (b"A <a@b>", "missing space after >"),
        (b"A <a@b>> ", "missing space after >"),
        (b"A <a@b>\t", "missing space after >"),
    ],
)
def test_brackets_and_spaces_have_their_place(who: bytes, reason: str) -> None:
    with pytest.raises(StreamError, match=reason):
        read_ident(who + DATE)


def test_the_date_is_read_in_the_format_asked_for() -> None:
    assert read_ident(b"A <a> 1 +9999", "raw-permissive") == b"A <a> 1 +9999"
    assert read_ident(b"A <a> 5 Jan 2005 10:00 +0100", "rfc2822") == b"A <a> 1104915600 +0100"
    with pytest.raises(StreamError, match="date"):
        read_ident(b"A <a> ")
