"""Options and features: items 244 to 256."""

import random

import pytest

from tests.conformance.side import Side
from tests.importer.streams import blob, commit, inline

BASE = commit(1, inline(b"file", b"x"))


def fails(side: Side, stream: bytes, *words: str, status: int = 128) -> bytes:
    done = side.feed(stream, *words)
    assert (done.returncode, side.refs()) == (status, {})
    assert done.stderr.startswith(b"fatal: ") or status == 129
    return done.stderr


def succeeds(side: Side, stream: bytes, *words: str) -> None:
    done = side.feed(stream, *words)
    assert (done.returncode, done.stderr, list(side.refs())) == (0, b"", ["refs/heads/main"])


@pytest.mark.parametrize(
    "line",
    [*[b"feature " + name for name in (b"no-such-feature", b"quiet", b"stats", b"cat-blob-fd=3",
       b"signed-commits=strip", b"done=1", b"NOTES", b"force=1", b"depth=3", b"ls=", b"",
       b"date-format", b"import-marks", b"export-marks")],
     *[b"option git " + name for name in (b"non-existing-option", b"force", b"done", b"--quiet",
       b"date-format=raw", b"quiet=1", b"depth", b"import-marks=x", b"cat-blob-fd=1")]],
)  # fmt: skip
def test_what_the_stream_cannot_ask_for(side: Side, line: bytes) -> None:
    fails(side, line + b"\n" + BASE, "--allow-unsafe-features")


@pytest.mark.parametrize(
    "word",
    ["--non-existing-option", "--depth", "--quiet=1", "--no-force", "--no-quiet", "--dep=5", "-q",
     "--force=", "--notes=", "--stat", "--max-pack-size=", "--Force", "---quiet"],
)  # fmt: skip
def test_what_the_command_line_cannot_ask_for(side: Side, word: str) -> None:
    fails(side, BASE, word)


@pytest.mark.parametrize("option", [b"hg quiet", b"git", b"quiet", b"gitfoo x", b"bzr git quiet=1"])
def test_options_for_others_are_ignored_anywhere(side: Side, option: bytes) -> None:
    line = b"option %b\n" % option
    succeeds(side, line + b"feature done\n" + line + BASE + line + b"done\n")


@pytest.mark.parametrize("late", [b"feature done\n", b"option git quiet\n", b"feature ls\n"])
@pytest.mark.parametrize("first", [BASE, b"# a comment\n", b"progress x\n", b"checkpoint\n"])
def test_features_and_options_can_be_too_late(side: Side, first: bytes, late: bytes) -> None:
    fails(side, first + late + b"done\n")


MARKS_FEATURES = [b"import-marks=old", b"import-marks-if-exists=old", b"export-marks=new"]


@pytest.mark.parametrize("feature", MARKS_FEATURES)
def test_marks_features_need_permission(side: Side, feature: bytes) -> None:
    (side.path / "old").touch()
    stream = b"feature %b\n" % feature + BASE
    fails(side, stream)
    assert not (side.path / "new").exists()
    # Of the stream itself it is not to be had, and behind `--` it is no option.
    fails(side, b"option git allow-unsafe-features\n" + stream)
    fails(side, b"feature allow-unsafe-features\n" + stream)
    fails(side, stream, "--", "--allow-unsafe-features")
    succeeds(side, stream, "--allow-unsafe-features")
    assert (side.path / "new").exists() == (b"export" in feature)


@pytest.mark.parametrize(
    ("words", "option", "told"),
    [([], b"", True), ([], b"quiet", False), (["--quiet"], b"", False),
     (["--stats"], b"quiet", True), (["--quiet"], b"stats", False),
     (["--quiet", "--stats"], b"", True), (["--stats", "--quiet"], b"", False)],
)  # fmt: skip
def test_the_command_line_says_last_who_wants_statistics(
    side: Side, words: list[str], option: bytes, told: bool
) -> None:
    header = b"option git %b\n" % option if option else b""
    done = side.feed(header + BASE, *words, quiet=False)
    assert (done.returncode, done.stdout, b"statistics:" in done.stderr) == (0, b"", told)
    assert bool(done.stderr) == told


