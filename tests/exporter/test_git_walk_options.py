"""Options of walks and diffs that an export only passes on, takes without effect, or refuses."""

from __future__ import annotations

import pytest

from tests.conformance.side import git_version
from tests.exporter.records import LINE, MAIN, reset
from tests.exporter.source import Source

NO_EFFECT = (
    *("--graph", "--pretty=oneline", "--stat", "-p", "--cc", "--date=iso", "--show-notes", "-Ix"),
    *(
        "--exit-code",
        "--objects --filter=blob:none",
        "--rotate-to=b",
        "--pickaxe-all",
        "-O /dev/null",
    ),
    *("--word-diff-regex .", "--ignore-matching-lines=x"),
)
USAGE = (
    *("--header", "--stat=x", "--color=nonsense", "--default=main", "--src-prefix", "--format"),
    *("--submodule=x", "--no-walk=x", "--timestamp", "--find-copies-harder=x", "-I("),
)
FATAL = (
    *("--date=nonsense", "--pretty=nonsense", "--graph --reverse", "--grep", "-n", "--encoding"),
    *(
        "--ignore-missing ^-x",
        "--combined-all-paths",
        "-U 3",
        "--ancestry-path=nosuch",
        "--default",
        "-O/nosuch/file",
    ),
)
LOSING = (
    *("--quiet", "-t", "-Sone", "-G one", "--find-object=x", "--skip-to=b", "--relative=d"),
    *("--max-depth=0", "--follow"),
)


@pytest.mark.parametrize("words", NO_EFFECT)
def test_what_shapes_text_has_no_effect(source: Source, words: str) -> None:
    source.load(LINE)
    assert source.stream("main", *words.split(" ")) == source.stream("main")


@pytest.mark.parametrize("words", USAGE)
def test_bad_values_and_unknown_options_are_usage_errors(source: Source, words: str) -> None:
    source.load(LINE)
    done = source.export("--use-done-feature", "main", *words.split(" "))
    assert (done.returncode, done.stdout) == (129, b"")
    assert done.stderr


@pytest.mark.parametrize("words", FATAL)
def test_others_are_fatal(source: Source, words: str) -> None:
    source.load(LINE)
    done = source.export("main", *words.split(" "))
    assert done.returncode == 128
    assert done.stderr.startswith((b"fatal: ", b"error: "))
    assert b"error: " not in done.stderr[1:]


@pytest.mark.parametrize("words", LOSING)
def test_what_would_lose_changes_is_refused(source: Source, words: str) -> None:
    if source.is_git:
        pytest.skip("git writes streams that lack them")
    source.load(LINE)
    done = source.fails("main", *words.split(" "))
    assert (done.stdout, b"leaves out changes" in done.stderr) == (b"", True)


def test_an_unknown_option_ends_it_before_anything_is_written(source: Source) -> None:
    source.load(LINE)
    done = source.export("--use-done-feature", "--no-such-option", "main")
    assert (done.returncode, done.stdout) == (129, b"")


def test_a_default_stands_for_missing_revisions_and_is_no_ref(source: Source) -> None:
    source.load(LINE)
    expected = source.stream("main").replace(b"refs/heads/main", b"main")
    assert source.stream("--default", "main") == expected
    assert source.stream("--default", "main", "main~1") == source.stream("main~1")


def test_what_is_missing_may_be_passed_over(source: Source) -> None:
    source.load(LINE)
    assert source.stream("--ignore-missing", "main", "x", "^y", "x..y") == source.stream("main")


def names_of_commits(stream: bytes) -> list[bytes]:
    return [line[7:] for line in stream.splitlines() if line.startswith(b"commit ")]


@pytest.mark.parametrize("words", ["--reflog main", "main --reflog"])
def test_what_only_reflogs_have_is_exported_without_a_name(source: Source, words: str) -> None:
    source.load(LINE)
    source.git("update-ref", "--create-reflog", MAIN.decode(), "main~1")
    marks = source.path / "marks"
    assert names_of_commits(source.stream(*words.split(" "))) == [MAIN, MAIN, b""]
    source.stream("main~1", f"--export-marks={marks}")
    increment = source.stream(*words.split(" "), f"--import-marks={marks}")
    assert names_of_commits(increment) == [MAIN, b""]


@pytest.mark.skipif(git_version() < (2, 55), reason="git, which walks, does not know it")
def test_the_oldest_commits_are_those_that_are_not_marked(source: Source) -> None:
    source.load(LINE)
    marks = source.path / "marks"
    source.stream("main~2", f"--export-marks={marks}")
    words = f"--import-marks={marks}", "main"
    everything = source.stream(*words)
    for count, expected in ((1, 1), (2, 2), (5, 2), (0, 0)):
        stream = source.stream(*words, f"--max-count-oldest={count}")
        assert len(names_of_commits(stream)) == expected
        assert everything.startswith(stream) == (expected > 0)
    nothing = source.stream("main", "--max-count-oldest=2", "--", "--", "nothing")
    assert nothing == source.stream("main", "--", "--", "nothing")


def test_refs_of_any_kind_are_decorations(source: Source) -> None:
    source.load(LINE + reset(b"refs/notes/x", b":4"))
    words = "--all", "--simplify-by-decoration"
    assert names_of_commits(source.stream(*words)) == [b"refs/notes/x", b"refs/notes/x", MAIN]


def test_full_diffs_tell_all_that_a_chosen_commit_changes(source: Source) -> None:
    source.load(LINE)
    stream = source.stream("main", "--full-diff", "--", "--", "b")
    assert b"third\nfrom :3\nM 100644 :4 a\nD b\n\n" in stream
    assert b"first\n" not in stream
