"""Ranges and what is excluded: items 13 to 19 of the exporter's."""

import pytest

from tests.conformance.side import Side
from tests.exporter.records import LINE, MAIN, ZERO, blob, commit, reset, tag
from tests.exporter.source import Source

# What is left of the line without its first commit.
LATER = (
    blob(1, b"one\n")
    + blob(2, b"two\n")
    + commit(3, b"M 100644 :1 a", b"M 100644 :2 b", message=b"second\n")
    + blob(4, b"three\n")
    + commit(5, b"from :3", b"M 100644 :4 a", b"D b", message=b"third\n")
)


@pytest.fixture
def line(source: Source) -> Source:
    """Three commits."""
    source.load(LINE)
    return source


@pytest.mark.parametrize(
    "words", [["main~2..main"], ["main", "^main~2"], ["main", "--not", "main~2"]]
)
def test_a_range_begins_with_a_whole_tree_and_no_parent(line: Source, words: list[str]) -> None:
    assert line.stream(*words) == LATER


@pytest.mark.parametrize("importer", ["git", "fastio"])
def test_excluded_parents_can_be_named(line: Source, importer: str) -> None:
    first, last = line.oid("main~2"), line.oid("main")
    expected = (
        blob(1, b"two\n")
        + commit(2, b"from " + first, b"M 100644 :1 b", message=b"second\n")
        + blob(3, b"three\n")
        + commit(4, b"from :2", b"M 100644 :3 a", b"D b", message=b"third\n")
    )
    stream = line.stream("main~2..main", "--reference-excluded-parents")
    assert stream == expected
    line.git("update-ref", "refs/heads/main", first.decode())
    both = Side.__new__(Side)
    both.program, both.path, both.is_git = importer, line.path, importer == "git"
    assert both.feed(stream).returncode == 0
    assert line.oid("main") == last


def test_a_ref_that_is_all_excluded_is_deleted(line: Source) -> None:
    for words in (["main", "^main"], ["main..main"]):
        assert line.stream(*words) == reset(MAIN, ZERO)
        named = line.stream(*words, "--reference-excluded-parents")
        assert named == reset(MAIN, line.oid("main"))


def test_a_tag_of_an_excluded_commit_names_it_when_rewritten(line: Source) -> None:
    line.load(tag(b"v1", b"refs/heads/main"))
    words = ["^v1^{commit}", "v1", "--tag-of-filtered-object=rewrite"]
    assert line.stream(*words) == tag(b"v1", line.oid("main"))
    assert line.stream(*words, "--mark-tags") == tag(b"v1", line.oid("main"), mark=1)


def test_negative_revisions_do_not_reset_refs_when_marks_are_known(line: Source) -> None:
    line.load(tag(b"v1", b"refs/heads/main") + reset(b"refs/heads/old", b"refs/heads/main~1"))
    line.stream("main", "v1", "--export-marks=marks")
    line.load(commit(1, b"from refs/heads/main^0", message=b"new\n"))
    stream = line.stream("--import-marks=marks", "^old", "^v1", "main")
    assert stream == commit(7, b"from :6", message=b"new\n")


def test_what_is_no_ref_names_the_commits_as_it_is_written(line: Source) -> None:
    expected = (
        blob(1, b"one\n")
        + blob(2, b"two\n")
        + commit(3, b"M 100644 :1 a", b"M 100644 :2 b", message=b"second\n", ref=b"main~1")
    )
    assert line.stream("main~2..main~1") == expected
    # Of HEAD, as git finds it, this is a ref.
    assert line.stream("main~2..HEAD") == LATER


def test_a_symmetric_difference_leaves_out_merge_bases(line: Source) -> None:
    side = commit(1, b"from refs/heads/main~1", b"D a", ref=b"refs/heads/side", message=b"side\n")
    line.load(side)
    stream = line.stream("main...side")
    assert stream.count(b"commit ") == 2
    assert b"data 6\nthird\n" in stream
    assert b"data 5\nside\n" in stream
    assert b"from " not in stream


def test_behind_not_parents_of_a_revision_have_its_name(source: Source) -> None:
    source.load(LINE)
    assert source.stream("--not", "main^-") == reset(MAIN, ZERO)
    named = source.stream("main~1").replace(b"main~1", b"main")
    assert source.stream("--not", "^main^@") == named


def test_a_symmetric_difference_names_its_commits_by_a_tag(line: Source) -> None:
    line.load(tag(b"v1", b"refs/heads/main"))
    for words in (["v1...main~2"], ["main~2...v1"]):
        stream = line.stream(*words)
        assert b"commit refs/tags/v1\n" in stream
        assert b"\ntag v1\n" in stream
