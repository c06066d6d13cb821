"""Checklist A and B: lines, comments, blank lines, data; and the commands outside commits."""

from __future__ import annotations

import pickle

import pytest

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.parser import NEED_DATA, StreamParser
from tests.stream.feeding import available, commands_of, cut, error_of, freeze, say

HEAD = b"commit refs/heads/x\ncommitter <a@b> 1 +0000\n"


def bodies(stream: bytes) -> list[bytes]:
    return [command.data for command in commands_of(stream)]


def test_empty_input_has_no_commands() -> None:
    assert commands_of(b"") == []


def test_comments_are_skipped_wherever_a_line_may_stand() -> None:
    stream = b"# a\nblob\n# b\nmark :1\n# c\ndata 2\n#x# d\n# e\nreset y\n# f\nfrom :1\n# g"
    assert commands_of(stream) == [c.Blob(c.Mark(1), None, b"#x"), c.Reset(b"y", c.Mark(1))]


def test_a_comment_in_data_is_data() -> None:
    assert bodies(b"blob\ndata 3\n#a\nblob\ndata <<#\n# a\n#\n") == [b"#a\n", b"# a\n"]


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b" # x", b"BLOB", b" blob", b"blob x", b"blob\r", b"checkpoint x", b"done x"),
        *(b"reset", b"commit", b"progress", b"feature", b"D x", b"M 644 :1 x", b"from :1"),
    ],
)
def test_what_is_no_command_is_an_error(line: bytes) -> None:
    error = error_of(b"progress a\n\n" + line + b"\nprogress b\n")
    assert "unsupported command" in error.reason
    assert (error.offset, error.command_number) == (12, 2)


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        *((b"blob\ndata 1\na", 1), (b"blob\ndata <<E\nE\n", 1), (b"tag x\nfrom :1\ndata 0\n", 1)),
        *((HEAD + b"data 1\na", 2), (HEAD + b"data 0\nfrom :1\n", 1), (HEAD + b"data 0\nD a\n", 1)),
        *((HEAD + b"data 0\nM 644 inline a\ndata 0\n", 2), (HEAD + b"data 0\nls :1 a\n", 1)),
        *((b"reset x\n", 1), (b"reset x\nfrom :1\n", 1), (b"checkpoint\n", 1)),
        *((b"alias\nmark :1\nto :1\n", 1), (b"progress x\n", 1), (b"get-mark :1\n", 0)),
        *((b"cat-blob :1\n", 0), (b"ls :1 a\n", 0), (b"feature ls\n", 0), (b"option x\n", 0)),
    ],
)
def test_blank_lines_behind_a_command(command: bytes, allowed: int) -> None:
    commands_of(command + b"\n" * allowed + b"progress x\n")
    error = error_of(command + b"\n" * (allowed + 1) + b"progress x\n")
    assert error.offset == len(command) + allowed


def test_alias_takes_a_blank_line_before_its_mark_and_nothing_else() -> None:
    stream = b"alias\n\nmark :1\nto :2\nprogress x\n"
    assert commands_of(stream) == [c.Alias(c.Mark(1), c.Mark(2)), c.Progress(b"x")]
    assert "'mark :'" in error_of(b"alias\n\n\nmark :1\nto :2\n").reason
    assert "'mark :'" in error_of(b"alias\nmark :0\nto :2\n").reason


def test_the_last_line_may_lack_its_lf() -> None:
    assert commands_of(b"progress hi") == [c.Progress(b"hi")]
    assert commands_of(b"checkpoint") == [c.Checkpoint()]


def test_a_cr_is_a_byte_like_others() -> None:
    assert commands_of(b"progress a\r\n") == [c.Progress(b"a\r")]


def test_a_nul_is_allowed_in_progress_and_data_only() -> None:
    assert commands_of(b"progress a\0b\nblob\ndata 1\n\0")[0] == c.Progress(b"a\0b")
    assert "NUL" in error_of(b"reset a\0b\n").reason


@pytest.mark.parametrize(
    "line",
    [b"get-mark :1", b"cat-blob :1", b"ls :1 a", b"progress a", b"feature ls", b"done"],
)
def test_a_command_is_there_as_soon_as_its_lf(line: bytes) -> None:
    parser = StreamParser()
    parser.feed(line)
    assert parser.next_command() is NEED_DATA
    parser.feed(b"\n")
    assert parser.next_command() is not NEED_DATA


