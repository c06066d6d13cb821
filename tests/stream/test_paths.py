"""Checklist J: the spelling of paths."""

from __future__ import annotations

import pytest

from fastio.stream import commands as c
from tests.stream.feeding import commands_of, error_of

HEAD = b"commit refs/heads/x\ncommitter <a@b> 1 +0000\ndata 0\n"
FIELDS = (
    (b"M 644 :1 %b", "path"),
    (b"D %b", "path"),
    (b"ls :1 %b", "path"),
    (b"C a %b", "dest"),
    (b"R a %b", "dest"),
    (b"C %b a", "source"),
    (b"R %b a", "source"),
)
LAST_FIELDS = [(line, field) for line, field in FIELDS if field != "source"]


def change(line: bytes) -> object:
    return commands_of(HEAD + line + b"\n")[1]


def change_error(line: bytes) -> str:
    error = error_of(HEAD + line + b"\n")
    assert error.offset == len(HEAD)
    return error.reason


@pytest.mark.parametrize("path", [b" a", b"a ", b"a b", b'a"b', b"a\\tb", b"\xff\x80", b"", b" "])
def test_an_unquoted_last_field_is_taken_as_it_is(path: bytes) -> None:
    assert change(b"M 644 :1 " + path) == c.FileModify(0o100644, c.Mark(1), path)
    assert change(b"D " + path) == c.FileDelete(path)
    assert change(b"ls :1 " + path) == c.Ls(c.Mark(1), path)
    assert change(b"C a " + path) == c.FileCopy(b"a", path)
    assert change(b"R a " + path) == c.FileRename(b"a", path)


@pytest.mark.parametrize(
    ("quoted", "path"),
    [
        (b'""', b""),
        (b'" a b "', b" a b "),
        (rb'"\a\b\t\n\v\f\r\"\\"', b'\a\b\t\n\v\f\r"\\'),
        (rb'"\303\244\001\377"', b"\xc3\xa4\x01\xff"),
        (b'"\xff\t"', b"\xff\t"),
        (rb'"\1234"', b"S4"),
    ],
)
def test_quoted_fields_are_decoded(quoted: bytes, path: bytes) -> None:
    assert change(b"M 644 :1 " + quoted) == c.FileModify(0o100644, c.Mark(1), path)
    assert change(b"C %b %b" % (quoted, quoted)) == c.FileCopy(path, path)
    assert change(b"ls " + quoted) == c.Ls(None, path)


def test_an_unquoted_source_ends_at_the_first_space() -> None:
    assert change(b"C a b c") == c.FileCopy(b"a", b"b c")
    assert change(b"R a  b") == c.FileRename(b"a", b" b")
    assert change(b"R  dir") == c.FileRename(b"", b"dir")
    assert change(b'C a"b "c"') == c.FileCopy(b'a"b', b"c")
    assert change(b'R "a b"  c') == c.FileRename(b"a b", b" c")


@pytest.mark.parametrize(("line", "field"), FIELDS)
@pytest.mark.parametrize(
    "quoted",
    [
        b'"a',
        b'"',
        rb'"\x41"',
        rb'"\e"',
        rb'"\'"',
        rb'"\/"',
        rb'"\12"',
        rb'"\400"',
        b'"\\',
        rb'"\8"',
    ],
)
def test_bad_quoting_names_the_field(line: bytes, field: str, quoted: bytes) -> None:
    assert f"invalid {field}" in change_error(line % quoted)


@pytest.mark.parametrize(("line", "field"), FIELDS)
def test_an_escaped_nul_names_the_field(line: bytes, field: str) -> None:
    assert f"NUL in {field}" in change_error(line % rb'"a\000"')


@pytest.mark.parametrize(("line", "field"), LAST_FIELDS)
@pytest.mark.parametrize("rest", [b" ", b"x", b'"', b"\r"])
def test_nothing_may_follow_a_quoted_last_field(line: bytes, field: str, rest: bytes) -> None:
    assert f"garbage after {field}" in change_error(line % b'"a"' + rest)


@pytest.mark.parametrize("line", [b"C a", b"R a", b'C "a"b', b'R "a"', b"C ", b'C "a"\tb'])
def test_a_source_needs_a_space_behind_it(line: bytes) -> None:
    assert "missing space after source" in change_error(line)
