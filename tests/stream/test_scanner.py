"""The fast path for blobs; that it says the same as the parser is in test_parser_properties."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.stream import commands as c
from fastio.stream._scanner import scan_blobs
from fastio.stream.fields import read_count
from fastio.stream.parser import NEED_DATA, StreamParser

NUMBERS = [
    *(b"%d" % (power + step) for power in (1 << 63, 1 << 64, 10**19) for step in range(-11, 12)),
    *(b"0" * 19 + b"7", b"0" * 20 + b"7", b"9" * 18, b"9" * 19, b"9" * 20, b"18446744073709551599"),
]
"""Spellings at the ends of 63 and 64 bits, and of as many digits as those have."""


def scan(data: bytes, **changes: int) -> tuple[int, int, bool]:
    settings = {"base": 0, "max_size": 100, "max_line": 100, "optional_lf": False} | changes
    return scan_blobs(data, 0, len(data), array("Q", bytes(320)), **settings)


@pytest.mark.parametrize(
    "blob",
    [
        *(b"blob\ndata 0\n", b"blob\nmark :1\ndata 2\nab", b"blob\nmark :007\ndata 02\nab"),
        *(b"blob\noriginal-oid \ndata 0\n", b"blob\nmark :0\noriginal-oid x y\ndata 1\n\n"),
    ],
)
def test_usual_blobs_are_taken_wherever_they_end(blob: bytes) -> None:
    assert scan(blob) == (1, len(blob), True)
    assert scan(blob + b"\n") == (1, len(blob) + 1, False)
    assert scan(blob + b"x") == (1, len(blob), False)
    assert [scan(blob[:size]) for size in range(len(blob))] == [(0, 0, False)] * len(blob)


@pytest.mark.parametrize(
    "blob",
    [
        *(b"blob\r\ndata 0\n", b"blob\n# x\ndata 0\n", b"blob\nmark :1x\ndata 0\n", b"# x\n"),
        *(b"blob\nmark :x\ndata 0\n", b"blob\nmark :18446744073709551616\ndata 0\n", b"\nblob\n"),
        *(b"blob\ndata x\n", b"blob\ndata -1\n", b"blob\ndata <<E\nE\n", b"blob\ndata 101\n"),
        *(b"blob\noriginal-oid a\0\ndata 0\n", b"blob\nmark 1\ndata 0\n", b"reset x\n"),
        *(b"blob\nmark :" + b"9" * 20 + b"\ndata 0\n", b"blob\ndata 18446744073709551615\n"),
        b"blob\noriginal-oid " + b"x" * 88 + b"\ndata 0\n",
    ],
)
def test_what_is_unusual_is_left_to_the_parser(blob: bytes) -> None:
    assert scan(blob + b"y" * 200) == (0, 0, False)


@given(st.sampled_from(NUMBERS) | st.integers(0, 10**21).map(b"%d".__mod__))
def test_marks_of_64_bits_are_taken(number: bytes) -> None:
    blob = b"blob\nmark :%b\ndata 0\n" % number
    rows = array("Q", bytes(32))
    limits = {"base": 0, "max_size": 9, "max_line": 99, "optional_lf": False}
    count, _, _ = scan_blobs(blob, 0, len(blob), rows, **limits)
    assert count == (len(number) <= 20 and int(number) < 1 << 64)
    assert not count or rows[0] == read_count(number)


def test_a_scan_stays_in_its_bounds() -> None:
    rows = array("Q", bytes(32))
    with pytest.raises(IndexError):
        scan_blobs(b"", 0, 1, rows, base=0, max_size=1, max_line=99, optional_lf=False)
    assert scan(b"", optional_lf=True) == (0, 0, True)
    assert scan(b"blob\noriginal-oid x\ndata 0\n", max_line=5) == (0, 0, False)


def test_blobs_are_taken_together() -> None:
    parser = StreamParser()
    parser.feed(b"reset x\nblob\nmark :5\ndata 2\nab\nblob\ndata 1\nc\nblob\ndata 0\nprogress x\n")
    assert parser.take_blobs(2) == []
    assert parser.next_command() == c.Reset(b"x", None)
    assert parser.take_blobs(2) == [(5, b"ab", 8), (None, b"c", 31)]
    assert (parser.command_number, parser.offset) == (3, 31)


def test_no_runs_inside_a_command_or_after_done() -> None:
    parser = StreamParser(piece_size=2)
    parser.feed(b"blob\ndata 3\nabcblob\ndata 0\ndone\nblob\ndata 0\n")
    assert parser.take_blobs(9) == []
    for expected in (c.Blob, c.DataPiece):
        assert isinstance(parser.next_command(), expected)
        assert parser.take_blobs(9) == []
    assert isinstance(parser.next_command(), c.DataPiece)
    assert parser.next_command() is not NEED_DATA
    assert parser.next_command() == c.Done()
    assert parser.take_blobs(9) == []