def test_inside_a_commit_questions_do_not_wait_either() -> None:
    parser = StreamParser()
    parser.feed(HEAD + b"data 0\nls :1 a\n")
    assert [type(command) for command in available(parser)] == [c.Commit, c.Ls]
    parser.feed(b"M 644 inline a\ncat-blob :2\n")
    assert list(available(parser)) == [c.CatBlob(c.Mark(2))]
    parser.feed(b"data 1\nx")
    assert [freeze(one) for one in available(parser)] == [c.FileModify(0o100644, None, b"a", b"x")]


def test_a_checkpoint_waits_for_the_next_byte() -> None:
    parser = StreamParser()
    parser.feed(b"checkpoint\n")
    assert parser.next_command() is NEED_DATA
    parser.feed(b"p")
    assert parser.next_command() == c.Checkpoint()


# Data


def test_counted_data_may_have_an_lf_behind_it() -> None:
    assert bodies(b"blob\ndata 2\nabblob\ndata 2\na\n\nblob\ndata 1\n\0") == [b"ab", b"a\n", b"\0"]


def test_delimited_data_ends_at_the_whole_line() -> None:
    assert bodies(b"blob\ndata <<EOF\nEOFx\n EOF\nEOF \n\nEOF\n") == [b"EOFx\n EOF\nEOF \n\n"]
    assert bodies(b"blob\ndata <<E F \nE F\nE F \n") == [b"E F\n"]


def test_delimited_data_may_be_empty_and_so_may_the_delimiter() -> None:
    assert bodies(b"blob\ndata <<E\nE\nblob\ndata <<\na\n\nblob\ndata <<\n\n") == [b"", b"a\n", b""]


def test_the_delimiter_may_be_the_last_line_without_lf() -> None:
    assert bodies(b"blob\ndata <<E\na\nE") == [b"a\n"]
    assert bodies(b"blob\ndata <<E\nE") == [b""]


@pytest.mark.parametrize(
    ("count", "size"),
    [
        *((b"3", 3), (b"3abc", 3), (b" 3", 3), (b"+3", 3), (b"03", 3), (b"abc", 0), (b"", 0)),
        *((b"-18446744073709551613", 3), (b"0000000000000000000000000000003", 3)),
    ],
)
def test_counts_are_read_the_way_c_does(count: bytes, size: int) -> None:
    assert bodies(b"blob\ndata " + count + b"\n" + b"abc"[:size]) == [b"abc"[:size]]


@pytest.mark.parametrize("body", [b"data 5\nabc", b"data <<E\nabc\n", b"data -1\nabc", b"data 1\n"])
def test_data_cut_short_is_an_error(body: bytes) -> None:
    error = error_of(b"blob\n" + body)
    assert "end of input in data" in error.reason
    assert error.offset == 5


@pytest.mark.parametrize("rest", [b"", b"data\n", b"data\t1\na", b"\n", b"mark 5\ndata 0\n"])
def test_data_missing_is_an_error(rest: bytes) -> None:
    assert "expected 'data n' command" in error_of(b"blob\n" + rest).reason


def test_a_large_body_comes_in_pieces_of_one_size() -> None:
    stream = b"blob\ndata 10\n0123456789\nblob\ndata 4\nabcd"
    expected = [
        c.Blob(None, None, c.LargeData(10)),
        *(c.DataPiece(b"0123", False), c.DataPiece(b"4567", False), c.DataPiece(b"89", True)),
        c.Blob(None, None, b"abcd"),
    ]
    assert commands_of(stream, piece_size=4) == expected
    assert say(cut(stream, 3), piece_size=4, capacity=1).commands == expected


def test_a_large_body_cut_short_is_an_error_after_its_pieces() -> None:
    said = say([b"blob\ndata 10\n01234567"], piece_size=4)
    assert len(said.commands) == 3
    assert said.error is not None
    assert "2 bytes missing" in said.error.reason


def test_limits_bound_what_is_kept() -> None:
    assert "longer than 20" in error_of(b"progress " + b"x" * 20, max_line=20).reason
    limits = {"max_data": 5, "piece_size": 2}
    assert "longer than 5" in error_of(HEAD + b"data 6\n", **limits).reason
    assert "longer than 5" in error_of(b"blob\ndata <<E\nabcde\nE\n", **limits).reason


# Commands


def test_original_oid_stands_behind_mark_or_from() -> None:
    stream = (
        b"blob\nmark :1\noriginal-oid x\ndata 0\ntag t\nmark :2\nfrom :1\noriginal-oid \ndata 0\n"
    )
    assert [command.original_oid for command in commands_of(stream)] == [b"x", b""]
    assert error_of(b"blob\noriginal-oid x\nmark :1\ndata 0\n").offset == 20


