"""Exports limited to paths: items 65 to 69 of the exporter's."""

import pytest

from tests.conformance.side import Side
from tests.exporter.records import LINE, MAIN, ZERO, blob, commit, reset
from tests.exporter.source import Source

TOP = b"refs/heads/top"


@pytest.fixture
def line(source: Source) -> Source:
    """Three commits."""
    source.load(LINE)
    return source


ONLY_B = (
    blob(1, b"two\n")
    + commit(2, b"M 100644 :1 b", root=True, message=b"second\n")
    + commit(3, b"from :2", b"D b", message=b"third\n")
)


def test_only_the_paths_are_listed(line: Source) -> None:
    assert line.stream("main", "--", "--", "b") == ONLY_B
    assert line.stream("main", "--", "--", "b", "no-such-path") == ONLY_B


@pytest.mark.parametrize(
    "path", ["b*", "[b]", "?", ":(glob)b", ":(icase)B", ":(top)b", ":/b", ":(literal)b", "*b"]
)
def test_patterns(line: Source, path: str) -> None:
    if path == "?":
        assert line.stream("main", "--", "--", path) == LINE
    else:
        assert line.stream("main", "--", "--", path) == ONLY_B


@pytest.mark.parametrize("words", [[":(exclude)a"], [":!a"], [":^a", "."], ["*", ":!a"]])
def test_paths_that_are_left_out(line: Source, words: list[str]) -> None:
    assert line.stream("main", "--", "--", *words) == ONLY_B


def test_tips_are_reset_to_what_is_left_of_their_history(line: Source) -> None:
    tips = commit(1, b"from refs/heads/main^0", ref=TOP, message=b"x\n") + reset(
        b"refs/heads/z", b"refs/heads/main"
    )
    line.load(tips)
    stream = line.stream("main", "top", "z", "--", "--", "b")
    assert stream == ONLY_B.replace(b"\n\n", b"\n\n") + reset(b"refs/heads/z", b":3") + reset(
        TOP, b":3"
    )
    back = Side("git", line.path.parent / "back", "--bare")
    assert back.feed(stream).returncode == 0
    assert sorted(back.refs()) == ["refs/heads/main", "refs/heads/top", "refs/heads/z"]


def test_a_ref_of_which_nothing_is_left_is_deleted(line: Source) -> None:
    assert line.stream("main", "--", "--", "no-such-path") == reset(MAIN, ZERO)
    line.load(commit(1, root=True, ref=b"refs/heads/empty"))
    stream = line.stream("main", "empty", "--", "--", "b")
    assert stream == ONLY_B + reset(b"refs/heads/empty", ZERO)


def test_the_first_dashes_are_swallowed(line: Source) -> None:
    assert line.fails("main", "--", "no-such-path").stdout == b""
    assert line.fails("main", "--", "b").stdout == b""  # there is no work tree to find it in
    assert line.stream("main", "--", "--", "b") == ONLY_B
    assert line.stream("--end-of-options", "main", "--", "b") == ONLY_B
    assert line.stream("main", "--", "b*") == ONLY_B
    assert line.stream("main", "--", ":(top)b") == ONLY_B
    assert line.stream("main", "b*") == ONLY_B


def test_a_path_is_relative_to_where_the_command_starts(new_source) -> None:
    source = new_source()
    stream = blob(1, b"x") + commit(2, b"M 100644 :1 d/b", b"M 100644 :1 b", root=True)
    source.load(stream)
    source.git("checkout", "-q", "-f", "main")
    below = source.path / "d"
    expected = blob(1, b"x") + commit(2, b"M 100644 :1 d/b", root=True)
    assert source.stream("main", "--", "--", "b", cwd=below) == expected
    assert source.stream("main", "--", "b", cwd=below) == expected
    # But marks files are where the work tree begins.
    source.stream("main", "--export-marks=marks", cwd=below)
    assert (source.path / "marks").exists()


def test_options_may_follow_the_first_dashes(source: Source) -> None:
    stream = (
        LINE
        + commit(7, b"from :2", b"D a", ref=b"refs/heads/side", message=b"side\n")
        + commit(8, b"from :6", b"merge :7", message=b"merge\n")
    )
    source.load(stream)
    words = ["main", "--", "--first-parent"]
    exported = source.stream(*words)
    assert exported == source.stream(*words, "--reverse")
    assert exported == LINE + commit(7, b"from :6", message=b"merge\n")
