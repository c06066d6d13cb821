"""Items 001 to 019: empty and unfinished streams, comments, blank lines, keywords."""

import pytest

from tests.conformance.trial import Trial
from tests.conformance.words import BLOBS, ONE, WHO, blob, commit, inline

pytestmark = pytest.mark.git


def test_empty_input(both: Trial) -> None:
    result = both(b"")
    assert (result.objects, result.marks, result.stderr) == ({}, {}, "")


def test_input_ends_in_a_tag(both: Trial) -> None:
    both.fatal(b"tag foo", "from")


COMMENTED = (
    *(b"feature done\n", b"#\n", b"blob\n", b"# x\n", b"mark :1\n", b"#x\n#y\n"),
    *(b"original-oid z\n", b"#\n", b"data 3\none\n", b"# x\n", b"commit refs/heads/x\n", b"#\n"),
    *(b"mark :2\n", b"#\n", b"original-oid z\n", b"#\n", b"author %b\n" % WHO, b"#\n"),
    *(b"committer %b\n" % WHO, b"#\n", b"encoding x\n", b"#\n", b"data <<E\n# text\nE\n", b"#\n"),
    *(b"M 644 :1 a\n", b"#\n", b"M 644 inline b\n", b"# x\n#\n", b"data 3\ntwo\n", b"#\n"),
    *(b"D a\n", b"#\n", b"deleteall\n", b"#\n", b"commit refs/heads/y\ncommitter %b\n" % WHO),
    *(b"data 0\n", b"#\n", b"from :2\n", b"#\n", b"merge :2\n", b"#\n", b"N inline :2\n", b"#\n"),
    *(b"data 0\n", b"#\n", b"N :1 :2\n", b"#\n", b"tag t\n", b"#\n", b"mark :3\n", b"#\n"),
    *(b"from :2\n", b"#\n", b"original-oid z\n", b"#\n", b"tagger %b\n" % WHO, b"#\n"),
    *(b"data 0\n", b"#\n", b"reset refs/heads/z\n", b"#\n", b"from :2\n", b"#\n", b"alias\n"),
    *(b"#\n", b"mark :4\n", b"#\n", b"to :2\n\n", b"#\n", b"get-mark :4\n", b"#\n"),
    *(b"cat-blob :1\n", b"#\n", b"ls :2 a\n", b"#\n", b"checkpoint\n", b"#\n", b"progress x\n"),
    *(b"#\n", b"done\n"),
)


def test_comments_stand_wherever_a_line_may_begin(both: Trial) -> None:
    commented = both(b"".join(COMMENTED))
    bare = both(b"".join(piece for piece in COMMENTED if not piece.startswith(b"#")))
    assert commented.differences(bare) == []
    assert commented.message() == "# text\n"
    assert commented.marks is not None
    assert list(commented.marks) == [":1", ":2", ":3", ":4"]
    assert sorted(commented.refs) == [
        "HEAD",
        *(f"refs/heads/{name}" for name in "xyz"),
        "refs/tags/t",
    ]


def test_comment_between_inline_and_data(both: Trial) -> None:
    changes = (b"M 644 inline a", b"# M 644 inline b", b"#", b"data 3\none")
    assert both(commit(*changes)).files() == {"a": "one"}


def test_comment_behind_the_last_byte_of_data(both: Trial) -> None:
    result = both(b"blob\nmark :1\ndata 3\nabc# x\n" + commit(b"M 644 :1 a"))
    assert result.files() == {"a": "abc"}


def test_comments_in_data_are_data(both: Trial) -> None:
    changes = (b"M 644 inline a\ndata 4\n# a\n", b"M 644 inline b\ndata <<E\n# b\n#\nE")
    assert both(commit(*changes)).files() == {"a": "# a\n", "b": "# b\n#\n"}


