"""The command line of an export: what is ours, what is bad, what is left for git."""

import subprocess
from pathlib import Path

import pytest

from fastio.errors import FastioError, UsageError
from fastio.exporter.options import ExportOptions, parse_options
from tests.store.work import Work


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("--progress=3", "progress", 3),
        ("--progress 0x10", "progress", 16),
        ("--progress=2k", "progress", 2048),
        ("--progress=-3", "progress", 3),
        ("--progress=3 --no-progress", "progress", 0),
        ("--no-progress --progress=3", "no_progress", True),
        ("--signed-tags=ignore", "signed_tags", "verbatim"),
        ("--signed-tags warn", "signed_tags", "warn-verbatim"),
        ("--signed-tags=strip --no-signed-tags", "signed_tags", "strip"),
        ("--signed-commits=warn-strip", "signed_commits", "warn-strip"),
        ("--signed-commits=verbatim --no-signed-commits", "signed_commits", "verbatim"),
        ("--tag-of-filtered-object=drop", "tag_of_filtered_object", "drop"),
        (
            "--tag-of-filtered-object=drop --no-tag-of-filtered-object",
            "tag_of_filtered_object",
            "abort",
        ),
        ("--reencode=YES", "reencode", "yes"),
        ("--reencode=", "reencode", "no"),
        ("--reencode=2", "reencode", "yes"),
        ("--reencode=0x0", "reencode", "no"),
        ("--reencode=off", "reencode", "no"),
        ("--reencode=ABORT", "reencode", "abort"),
        ("--reencode=no --no-reencode", "reencode", "abort"),
        ("--export-marks=a/b", "export_marks", "a/b"),
        ("--export-marks=", "export_marks", ""),
        ("--export-marks=a --no-export-marks", "export_marks", None),
        ("--import-marks a", "import_marks", "a"),
        ("--import-marks-if-exists=a", "import_marks_if_exists", "a"),
        ("--mark-tags", "mark_tags", True),
        ("--mark-tags --no-mark-tags", "mark_tags", False),
        ("--fake-missing-tagger", "fake_missing_tagger", True),
        ("--use-done-feature", "use_done_feature", True),
        ("--no-data", "no_data", True),
        ("--no-data --data", "no_data", False),
        ("--no-data --no-no-data", "no_data", False),
        ("--full-tree", "full_tree", True),
        ("--reference-excluded-parents", "reference_excluded_parents", True),
        ("--show-original-ids", "show_original_ids", True),
        ("--refspec=a:b --refspec c", "refspecs", ["a:b", "c"]),
        ("--refspec=a:b --no-refspec --refspec=c", "refspecs", ["c"]),
        ("--anonymize", "anonymize", True),
        ("--anonymize-map=a:b:c", "anonymize_map", {b"a": b"b:c"}),
        ("--anonymize-map=a:b --anonymize-map=a", "anonymize_map", {b"a": b"a"}),
        ("--workers=3", "workers", 3),
        ("--workers 0", "workers", 0),
        ("--memory=64m", "memory", 64 << 20),
        ("--memory=64m --no-memory", "memory", None),
        ("--verify", "verify", True),
        ("-o a", "output", "a"),
        ("-oa", "output", "a"),
        ("--output=a", "output", "a"),
        ("main --output a", "output", "a"),
        ("-h", "help", True),
        ("main -hm", "help", True),
    ],
)
def test_an_option_is_taken(words: str, name: str, value: object) -> None:
    options, left = parse_options(words.split())
    assert getattr(options, name) == value
    assert left == [word for word in words.split() if word == "main"]


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("--no-data main ^side --all", "main ^side --all"),
        ("main -- path", "main path"),
        ("main -- -- path", "main -- path"),
        ("main -- --no-data", "main --no-data"),
        ("--end-of-options --no-data -- path", "--end-of-options --no-data -- path"),
        ("-M -C --frob -no -d -", "-M -C --frob -no -d -"),
        ("--no-dat --no-anonymize-map --no-workers=1x", None),
        ("--no-dat --no-anonymize-map", "--no-dat --no-anonymize-map"),
    ],
)
def test_what_is_not_ours_is_left_in_order(words: str, left: str | None) -> None:
    if left is None:
        with pytest.raises(UsageError, match="takes no value"):
            parse_options(words.split())
    else:
        assert parse_options(words.split())[1] == left.split()


WRONG = [
    ("--progress", "option `progress' requires a value"),
    ("--progress=", "option `progress' expects a numerical value"),
    (
        "--progress=1x",
        "option `progress' expects an integer value with an optional k/m/g suffix",
    ),
    ("--progress=3g", "value 3g for option `progress' not in range [-2147483648,2147483647]"),
    ("--no-progress=1", "option `no-progress' takes no value"),
    ("--signed-tags", "option `signed-tags' requires a value"),
    ("--signed-tags=ABORT", "unknown signed-tags mode: ABORT"),
    ("--signed-tags=strip-if-invalid", "unknown signed-tags mode: strip-if-invalid"),
    ("--signed-commits=sign-if-invalid", "unknown signed-commits mode: sign-if-invalid"),
    ("--tag-of-filtered-object=x", "unknown tag-of-filtered mode: x"),
    ("--reencode=yess", "unknown reencoding mode: yess"),
    ("--anonymize-map=", "--anonymize-map token cannot be empty"),
    ("--anonymize-map=:a", "--anonymize-map token cannot be empty"),
    ("--anonymize-map=a:", "--anonymize-map token cannot be empty"),
    ("--mark-tags=3", "option `mark-tags' takes no value"),
    ("--no-data=1", "option `no-data' takes no value"),
    ("main -signed", "did you mean `--signed` (with two dashes)?"),
    ("-no-data", "did you mean `--no-data` (with two dashes)?"),
    ("-mar -h", "did you mean `--mar` (with two dashes)?"),
]


@pytest.mark.parametrize(("words", "reason"), WRONG)
def test_what_is_bad_is_told_in_gits_words(words: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_options(words.split())
    assert str(caught.value) == reason


@pytest.mark.parametrize("words", ["--workers=1.5", "--workers=-1", "--memory=much", "--workers="])
def test_bad_numbers_of_our_own_options(words: str) -> None:
    with pytest.raises(UsageError, match="bad value"):
        parse_options([words])


@pytest.mark.parametrize("words", [[], ["--no-progress"]])
def test_no_word_at_all_is_a_question_for_the_usage(words: list[str]) -> None:
    with pytest.raises(UsageError, match=r"\A\Z"):
        parse_options(words)


def test_a_map_without_anonymize() -> None:
    options, _ = parse_options(["--anonymize-map=a"])
    with pytest.raises(FastioError, match="requires '--anonymize'"):
        options.check()
    parse_options(["--anonymize-map=a", "--anonymize"])[0].check()
    ExportOptions().check()


@pytest.mark.git
def test_git_ends_with_129_as_well(tmp_path: Path) -> None:
    work = Work(tmp_path / "work")
    for words, _ in WRONG:
        done = subprocess.run(
            ["git", "fast-export", *words.split()], cwd=work.path, capture_output=True, check=False
        )
        assert done.returncode == 129, words
