"""The shape of a stream: items 1 to 12 of the exporter's."""

import pytest

from tests.conformance.side import Side
from tests.exporter.records import LINE, MAIN, ZERO, blob, commit, reset, tag
from tests.exporter.source import Source

SIDE = b"refs/heads/side"
# A merge, and an octopus of it; "m" was taken from the second parent.
MERGES = (
    blob(1, b"base")
    + commit(2, b"M 100644 :1 a", root=True, ref=SIDE)
    + blob(3, b"left")
    + commit(4, b"from :2", b"M 100644 :3 l", ref=SIDE, message=b"left\n")
    + blob(5, b"right")
    + commit(6, b"from :2", b"M 100644 :5 r", ref=SIDE, message=b"right\n")
    + commit(7, b"from :4", b"merge :6", b"M 100644 :5 r", ref=SIDE, message=b"two\n")
    + blob(8, b"more")
    + commit(9, b"from :2", b"M 100755 :8 m", ref=SIDE, message=b"apart\n")
    + commit(
        10, b"from :7", b"merge :9", b"merge :6", b"M 100755 :8 m", ref=SIDE, message=b"three\n"
    )
)


@pytest.mark.parametrize("importer", ["git", "fastio"])
def test_all_brings_back_every_ref(source: Source, importer: str) -> None:
    source.load(MERGES + tag(b"v1", b":10") + reset(b"refs/tags/light", b":6") + LINE)
    stream = source.stream("--all")
    back = Side(importer, source.path.parent / "back", "--bare")
    assert back.feed(stream).returncode == 0
    assert back.refs() == source.refs()
    assert sorted(back.refs()) == [
        "refs/heads/main", "refs/heads/side", "refs/tags/light", "refs/tags/v1",
    ]  # fmt: skip


def test_nothing_asked_for_is_a_usage_error(source: Source) -> None:
    done = source.fails(status=129)
    assert (done.stdout, done.stderr[:7]) == (b"", b"usage: ")
    done = source.export("-h")
    assert done.stdout.startswith(b"usage: ")
    assert done.returncode in ((0, 129) if source.is_git else (0,))  # older versions: 129


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--signed-tags=verbatim"], b""),
        (["--reencode=yes", "--no-data"], b""),
        (["--use-done-feature"], b"feature done\ndone\n"),
        (["--refspec=:refs/heads/gone"], reset(b"refs/heads/gone", ZERO)),
    ],
)
def test_no_revisions_give_an_empty_stream(
    source: Source, words: list[str], expected: bytes
) -> None:
    source.load(LINE)
    assert source.stream(*words) == expected


def test_marks_number_blobs_in_path_order_and_then_their_commit(source: Source) -> None:
    stream = (
        blob(1, b"1")
        + blob(2, b"2")
        + blob(3, b"3")
        + commit(4, b"M 100644 :3 abc", b"M 100644 :2 ab", b"M 100644 :1 a", root=True)
        + blob(5, b"5")
        + commit(6, b"from :4", b"M 100644 :5 z", b"M 100644 :1 z2", message=b"old blob\n")
    )
    stream = stream.replace(b"M 100644 :5 z\nM 100644 :1 z2\n", b"M 100644 :1 z2\nM 100644 :5 z\n")
    source.load(stream)
    assert source.stream("main") == stream


def test_each_root_is_reset_and_no_other_commit(source: Source) -> None:
    other = b"refs/heads/other"
    stream = (
        LINE
        + commit(7, root=True, ref=other, message=b"another root\n")
        + commit(8, b"from :7", ref=other, message=b"on it\n")
    )
    source.load(stream)
    exported = source.stream("main", "other")
    assert exported.count(b"reset refs/heads/main\ncommit refs/heads/main\n") == 1
    assert exported.count(b"reset refs/heads/other\ncommit refs/heads/other\n") == 1
    assert exported.count(b"reset ") == 2


@pytest.mark.parametrize("message", [b"no line end", b"", b"\n", b"\n\nlead", b"two\n\n\n"])
def test_messages_are_followed_by_nothing_of_their_own(source: Source, message: bytes) -> None:
    stream = (
        blob(1, b"one")
        + commit(2, b"M 100644 :1 a", root=True, message=message)
        + commit(3, b"from :2", message=message)
        + commit(4, b"from :3", b"D a", message=message)
    )
    source.load(stream)
    assert source.stream("main") == stream


def test_an_empty_commit_has_header_parents_and_a_blank_line(source: Source) -> None:
    stream = commit(1, root=True, message=b"") + commit(2, b"from :1", message=b"")
    source.load(stream)
    assert source.stream("main") == stream


def test_merges_name_all_parents_and_differences_to_the_first(source: Source) -> None:
    source.load(MERGES)
    assert source.stream("side") == MERGES


def test_a_second_ref_is_reset_in_the_end_the_last_name_first(source: Source) -> None:
    names = (b"refs/heads/a", b"refs/heads/z", b"refs/tags/t")
    source.load(LINE + b"".join(reset(name, b":4") for name in names))
    expected = LINE.replace(MAIN, b"refs/heads/a", 3)
    ends = reset(b"refs/tags/t", b":4") + reset(b"refs/heads/z", b":4")
    assert source.stream("--all") == expected + ends


def test_a_detached_head_is_reset(source: Source) -> None:
    source.load(LINE)
    source.git("update-ref", "--no-deref", "HEAD", source.git("rev-parse", "main"))
    assert source.stream("--all") == LINE + reset(b"HEAD", b":6")
    assert source.stream("HEAD") == LINE.replace(MAIN, b"HEAD")


def test_a_symbolic_ref_stands_for_its_target(source: Source) -> None:
    source.load(LINE)
    source.git("symbolic-ref", "refs/heads/also", "refs/heads/main")
    source.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main")
    for words in (["--all"], ["also"], ["also", "main"], ["HEAD"]):
        assert source.stream(*words) == LINE
