"""Reading on behind mistakes: what is told, and what is read nevertheless."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import assume, example, given, settings

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.parser import StreamParser
from fastio.stream.writer import write_command
from tests.strategies import streams
from tests.stream.feeding import available, cut, freeze, say, with_runs
from tests.stream.test_parser_properties import fragment_streams, small

WHO = b"A <a@b> 1 +0000"
HEAD = b"commit refs/heads/x\nmark :9\ncommitter " + WHO + b"\n"
BLOB = b"blob\nmark :7\ndata 3\nabc\n"


class Told:
    """Keeps what a lenient reader tells."""

    def __init__(self) -> None:
        self.problems: list[tuple[str, int, bytes]] = []
        self.notices: list[tuple[str, int, bytes]] = []
        self.lost = b""
        self.reasons: list[str] = []

    def problem(self, error: StreamError) -> None:
        self.problems.append((error.kind, error.offset, error.line))
        self.reasons.append(error.reason)

    def notice(self, error: StreamError) -> None:
        self.notices.append((error.kind, error.offset, error.line))

    def skipped(self, text: bytes) -> None:
        self.lost += text


def read(parts: list[bytes], *, runs: int = 0, **options: Any) -> tuple[Told, list[Any]]:
    """Read a stream to its end; return what was told and what was read."""
    told, commands = Told(), []
    parser = StreamParser(problems=told, **options)
    for part in (*parts, None):
        parser.feed_eof() if part is None else parser.feed(part)
        if runs:
            commands += [freeze(command) for command, _ in with_runs(parser, runs)]
        else:
            commands += [freeze(command) for command in available(parser)]
    return told, commands


def kinds(stream: bytes, **options: Any) -> list[str]:
    return [kind for kind, _, _ in read([stream], **options)[0].problems]


def blobs(commands: list[Any]) -> list[tuple[Any, bytes]]:
    return [(one.mark, bytes(one.data)) for one in commands if isinstance(one, c.Blob)]


# --- fields ---------------------------------------------------------------------------------------

LINES = (
    (b"author A 1 +0000\n", "ident"),
    (b"author A <a> yesterday\n", "date"),
    (b"author A <a> 1 +0000\r\n", "carriage-return"),
)
CHANGES = (
    (b"M 664 :7 a\n", "mode"),
    (b"M 664 inline a\ndata 3\nM 6\n", "mode"),
    (b"M 644 7 a\n", "dataref"),
    (b"M 644 :x a\n", "mark"),
    (b'M 644 inline "a\\z"\ndata 2\nab\n', "path"),
    (b"M 644 inline a\n", "expected"),
    (b"N :7x :9\n", "mark"),
    (b"N inline :x\ndata 0\n", "mark"),
    (b'C "a\n', "path"),
    (b"R a\n", "path"),
    (b"ls :7\n", "mark"),
    (b"cat-blob 7\n", "dataref"),
    (b"no change\n", "command"),
    (b"M 644 :7 a\0b\n", "nul"),
    (b"deleteall\r\n", "carriage-return"),
)
GOOD = b"M 644 :7 good\n"


@pytest.mark.parametrize(("line", "kind"), LINES)
def test_a_broken_line_of_a_header_is_told_and_the_commit_read(line: bytes, kind: str) -> None:
    at = HEAD.index(b"committer")
    told, commands = read([HEAD[:at] + line + HEAD[at:] + b"data 2\nhi\nfrom :1\n" + GOOD])
    assert told.problems == [(kind, at, line[:-1])]
    assert [type(one) for one in commands] == [c.Commit, c.FileModify, c.CommitEnd]
    assert (commands[0].message, commands[0].from_) == (b"hi", 1)


@pytest.mark.parametrize(("lines", "kind"), CHANGES)
def test_a_broken_change_is_told_and_the_next_one_read(lines: bytes, kind: str) -> None:
    told, commands = read([HEAD + b"data 0\n" + lines + GOOD + BLOB])
    assert [kind for kind, _, _ in told.problems] == [kind]
    assert c.FileModify(0o100644, c.Mark(7), b"good") in commands
    assert blobs(commands) == [(7, b"abc")]


@pytest.mark.parametrize(
    ("stream", "kind"),
    [
        (b"reset refs/heads/x\nfrom :x\n", "mark"),
        (b"commit x\ncommitter " + WHO + b"\ndata 0\nmerge :\n", "mark"),
        (b"tag x\nfrom :1 \ndata 0\n", "mark"),
        (b"alias\nmark :1\nto :y\n", "mark"),
        (b"get-mark 5\n", "mark"),
        (b"# x\nfeature ls\n", "header"),
        (b"ls 5\n", "dataref"),
    ],
)
def test_broken_commands_of_few_lines(stream: bytes, kind: str) -> None:
    told, commands = read([stream + BLOB])
    assert [kind for kind, _, _ in told.problems] == [kind]
    assert blobs(commands) == [(7, b"abc")]


# --- lines that are missing or out of place -------------------------------------------------------


@pytest.mark.parametrize(
    "stream",
    [
        b"commit x\nmark :9\ndata 1\nx\n",
        b"commit x\n",
        b"commit x\nmark :9\ncommitter %b\n" % WHO,
        b"commit x\nmark :9\ncommitter %b\nfrom :1\n" % WHO,
        b"commit x\ncommitter %b\nauthor %b\ndata 2\nhi" % (WHO, WHO),
        b"commit x\ncommitter %b\nencoding x\ngpgsig a b\ndata 1\nx\ndata 2\nhi" % WHO,
        b"commit x\noriginal-oid 1\nmark :4\ncommitter %b\ndata 2\nhi" % WHO,
        b"tag x\ntagger %b\nfrom :1\ndata 0\n" % WHO,
        b"tag x\ndata 0\n",
        b"alias\nto :1\n",
        b"alias\nmark :0\nto :1\n",
        b"alias\nmark :1\n",
        b"blob\nmark 3\ndata 2\nxy\n",
        b"blob\nmark :3\n",
    ],
)
def test_missing_and_misplaced_lines_are_told_once(stream: bytes) -> None:
    told, commands = read([stream + BLOB])
    assert [kind for kind, _, _ in told.problems] == ["expected"]
    assert blobs(commands)[-1] == (7, b"abc")


def test_a_line_that_stands_too_late_is_used() -> None:
    _, commands = read([b"tag x\ntagger %b\nfrom :1\ndata 2\nhi" % WHO])
    assert commands == [c.Tag(b"x", None, c.Mark(1), None, None, b"hi")]


def test_an_end_in_the_middle_is_told_once() -> None:
    assert kinds(b"commit x\nmark :1\n") == ["truncated"]
    assert kinds(BLOB + b"tag x\n") == ["truncated"]


# --- bodies of the wrong length -------------------------------------------------------------------

UMLAUTS = "äöü€ and more".encode()


@pytest.mark.parametrize("lf", [b"", b"\n"])
@pytest.mark.parametrize("size", [0, 200, 5000])
def test_a_count_of_characters_is_understood(lf: bytes, size: int) -> None:
    text = UMLAUTS + b"x" * size
    stream = HEAD + b"data %d\n" % len(text.decode()) + text + lf + b"from :1\n" + GOOD
    told, commands = read([stream])
    assert told.problems == [("data-length", len(HEAD), b"data %d" % len(text.decode()))]
    assert "counts characters" in told.reasons[0]
    assert commands[0].from_ == 1
    assert commands[1].path == b"good"


def test_a_count_from_before_line_ends_were_changed_is_understood() -> None:
    text = b"one\r\ntwo\r\nthree\r\n"
    told, commands = read([b"blob\nmark :1\ndata %d\n%b" % (len(text) - 3, text) + BLOB])
    assert "before LF became CR LF" in told.reasons[0]
    assert [mark for mark, _ in blobs(commands)] == [1, 7]


@pytest.mark.parametrize("excess", [1, 3, 12, 13, 20])
def test_a_count_that_is_too_large_is_found_behind_a_blob(excess: int) -> None:
    told, commands = read([b"blob\nmark :1\ndata %d\n0123\n" % (5 + excess) + BLOB])
    assert told.problems == [("data-length", 13, b"data %d" % (5 + excess))]
    assert blobs(commands)[-1] == (7, b"abc")


@pytest.mark.parametrize("excess", [1, 3, 6, 12, 20])
def test_a_count_that_is_too_large_is_found_in_a_commit(excess: int) -> None:
    told, commands = read([HEAD + b"data %d\nhi\nfrom :1\n" % (3 + excess) + GOOD + BLOB])
    assert [kind for kind, _, _ in told.problems] == ["data-length"]
    assert blobs(commands) == [(7, b"abc")]
    assert commands[1].path == b"good"


@pytest.mark.parametrize("count", [0, 1, 4, 9])
def test_a_count_that_is_too_small(count: int) -> None:
    text = b"some text\nor other\n"
    told, commands = read([HEAD + b"data %d\n" % count + text + b"from :1\n" + GOOD + BLOB])
    assert len(told.problems) == 1
    assert (commands[0].from_, commands[1].path) == (1, b"good")
    assert blobs(commands) == [(7, b"abc")]


def test_a_body_beyond_the_end_is_searched_for_commands() -> None:
    told, commands = read([b"blob\nmark :1\ndata 99999\nabc\n" + BLOB])
    assert told.problems == [("data-length", 13, b"data 99999")]
    assert blobs(commands) == [(7, b"abc")]
    assert kinds(b"blob\ndata 99999\nabc\n") == ["truncated"]


def test_a_delimiter_that_never_comes() -> None:
    told, commands = read([b"blob\nmark :1\ndata <<END\nabc\nEnd\n" + BLOB])
    assert told.problems == [("data-length", 13, b"data <<END")]
    assert blobs(commands) == [(7, b"abc")]


def test_large_bodies_are_found_too_long_as_well() -> None:
    stream = b"blob\ndata 5000\n" + b"x" * 4970 + b"\n" + BLOB + BLOB
    told, commands = read([stream], piece_size=100)
    assert [kind for kind, _, _ in told.problems] == ["data-length"]
    assert blobs(commands[2:])[-1] == (7, b"abc")
    assert kinds(b"blob\ndata 5000\nabc", piece_size=100) == ["truncated"]


# --- what is no command ---------------------------------------------------------------------------


def test_what_belongs_to_a_command_that_is_none_is_not_told() -> None:
    block = b"comit refs/heads/x\nmark :5\ncommitter %b\ndata 2\nhi\nfrom :1\nM 644 :1 a\n\n" % WHO
    told, commands = read([block + BLOB + block + BLOB])
    line = b"comit refs/heads/x"
    assert told.problems == [("command", 0, line), ("command", len(block + BLOB), line)]
    assert blobs(commands) == [(7, b"abc")] * 2
    assert told.lost.count(b"mark :5\n") == 2


def test_a_line_that_is_too_long_is_skipped() -> None:
    long = b"M 644 :1 " + b"x" * 500 + b"\n"
    told, commands = read([HEAD + b"data 0\n" + long + GOOD + BLOB + long + BLOB], max_line=100)
    assert [kind for kind, _, _ in told.problems] == ["line", "line"]
    assert c.FileModify(0o100644, c.Mark(7), b"good") in commands
    assert blobs(commands) == [(7, b"abc")] * 2


def test_counting_again_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastio.stream.resync._MOST_RECOUNTED", 5)
    text = "äöü".encode()
    told, _ = read([b"blob\ndata 3\n%b\nblob\ndata 5\nxy%b\n" % (text, text) + BLOB])
    assert "counts characters" in told.reasons[0]
    assert "counts characters" not in told.reasons[1]


def test_an_empty_line_too_many_does_no_harm() -> None:
    assert kinds(b"blob\ndata 0\n\n\n\nprogress x\n" + BLOB) == ["command", "command"]


def test_crlf_everywhere_is_read_as_lf() -> None:
    stream = b"commit x\nmark :5\ncommitter %b\ndata 2\nhi\nfrom :1\nM 644 :1 a\n\n" % WHO
    told, commands = read([(stream + b"blob\nmark :7\ndata 2\nab\ndone\n").replace(b"\n", b"\r\n")])
    assert {kind for kind, _, _ in told.problems} == {"carriage-return"}
    assert {kind for kind, _, _ in told.notices} == {"path-cr"}
    assert [type(one) for one in commands][:3] == [c.Commit, c.FileModify, c.CommitEnd]
    assert commands[0].from_ == 1
    assert type(commands[-1]) is c.Done


def test_data_counted_before_each_lf_became_crlf() -> None:
    told, commands = read([b"blob\ndata 6\na\r\nb\r\nc\r\n" + BLOB])
    assert len(told.problems) == 1
    assert "9" in told.reasons[0]
    assert [type(one) for one in commands] == [c.Blob, c.Blob]


def test_numbers_that_are_none_are_noticed() -> None:
    told, _ = read([b"blob\nmark :x\ndata \nblob\nmark :5x\ndata 1y\na\n"])
    assert [kind for kind, _, _ in told.notices] == ["number"] * 4
    assert told.problems == []


def test_done_that_is_missing() -> None:
    assert kinds(b"feature done\n" + BLOB) == ["done"]


# --- properties -----------------------------------------------------------------------------------


@given(streams)
def test_good_streams_are_read_as_ever(commands: list[Any]) -> None:
    stream = b"".join(map(write_command, commands))
    assume(b"\r\n" not in stream)  # git would not refuse a tag of that name before the end
    told, read_commands = read([stream])
    assert (told.problems, read_commands) == ([], commands)


@given(fragment_streams, st.integers(1, 9), st.integers(1, 4))
@example(b"commit x\ncommitter <a> 1 +0\ndata 0\nD a\nnonsense\n", 1, 1)
@settings(max_examples=300)
def test_cuts_and_runs_do_not_matter(stream: bytes, size: int, runs: int) -> None:
    told, commands = read([stream], **small)
    told_again, same = read(cut(stream, size), **small)
    assert (told.problems, told.notices, told.lost, commands) == (
        *(told_again.problems, told_again.notices, told_again.lost),
        same,
    )
    assert told.problems == read(cut(stream, size), runs=runs, **small)[0].problems


@given(fragment_streams)
@settings(max_examples=300)
def test_it_tells_first_what_the_strict_reader_raises(stream: bytes) -> None:
    error = say([stream], **small).error
    told, _ = read([stream], **small)
    assert bool(told.problems) == (error is not None)
    if error is not None:
        assert told.problems[0][1] <= error.offset


@given(st.binary(max_size=300))
def test_any_bytes_can_be_read(stream: bytes) -> None:
    told, _ = read([stream], **small)
    assert bool(told.problems) == (say([stream], **small).error is not None)
