"""Checklist C, D and E, as far as the parser goes: commits and their changes."""

from __future__ import annotations

import pytest

from fastio.stream import commands as c
from fastio.stream.commit_scanner import PlainCommit
from fastio.stream.parser import NEED_DATA, StreamParser
from tests.stream.feeding import available, commands_of, cut, error_of, say

WHO = b"A <a@b> 1 +0000"
HEAD = b"commit refs/heads/x\ncommitter " + WHO + b"\ndata 0\n"


def changes(lines: bytes) -> list[object]:
    header, *rest, end = commands_of(HEAD + lines)
    assert isinstance(header, c.Commit)
    assert end == c.CommitEnd()
    return rest


def change_error(lines: bytes) -> str:
    error = error_of(HEAD + lines)
    assert error.offset == len(HEAD)
    return error.reason


def test_a_header_with_everything() -> None:
    stream = (
        b"commit refs/heads/x\nmark :5\noriginal-oid abc\nauthor B <> 2 -0100\ncommitter <c> 3 +0\n"
        b"gpgsig sha1 openpgp\ndata 2\na\ngpgsig sha256 x y\ndata 0\nencoding latin1\n"
        b"data <<E\nhi\nE\n\nfrom refs/heads/y\nmerge :1\nmerge :1\n"
    )
    signatures = (c.Signature(b"sha1 openpgp", b"a\n"), c.Signature(b"sha256 x y", b""))
    assert [one.well_formed for one in signatures] == [True, False]
    assert commands_of(stream)[0] == c.Commit(
        ref=b"refs/heads/x",
        mark=c.Mark(5),
        original_oid=b"abc",
        author=b"B <> 2 -0100",
        committer=b" <c> 3 +0",
        signatures=signatures,
        encoding=b"latin1",
        message=b"hi\n",
        from_=b"refs/heads/y",
        merges=(c.Mark(1), c.Mark(1)),
    )


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (b"author " + WHO + b"\ndata 0\n", "committer"),
        (b"original-oid x\nmark :1\ncommitter " + WHO + b"\n", "committer"),
        (b"mark :1\nmark :2\ncommitter " + WHO + b"\n", "committer"),
        (b"author " + WHO + b"\nauthor " + WHO + b"\n", "committer"),
        (b"committer " + WHO + b"\nauthor " + WHO + b"\n", "data"),
        (b"committer " + WHO + b"\nencoding x\ngpgsig sha1 ssh\n", "data"),
        (b"committer " + WHO + b"\n", "data"),
        (b"mark 5\n", "committer"),
    ],
)
def test_header_lines_out_of_order(lines: bytes, reason: str) -> None:
    assert f"expected '{reason}" in error_of(b"commit x\n" + lines).reason


@pytest.mark.parametrize("line", [b"from :1", b"gpgsig sha1 ssh", b"nonsense", b"D", b"M\t644"])
def test_what_is_no_change_ends_the_commit_and_is_read_on_its_own(line: bytes) -> None:
    said = say([HEAD + b"merge :1\nD a\n" + line + b"\n"])
    assert said.commands[-1] == c.CommitEnd()
    assert said.error is not None
    assert said.error.offset == len(HEAD) + 13
    assert said.error.command_number == 2


def test_other_commands_end_a_commit() -> None:
    stream = HEAD + b"D a\nprogress x\n" + HEAD + b"get-mark :1\n" + HEAD + b"done\n"
    kinds = [type(command) for command in commands_of(stream)]
    assert kinds.count(c.CommitEnd) == kinds.count(c.Commit) == 3
    assert kinds[-2:] == [c.CommitEnd, c.Done]


def test_the_end_of_input_ends_a_commit() -> None:
    assert changes(b"D a") == [c.FileDelete(b"a")]
    said = say([HEAD + b"D a\n"], require_done=True)
    assert said.commands[-1] == c.CommitEnd()
    assert said.error is not None