BAD_NUMBERS = ["active-branches=-5", "active-branches=", "depth=", "depth=5 elephants", "depth=-1",
               "depth=8192", "depth=99999999999999999999", "max-pack-size=x", "max-pack-size=1t",
               "max-pack-size=-1", "max-pack-size=1 m", "big-file-threshold=x"]  # fmt: skip


@pytest.mark.parametrize("option", BAD_NUMBERS)
def test_bad_numbers(side: Side, option: str) -> None:
    fails(side, BASE, f"--{option}")
    fails(side, f"option git {option}\n".encode() + BASE)


@pytest.mark.parametrize(
    "option",
    ["active-branches=0", "depth=0", "depth=8191", "depth=0x1fff", "depth=010", "max-pack-size=1m",
     "max-pack-size=1G", "big-file-threshold=0", "big-file-threshold=10k"],
)  # fmt: skip
def test_good_numbers(side: Side, option: str) -> None:
    succeeds(side, BASE, f"--{option}")
    succeeds(side, f"option git {option}\n".encode() + BASE, "--force")


@pytest.mark.parametrize(
    ("size", "packs", "warned"),
    [("0", 1, 0), ("1", 2, 1), ("8191", 1, 1), ("8192", 2, 1), ("1048575", 2, 1), ("1m", 2, 0),
     ("1k", 1, 1), ("1g", 1, 0)],
)  # fmt: skip
def test_small_pack_sizes_are_taken_for_mebibytes_or_raised(
    side: Side, size: str, packs: int, warned: int
) -> None:
    rng = random.Random(1)
    stream = b"".join(blob(mark, rng.randbytes(700_000)) for mark in (1, 2))
    done = side.feed(stream, f"--max-pack-size={size}")
    assert (done.returncode, len(side.packs())) == (0, packs)
    warned += side.is_git and size == "0"  # it takes that for 0 MiB; both mean any size
    assert [line[:9] for line in done.stderr.splitlines()] == [b"warning: "] * warned


@pytest.mark.parametrize("word", ["--signed-tags=maybe", "--signed-tags=", "a b", "-- a b"])
def test_usage_errors(side: Side, word: str) -> None:
    # git takes no word at all; we take one, the name of a file with the stream.
    if "signed" in word:
        side.needs_git(2, 52)
    done = side.feed(BASE, *word.split(" "))
    assert (done.returncode, done.stdout, side.refs()) == (129, b"", {})
    assert not list(side.git_dir.glob("fast_import_crash_*"))


@pytest.mark.parametrize("word", ["--signed-commits=maybe", "--signed-commits=Strip"])
def test_bad_signature_modes_are_usage_errors_in_the_stream_too(side: Side, word: str) -> None:
    side.needs_git(2, 52)
    fails(side, BASE, word, status=129)
    fails(side, f"option git {word[2:]}\n".encode() + BASE, status=129)


@pytest.mark.parametrize(
    "name", [b"ls", b"cat-blob", b"notes", b"get-mark", b"alias", b"date-format=raw", b"force",
             b"relative-marks", b"no-relative-marks", b"date-format=raw-permissive"]
)  # fmt: skip
def test_features_that_announce_or_switch(side: Side, name: bytes) -> None:
    succeeds(side, b"feature %b\n" % name + BASE, f"--{name.decode()}")


def test_features_done_and_now(side: Side) -> None:
    stream = BASE.replace(b"1234567890 +0000", b"now")
    succeeds(side, b"feature done\nfeature date-format=now\n" + stream + b"done\n")
    assert int(side.git("log", "-1", "--format=%ct", "main")) > 1_700_000_000
