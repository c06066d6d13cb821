"""The fast path for questions; that it says the same as the parser is in test_parser_properties."""

from __future__ import annotations

import pytest

from fastio.stream import commands as c
from fastio.stream._questions import scan_question
from fastio.stream.parser import NEED_DATA, StreamParser

OID, OID_256 = b"0123456789abcdefABCD" * 2, b"0123456789abcDEF" * 4
BETWEEN = b"reset x\n\n"
COMMIT = b"commit x\ncommitter <a> 1 +0\ndata 0\nD a\n"


def waiting(start: bytes) -> StreamParser:
    """A parser that has read *start* and waits for more."""
    parser = StreamParser()
    parser.feed(start)
    while parser.next_command() is not NEED_DATA:
        pass
    return parser


USUAL = {
    b"get-mark :1": c.GetMark(1),
    b"get-mark :18446744073709551615": c.GetMark(2**64 - 1),
    b"cat-blob :7": c.CatBlob(7),
    b"cat-blob " + OID: c.CatBlob(OID),
    b"cat-blob " + OID_256: c.CatBlob(OID_256),
    b"ls :1 ": c.Ls(1, b""),
    b"ls :1 a b": c.Ls(1, b"a b"),
    b"ls %b a/b" % OID: c.Ls(OID, b"a/b"),
}
IN_COMMIT = {
    b'ls ""': c.Ls(None, b""),
    b'ls "a b/c"': c.Ls(None, b"a b/c"),
    **{line: question for line, question in USUAL.items() if not line.startswith(b"get-mark")},
}


@pytest.mark.parametrize("line", USUAL)
def test_usual_questions_are_taken_when_their_line_is_whole(line: bytes) -> None:
    parser = waiting(BETWEEN)
    for byte in line:
        assert parser.take_question() is None
        parser.feed(bytes([byte]))
    assert parser.take_question() is None
    parser.feed(b"\nget-mark")
    assert parser.take_question() == USUAL[line]
    assert parser.take_question() is None
    assert (parser.offset, parser.command_number, parser.last_line) == (len(BETWEEN), 2, line)
    parser.feed(b" :5\n")
    assert parser.next_command() == c.GetMark(5)
    assert parser.place == (len(BETWEEN) + len(line) + 1, 3, 3)


@pytest.mark.parametrize("line", IN_COMMIT)
def test_questions_in_a_commit_leave_it_open(line: bytes) -> None:
    parser = waiting(COMMIT)
    parser.feed(line + b"\nD b\n\n")
    assert parser.take_question() == IN_COMMIT[line]
    assert (parser.offset, parser.command_number) == (len(COMMIT), 1)
    assert parser.take_question() is None
    assert [parser.next_command(), parser.next_command()] == [c.FileDelete(b"b"), c.CommitEnd()]


@pytest.mark.parametrize(
    "line",
    [
        *(b"get-mark 1", b"get-mark :", b"get-mark :1x", b"get-mark :18446744073709551616"),
        *(b"get-mark " + OID, b"cat-blob ", b"cat-blob :-1", b"cat-blob " + OID[1:]),
        *(b"cat-blob " + OID + b" ", b"cat-blob " + b"g" * 40, b"cat-blob :1 ", b"ls :1", b"ls"),
        *(b'ls "a"', b'ls :1 "a"', b"ls a b", b"ls :1x b", b"ls :1 a\0b", b"ls %b" % OID),
        *(b"# get-mark :1", b"progress get-mark :1", b"", b" get-mark :1", b"GET-MARK :1"),
    ],
)
def test_what_is_unusual_or_wrong_is_left_to_the_parser(line: bytes) -> None:
    parser = waiting(BETWEEN)
    parser.feed(line + b"\n")
    before = parser.place, parser.bytes_left, parser.last_line
    assert parser.take_question() is None
    assert (parser.place, parser.bytes_left, parser.last_line) == before


@pytest.mark.parametrize(
    "line", [b"get-mark :1", b'ls "a', b'ls "', b'ls "a"b', b'ls "a\\"', b"D a"]
)
def test_what_ends_a_commit_or_has_escapes_is_left_to_the_parser(line: bytes) -> None:
    parser = waiting(COMMIT)
    parser.feed(line + b"\n")
    assert parser.take_question() is None


@pytest.mark.parametrize(
    "start",
    [
        *(b"", b"feature done\n", b"blob\n", b"blob\nmark :1\ndata 99\n", COMMIT[:20]),
        *(COMMIT + b"M 644 inline x\n", COMMIT + b"M 644 inline x\ndata 2\nx"),
        b"alias\nmark :1\n",
    ],
)
def test_no_question_is_taken_from_within_a_command_or_a_header(start: bytes) -> None:
    parser = waiting(start)
    parser.feed(b"cat-blob :1\n")
    assert parser.take_question() is None


@pytest.mark.parametrize(
    "start", [b"progress x\n", b"blob\ndata 1\nx", COMMIT + b"M 644 inline x\ndata 1\nx"]
)
@pytest.mark.parametrize("line", [b"cat-blob :1\n", b"\ncat-blob :1\n"])
def test_optional_lf_before_a_question_is_passed_over(start: bytes, line: bytes) -> None:
    parser = waiting(start)
    parser.feed(line)
    assert parser.take_question() == c.CatBlob(1)
    assert (parser.bytes_left, parser.offset) == (0, len(start) + len(line) - 12)


def test_optional_lf_behind_a_comment_is_passed_over() -> None:
    parser = waiting(b"alias\nmark :1\nto refs/heads/x\n")
    parser.feed(b"# c")
    assert parser.take_question() is None
    parser.feed(b"\n\ncat-blob :1\n")
    assert parser.take_question() == c.CatBlob(1)


def test_line_limit_holds() -> None:
    line = bytearray(b"cat-blob :1\n")
    assert scan_question(line, 0, len(line), 11, False) is not None
    assert scan_question(line, 0, len(line), 10, False) is None
    with pytest.raises(IndexError):
        scan_question(line, 0, len(line) + 1, 11, False)