def test_modes_and_datarefs() -> None:
    oid = b"0123456789abcdefABCD0123456789abcdefABCD"
    lines = b"M 644 :1 a\nM 0100755 :2 b\nM 120000 %b c\nM 40000 %b \nM 160000 :3 d\n" % (oid, oid)
    assert changes(lines) == [
        c.FileModify(0o100644, c.Mark(1), b"a"),
        c.FileModify(0o100755, c.Mark(2), b"b"),
        c.FileModify(0o120000, oid, b"c"),
        c.FileModify(0o040000, oid, b""),
        c.FileModify(0o160000, c.Mark(3), b"d"),
    ]


@pytest.mark.parametrize(
    "mode", [b"664", b"777", b"0", b"", b"8", b"+644", b"1100644", b"100664", b" 644", b"-1"]
)
def test_other_modes_are_refused(mode: bytes) -> None:
    assert "mode" in change_error(b"M %b :1 a\n" % mode)


@pytest.mark.parametrize("mode", [b"040000", b"160000"])
def test_directories_and_gitlinks_cannot_be_inline(mode: bytes) -> None:
    assert "inline" in change_error(b"M %b inline a\ndata 0\n" % mode)


def test_inline_data_and_what_may_come_before_it() -> None:
    lines = b"M 644 inline a\n# x\ncat-blob :1\n# y\ncat-blob :2\ndata 1\nxN inline :3\n#\ndata 0\n"
    assert changes(lines) == [
        c.CatBlob(c.Mark(1)),
        c.CatBlob(c.Mark(2)),
        c.FileModify(0o100644, None, b"a", b"x"),
        c.NoteModify(None, c.Mark(3), b""),
    ]


@pytest.mark.parametrize("line", [b"", b"\n", b'ls "a"\n', b"D a\n", b"# x\n"])
def test_inline_without_data(line: bytes) -> None:
    assert "expected 'data n'" in error_of(HEAD + b"M 644 inline a\n" + line).reason
    assert "expected 'data n'" in error_of(HEAD + b"N inline :1\n" + line).reason
    assert "expected 'data n'" in error_of(HEAD + b"N inline :1\ncat-blob :1\n").reason


def test_large_inline_data_comes_in_pieces() -> None:
    _, *rest = commands_of(HEAD + b"M 644 inline a\ndata 3\nabcD b\n", piece_size=2)
    assert rest == [
        c.FileModify(0o100644, None, b"a", c.LargeData(3)),
        *(c.DataPiece(b"ab", False), c.DataPiece(b"c", True)),
        *(c.FileDelete(b"b"), c.CommitEnd()),
    ]


# Marks


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        *((b":1", 1), (b":007", 7), (b": 7", 7), (b":12abc", 12), (b":-1", 2**64 - 1)),
        *((b":99999999999999999999999", 2**64 - 1), (b":18446744073709551615", 2**64 - 1)),
        *((b":0", None), (b":x", None), (b":", None), (b":" + b"0" * 5000 + b"3", 3)),
    ],
)
def test_declared_marks_are_read_leniently(text: bytes, mark: int | None) -> None:
    assert commands_of(b"blob\nmark " + text + b"\ndata 0\n") == [c.Blob(mark, None, b"")]


@pytest.mark.parametrize("line", [b"M 100644 :4x f", b"N :2x :3", b"ls :3x f", b"ls :3"])
def test_a_space_is_missing_after_a_mark(line: bytes) -> None:
    assert "missing space after mark" in change_error(line + b"\n")


@pytest.mark.parametrize("line", [b"N :2 :3x", b"cat-blob :4x", b"N inline :3 "])
def test_garbage_after_a_mark(line: bytes) -> None:
    assert "garbage after mark" in change_error(line + b"\n")


@pytest.mark.parametrize("line", [b"from :1x", b"merge :1x", b"from :1 ", b"merge :1\r"])
def test_garbage_after_the_mark_of_a_parent(line: bytes) -> None:
    error = error_of(HEAD + line + b"\n")
    assert "garbage after mark" in error.reason
    assert error.offset == len(HEAD)


@pytest.mark.parametrize(
    "line", [b"M 644 : a", b"M 644 :x a", b"N : :1", b"N :1 :", b"cat-blob :", b"ls :x a"]
)
def test_a_reference_needs_a_number(line: bytes) -> None:
    change_error(line + b"\n")


