"""Options of diffs: what they set, what they leave, what is refused as git refuses it."""

import subprocess
from pathlib import Path

import pytest

from fastio.errors import FastioError
from fastio.exporter.diff_options import (
    DEFAULT_MERGE_SCORE,
    DEFAULT_SCORE,
    STATUSES,
    DiffOptions,
    take,
)
from tests.exporter.rename_cases import taken
from tests.store.work import Work


def parsed(words: str) -> DiffOptions:
    options, left = taken(words.split())
    assert not left
    return options


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("", DEFAULT_SCORE),
        ("0", DEFAULT_SCORE),
        ("%", DEFAULT_SCORE),
        (".", DEFAULT_SCORE),
        ("5", 30000),
        ("05", 3000),
        ("100", 6000),
        ("99999", 59999),
        ("123459999", 7407),
        ("5%", 3000),
        ("5.%", 3000),
        ("7.25%", 4350),
        ("100%", 60000),
        ("101%", 60000),
        (".5", 30000),
        ("0.05", 3000),
        ("1.", 60000),
        ("2.5", 60000),
        ("0.123459999", 7407),
    ],
)
@pytest.mark.parametrize("option", ["-M", "--find-renames=", "-C", "--find-copies="])
def test_a_score_is_a_fraction_or_a_percentage(option: str, text: str, score: int) -> None:
    assert parsed(option + text).minimum == score


@pytest.mark.parametrize(
    ("words", "detects"),
    [
        ("", (False, False, False)),
        ("-M", (True, False, False)),
        ("--find-renames", (True, False, False)),
        ("-C", (True, True, False)),
        ("-C -C", (True, True, True)),
        ("-C --find-copies", (True, True, True)),
        ("-C -M", (True, False, False)),
        ("-C -M -C", (True, True, False)),
        ("-C -C -M", (True, True, True)),
        ("--find-copies-harder", (True, True, True)),
        ("-C -C --no-find-copies-harder", (True, True, False)),
        ("-M --no-renames", (False, False, False)),
        ("-C -C --no-renames", (True, True, True)),
        ("-RM", (True, False, False)),
    ],
)
def test_what_is_looked_for(words: str, detects: tuple[bool, bool, bool]) -> None:
    options = parsed(words)
    assert (options.renames, options.copies, options.harder) == detects


def test_the_last_score_counts() -> None:
    assert parsed("-M90% -C").minimum == DEFAULT_SCORE
    assert parsed("-C -M90%").minimum == 54000


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("", (DEFAULT_SCORE, DEFAULT_MERGE_SCORE)),
        ("20%", (12000, DEFAULT_MERGE_SCORE)),
        ("/20%", (DEFAULT_SCORE, 12000)),
        ("1/2", (6000, 12000)),
    ],
)
def test_break_scores(text: str, scores: tuple[int, int]) -> None:
    assert parsed(f"-B{text}").break_scores == scores
    assert parsed(f"--break-rewrites={text}").break_scores == scores


@pytest.mark.parametrize(
    ("words", "limit"), [("-l5", 5), ("-l 0", 0), ("-l-1", -1), ("-l 2k", 2048), ("-l9 -l10", 10)]
)
def test_limits(words: str, limit: int) -> None:
    assert parsed(words).limit == limit


@pytest.mark.parametrize(
    ("words", "statuses"),
    [
        ("", ""),
        ("--diff-filter=", ""),
        ("--diff-filter=AR", "AR"),
        ("--diff-filter A", "A"),
        ("--diff-filter=d", "".join(sorted(STATUSES - {"D"}))),
        ("--diff-filter=A --diff-filter=M*", "AM*"),
        ("--diff-filter=ADd", "A"),
        ("--diff-filter=Aa", ""),
    ],
)
def test_filters(words: str, statuses: str) -> None:
    assert parsed(words).statuses == set(statuses)


def test_other_words_stay_in_order() -> None:
    options, left = taken(["main", "-R", "--since=1", "-M", "-n", "5", "^v1", "-Rz", "-D"])
    assert left == ["main", "--since=1", "-n", "5", "^v1", "-Rz", "-D"]
    assert options.reverse
    assert options.renames


def test_submodules() -> None:
    assert parsed("").ignore_submodules is None
    assert parsed("--ignore-submodules").ignore_submodules == "all"
    assert parsed("--ignore-submodules=none").ignore_submodules == "none"


@pytest.mark.git
@pytest.mark.parametrize(
    "word",
    [
        "-Mx",
        "-M5x",
        "-MR",
        "-C50%%",
        "--find-renames=x",
        "--find-copies=5-",
        "-B5x",
        "-B5/x",
        "-B//",
        "-l",
        "-lx",
        "--diff-filter",
        "--diff-filter=Q",
        "--ignore-submodules=x",
        "--ignore-submodules=",
    ],
)
def test_what_is_refused_is_refused_by_git_in_the_same_words(tmp_path: Path, word: str) -> None:
    work = Work(tmp_path / "work")
    command = ["git", "-C", str(work.path), "fast-export", word]
    theirs = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    with pytest.raises(FastioError) as caught:
        take(DiffOptions(), [word])
    assert caught.value.exit_status == theirs.returncode
    # How numbers are asked for is not the same in all versions.
    ours = str(caught.value).partition(" expects an integer")[0]
    assert ours in theirs.stderr.decode().splitlines()[0]
