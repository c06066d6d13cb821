"""The fast path for resets; that it says the same as the parser is in test_parser_properties."""

from __future__ import annotations

import pytest

from fastio.stream import commands as c
from fastio.stream.parser import NEED_DATA, StreamParser

USUAL = b"reset refs/heads/x\nfrom :12\n"


def waiting(start: bytes) -> StreamParser:
    """A parser that has read *start* and waits for more."""
    parser = StreamParser()
    parser.feed(start)
    while parser.next_command() is not NEED_DATA:
        pass
    return parser


@pytest.mark.parametrize("behind", [b"\n", b"x"])
def test_one_is_taken_when_it_is_certain_what_stands_behind(behind: bytes) -> None:
    parser = waiting(b"checkpoint\n\n")
    for byte in USUAL:
        assert parser.take_reset() is None
        parser.feed(bytes([byte]))
    assert parser.take_reset() is None
    parser.feed(behind)
    assert parser.take_reset() == c.Reset(b"refs/heads/x", c.Mark(12))
    assert parser.place == (12, 2, 3)
    assert parser.last_line == b"from :12"
    assert parser.bytes_left == len(behind.strip())


@pytest.mark.parametrize(
    "stream",
    [
        USUAL + b"# comment\n\n",
        b"reset x\nfrom y\n\n",
        b"reset x\nfrom :1x\n\n",
        b"reset x\0\nfrom :1\n\n",
        b"reset x\n# comment\nfrom :1\n\n",
        b"reset x\n\n",
        b"reset \nfrom :1\n\n",
        b"reset x\nfrom :1234567890123456789\n\n",
    ],
)
def test_what_is_spelled_otherwise_is_left_to_the_parser(stream: bytes) -> None:
    parser = waiting(b"checkpoint\n\n")
    parser.feed(stream)
    assert parser.take_reset() is None


def test_the_first_command_is_left_to_the_parser() -> None:
    parser = StreamParser()
    parser.feed(USUAL * 2 + b"\n")
    assert parser.take_reset() is None
    assert parser.next_command() == parser.take_reset()