OID = b"a1" * 20


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"M 644 %bx a", "missing space after SHA1"),
        (b"M 644 %b", "missing space after SHA1"),
        (b"N %bx :1", "missing space after SHA1"),
        (b"ls %bx a", "missing space after tree-ish"),
        (b"cat-blob %b ", "garbage after SHA1"),
        (b"M 644 g%b a", "invalid dataref"),
        (b"M 644 inlinex%b a", "invalid dataref"),
        (b"ls refs/heads/x%b f", "invalid dataref"),
        (b"cat-blob x%b", "invalid dataref"),
    ],
)
def test_datarefs_that_are_none(line: bytes, reason: str) -> None:
    assert reason in change_error(line % OID + b"\n")


@pytest.mark.parametrize("line", [b"M 644 inline", b"M 644 abc a", b"M 644 ", b"N inline", b"ls x"])
def test_short_datarefs_that_are_none(line: bytes) -> None:
    assert "invalid dataref" in change_error(line + b"\n")


def test_ls_of_the_commit_being_built_needs_quotes_and_a_commit() -> None:
    assert changes(b'ls "a b"\nls ""\n') == [c.Ls(None, b"a b"), c.Ls(None, b"")]
    assert "commit" in error_of(b'ls "a"\n').reason


# Idents


def test_a_missing_author_is_left_to_the_importer() -> None:
    assert commands_of(HEAD)[0].author is None


@pytest.mark.parametrize("keyword", [b"author", b"committer"])
def test_a_bad_ident_is_reported_at_its_line(keyword: bytes) -> None:
    error = error_of(b"commit x\nmark :1\n%b A <a 1 +0000\n" % keyword)
    assert "missing >" in error.reason
    assert error.offset == 17


def large_commit(lines: int) -> bytes:
    return HEAD + b"".join(b'M 644 :%d "d/%d"\n' % (line + 1, line) for line in range(lines))


def test_a_commit_that_comes_line_by_line_is_taken_whole() -> None:
    stream = large_commit(200) + b"\n"
    parser = StreamParser()
    parser.feed(b"blob\ndata 0\n" + HEAD)
    parser.next_command()
    for line in stream.removeprefix(HEAD).splitlines(keepends=True):
        assert parser.take_commit() is NEED_DATA
        parser.feed(line)
    commit = parser.take_commit()
    assert isinstance(commit, PlainCommit)
    assert [change.path for _, change in commit.changes()] == [
        b"d/%d" % line for line in range(200)
    ]


def test_a_large_commit_is_taken_whole() -> None:
    stream = large_commit(50_000)
    taken = say([stream, b"\n"], runs=1)
    assert taken.outcome == say([stream, b"\n"]).outcome
    assert say(cut(stream + b"\n", 100_000), runs=1).outcome == taken.outcome


def test_a_commit_with_too_much_inline_is_not_waited_for() -> None:
    body = b"M 644 inline f\ndata 600000\n%b" % bytes(600_000)
    parser = StreamParser()
    parser.feed(b"blob\ndata 0\n" + HEAD + body)
    parser.next_command()
    assert parser.take_commit() is NEED_DATA
    parser.feed(body)
    assert parser.take_commit() is None
    assert isinstance(parser.next_command(), c.Commit)


def test_after_a_question_in_it_a_commit_is_the_parsers() -> None:
    parser = StreamParser()
    parser.feed(b"blob\ndata 0\n" + large_commit(10))
    parser.next_command()
    assert parser.take_commit() is NEED_DATA
    parser.feed(b'ls "d"\n')
    assert parser.take_commit() is None
    assert [type(command) for command in available(parser)] == [
        *(c.Commit, *[c.FileModify] * 10, c.Ls)
    ]


@pytest.mark.parametrize("ends", [b"", b"D a", b"D a\n", b"\n"])
def test_a_commit_may_be_the_last_of_all(ends: bytes) -> None:
    parser = StreamParser()
    parser.feed(b"blob\ndata 0\n" + large_commit(10) + ends)
    parser.next_command()
    parser.feed_eof()
    assert isinstance(parser.take_commit(), PlainCommit) == (ends != b"D a")
    assert all(
        isinstance(command, c.FileModify | c.FileDelete | c.CommitEnd | c.Commit)
        for command in available(parser)
    )