@pytest.mark.parametrize(
    "tag",
    [
        *(
            b"mark :1\ndata 0\n",
            b"original-oid x\nfrom :1\ndata 0\n",
            b"from :1\nmark :1\ndata 0\n",
        ),
        *(b"from :1\ntagger <a> 1 +0\nencoding x\ndata 0\n", b"", b"from :1\n", b"from :1x\n"),
    ],
)
def test_tags_out_of_order(tag: bytes) -> None:
    error_of(b"tag x\n" + tag)


def test_a_tag_keeps_its_name_and_message_as_written() -> None:
    stream = b"tag refs/tags/ x\nfrom refs/heads/y \ntagger <a> 1 +0\ndata 3\na\0b"
    tag = c.Tag(b"refs/tags/ x", None, b"refs/heads/y ", None, b" <a> 1 +0", b"a\0b")
    assert commands_of(stream) == [tag]


def test_features_and_options_come_first() -> None:
    stream = b"feature a=b=c\noption git quiet\noption quiet\nfeature notes\n"
    assert commands_of(stream) == [
        *(c.Feature(b"a", b"b=c"), c.Option(b"git quiet"), c.Option(b"quiet")),
        c.Feature(b"notes", None),
    ]


@pytest.mark.parametrize("late", [b"feature ls\n", b"option git quiet\n"])
@pytest.mark.parametrize("first", [b"# x\n", b"progress x\n", b"reset x\n", b"blob\ndata 0\n"])
def test_features_and_options_can_be_too_late(first: bytes, late: bytes) -> None:
    assert error_of(first + late).offset == len(first)


def test_options_of_others_are_never_too_late() -> None:
    assert commands_of(b"progress x\noption hg a\noption git\n")[1:] == [
        c.Option(b"hg a"),
        c.Option(b"git"),
    ]
    assert c.Option(b"hg a").git_option is None
    assert c.Option(b"git quiet").git_option == b"quiet"


def test_done_ends_the_stream_whatever_follows() -> None:
    assert commands_of(b"progress a\ndone\nnonsense") == [c.Progress(b"a"), c.Done()]


def test_a_required_done_may_not_be_missing() -> None:
    assert commands_of(b"feature done\ndone\n")[-1] == c.Done()
    assert "'done'" in error_of(b"feature done\nprogress a\n").reason
    assert "'done'" in error_of(b"", require_done=True).reason


@pytest.mark.parametrize("line", [b"get-mark 1", b"get-mark x", b"get-mark :", b"get-mark :1 "])
def test_get_mark_takes_marks_only(line: bytes) -> None:
    error_of(line + b"\n")


def test_a_parser_that_failed_stays_so() -> None:
    parser = StreamParser()
    parser.feed(b"nonsense\nprogress x\n")
    with pytest.raises(StreamError) as first:
        parser.next_command()
    with pytest.raises(StreamError) as again:
        parser.next_command()
    assert again.value is first.value
    assert parser.take_blobs(9) == []
    assert pickle.loads(pickle.dumps(first.value)).args == first.value.args


def test_recent_lines_hold_commands_and_comments_but_no_data() -> None:
    said = say([b"# a\nblob\ndata 2\nx\nprogress y\n" * 50])
    assert said.recent_lines == [b"# a", b"blob", b"data 2", b"progress y"] * 25


def test_the_line_at_fault_is_the_last_recent_one() -> None:
    assert say([b"progress x\nblob\nnonsense\n"]).recent_lines[-2:] == [b"blob", b"nonsense"]


@pytest.mark.parametrize("runs", [0, 7])
def test_lines_up_to_a_command_are_known_however_far_the_parser_went(runs: int) -> None:
    parser, places, lines = StreamParser(keep_lines=True), [], []
    parser.feed(b"".join(b"# %d\nblob\ndata 0\nprogress %d\n" % (at, at) for at in range(300)))
    while (run := parser.take_blobs(runs)) or (command := parser.next_command()):
        if not run and command is NEED_DATA:
            break
        if not run and isinstance(command, c.Progress):
            places.append(parser.place)
            lines.append(parser.recent_lines)
    assert [parser.lines_up_to(place) for place in places] == lines
    parser.drop_lines(places[200])
    assert [parser.lines_up_to(place) for place in places[200:]] == lines[200:]
    assert len(parser.lines_up_to(places[199])) < 100


def test_an_unknown_date_format_is_refused() -> None:
    with pytest.raises(StreamError, match="date format"):
        StreamParser().date_format = "RAW"