UNKNOWN = {
    "indented comment": b" # x\n",
    "blank first line": b"\n",
    "upper case": b"BLOB\ndata 0\n",
    "indented keyword": b" blob\ndata 0\n",
    "words behind blob": b"blob x\ndata 0\n",
    "words behind checkpoint": b"checkpoint x\n",
    "words behind done": b"done x\n",
    "bare reset": b"reset\n",
    "bare commit": b"commit\n",
    "bare progress": b"progress\n",
    "tab": b"reset\trefs/heads/x\n",
    "CR behind the keyword": b"blob\r\ndata 0\n",
    "blank line behind a feature": b"feature ls\n\n",
    "blank line behind an option": b"option git quiet\n\n",
    "blank line behind get-mark": BLOBS + b"get-mark :1\n\n",
    "blank line behind cat-blob": BLOBS + b"cat-blob :1\n\n",
    "blank line behind ls": BLOBS + commit(mark=3) + b"\n\nls :3 a\n\n",
    "two behind progress": b"progress x\n\n\n",
    "two behind checkpoint": b"checkpoint\n\n\n",
    "two behind reset": b"reset refs/heads/x\n\n\n",
    "two behind reset and from": commit(mark=1) + b"reset refs/heads/y\nfrom :1\n\n\n",
    "three behind a message": commit() + b"\n\n\n",
    "two behind a path command": BLOBS + commit(b"M 644 :1 a") + b"\n\n",
    "two behind a blob": BLOBS + b"\n",
    "two behind a tag": commit(mark=1) + b"tag t\nfrom :1\ndata 1\na\n\n",
}  # fmt: skip


@pytest.mark.parametrize("stream", UNKNOWN.values(), ids=UNKNOWN)
def test_unsupported_commands(both: Trial, stream: bytes) -> None:
    both.fatal(stream, "unsupported command")


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["none", "one"])
@pytest.mark.parametrize(
    "stream",
    [b"progress x\n", b"checkpoint\n", b"reset refs/heads/y\n", b"reset refs/heads/y\nfrom :3\n",
     BLOBS + commit(b"M 644 :1 a"), b"blob\nmark :4\ndata 3\nabc", b"tag t\nfrom :3\ndata 3\nabc"],
    ids=["progress", "checkpoint", "reset", "reset and from", "path command", "blob", "tag"],
)  # fmt: skip
def test_one_blank_line_or_none(both: Trial, stream: bytes, end: bytes) -> None:
    result = both(commit(mark=3) + stream + end + b"progress end\n")
    assert result.stdout.endswith("progress end\n")


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n"], ids=["none", "one", "two"])
def test_line_ends_behind_a_message(both: Trial, end: bytes) -> None:
    stream = b"commit refs/heads/x\ncommitter %b\ndata 2\nhi" % WHO
    assert both(stream + end + b"reset refs/heads/y\n").message() == "hi"


def test_no_blank_lines_are_needed(both: Trial) -> None:
    stream = BLOBS + commit(inline(b"a"), mark=3) + commit(b"M 644 :1 b", mark=4)
    stream += b"reset refs/heads/y\nfrom :3\ncheckpoint\nprogress x\ntag t\nfrom :4\ndata 0\n"
    result = both(stream + blob(5, b"three"))
    assert result.files() == {"a": "inline", "b": "one"}
    assert result.files("refs/heads/y") == {"a": "inline"}
    assert (result.stdout, result.header("object", "refs/tags/t")) == (
        "progress x\n",
        [result.oid()],
    )


LAST_LINES = {
    "progress": (b"progress hi", "progress hi\n"),
    "get-mark": (b"get-mark :1", ONE.decode() + "\n"),
    "reset": (b"reset refs/heads/x\nfrom :3", ""),
    "path command": (commit(b"D a", ref=b"refs/heads/x", mark=4)[:-1], ""),
    "comment": (b"# hi", ""),
}


@pytest.mark.parametrize(("last", "answer"), LAST_LINES.values(), ids=LAST_LINES)
def test_last_line_may_lack_its_end(both: Trial, last: bytes, answer: str) -> None:
    result = both(BLOBS + commit(b"M 644 :1 a", ref=b"refs/heads/y", mark=3) + last)
    assert result.stdout == answer


def test_carriage_return_is_echoed(both: Trial) -> None:
    assert both(b"progress a\r\n").stdout == "progress a\r\n"
