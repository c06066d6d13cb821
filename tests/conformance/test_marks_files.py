"""Marks files: items 257 to 269."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.side import Side
from tests.importer.streams import blob, commit
from tests.importer.target import blob_oid

ONE = blob_oid(b"one")
BASE = blob(1, b"one") + commit(2, b"M 100644 :1 file")
UNSAFE = "--allow-unsafe-features"


@pytest.fixture
def disk(side: Side) -> Side:
    """A repository with a blob and a commit, and a file ``marks`` that names them."""
    assert side.feed(BASE, "--export-marks=marks").returncode == 0
    return side


def lines(side: Side, name: str) -> list[str]:
    return (side.path / name).read_text().splitlines()


def succeeds(side: Side, stream: bytes, *words: str) -> None:
    done = side.feed(stream, *words)
    assert (done.returncode, done.stderr) == (0, b"")


def fails(side: Side, stream: bytes, *words: str) -> None:
    before = side.refs()
    done = side.feed(stream, *words)
    assert (done.returncode, done.stderr[:7], side.refs()) == (128, b"fatal: ", before)


# --- import ---------------------------------------------------------------------------------------


def test_what_is_exported_imported_and_exported_is_the_same(disk: Side) -> None:
    succeeds(disk, b"", "--import-marks=marks", "--export-marks=again")
    assert lines(disk, "again") == lines(disk, "marks") == [
        f":1 {ONE}", f":2 {disk.git('rev-parse', 'main')}",
    ]  # fmt: skip


def test_imported_marks_work_wherever_a_mark_may_stand(disk: Side) -> None:
    changes = (b"M 644 :1 other", b"N :1 :2", b"M 160000 :2 sub", b"ls :2 file", b"cat-blob :1")
    stream = commit(5, *changes, start=b":2") + commit(6, b"merge :2", ref=b"refs/heads/m")
    stream = stream.replace(b"\nmerge :2", b"\nmerge :2\nmerge :5")
    stream += b"tag t\nfrom :2\ndata 0\nreset refs/heads/r\nfrom :2\n\nget-mark :2\n"
    stream += b"alias\nmark :9\nto :2\n\n"
    done = disk.feed(stream, "--import-marks=marks", "--export-marks=new")
    first = disk.git("rev-parse", "main^").encode()
    assert (done.returncode, done.stdout.splitlines()) == (
        0, [b"100644 blob %b\tfile" % ONE.encode(), b"%b blob 3" % ONE.encode(), b"one", first],
    )  # fmt: skip
    names = disk.git("ls-tree", "-r", "--name-only", "main").split()
    assert names == sorted([first.decode(), "file", "other", "sub"])
    assert disk.git("rev-parse", "m^1", "m^2^", "r", "t^{}").split() == [first.decode()] * 4
    assert [line.split()[0] for line in lines(disk, "new")] == [":1", ":2", ":5", ":6", ":9"]


def test_one_file_for_both_ways(disk: Side) -> None:
    for mark, word in ((5, "--import-marks"), (6, "--import-marks-if-exists")):
        succeeds(disk, blob(mark, b"x"), f"{word}=marks", "--export-marks=marks")
    assert [line.split()[0] for line in lines(disk, "marks")] == [":1", ":2", ":5", ":6"]
    fails(disk, b"", "--import-marks=none", "--export-marks=none")
    assert not (disk.path / "none").exists()
    succeeds(disk, BASE, "--import-marks-if-exists=none", "--export-marks=none")
    assert lines(disk, "none") == lines(disk, "marks")[:2]


def test_an_empty_name_is_a_file_that_does_not_exist(side: Side) -> None:
    succeeds(side, BASE, "--import-marks-if-exists=", "--export-marks=marks")
    assert len(lines(side, "marks")) == 2
    fails(side, b"", "--import-marks=")


def test_two_imports_are_one_too_many_for_a_stream_but_not_for_the_command_line(disk: Side) -> None:
    (disk.path / "more").write_text(f":2 {ONE}\n:7 {ONE}\n")
    twice = b"feature import-marks=marks\nfeature import-marks-if-exists=more\n"
    fails(disk, twice, UNSAFE)
    succeeds(disk, b"", "--import-marks=marks", "--import-marks=more", "--export-marks=all")
    assert lines(disk, "all") == [f":1 {ONE}", f":2 {ONE}", f":7 {ONE}"]


@pytest.mark.parametrize(
    ("word", "marks"), [("--import-marks=marks", 2), ("--import-marks-if-exists=none", 0)]
)
@pytest.mark.parametrize("header", [b"feature import-marks=nowhere\n", b"feature import-marks=m\n"])
def test_the_command_lines_import_replaces_the_streams(
    disk: Side, header: bytes, word: str, marks: int
) -> None:
    (disk.path / "m").write_text(f":7 {ONE}\n")
    succeeds(disk, header, UNSAFE, word, "--export-marks=new")
    assert len(lines(disk, "new")) == marks


def test_the_command_lines_export_replaces_the_streams(side: Side) -> None:
    header = b"feature export-marks=dir/marks\n"
    succeeds(side, header + BASE, UNSAFE, "--export-marks=other/marks")
    assert len(lines(side, "other/marks")) == 2
    assert not (side.path / "dir").exists()


@pytest.mark.parametrize(
    ("header", "words"), [(b"", ["--import-marks=no"]), (b"feature import-marks=no\n", [UNSAFE])]
)
def test_a_missing_file_fails_both_ways(side: Side, header: bytes, words: list[str]) -> None:
    fails(side, header + BASE, *words, "--export-marks=marks")
    assert not (side.path / "marks").exists()


BAD = {
    "no colon": f"1 {ONE}\n",
    "no mark": f": {ONE}\n",
    "mark 0": f":0 {ONE}\n",
    "two blanks": f":1  {ONE}\n",
    "a tab": f":1\t{ONE}\n",
    "no blank": f":1{ONE}\n",
    "short oid": f":1 {ONE[:-1]}\n",
    "no oid": ":1 \n",
    "no line end": f":1 {ONE}",
    "empty line": "\n",
    "comment": f"# {ONE}\n",
    "long line": f":1 {ONE}{'x' * 500}\n",
    "absent object": f":1 {'1' * 40}\n",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_line_fails_and_leaves_the_file(disk: Side, bad: str) -> None:
    file = disk.path / "m"
    file.write_text(f":3 {ONE}\n{bad}")
    before = file.read_bytes()
    fails(disk, BASE, "--import-marks=m", "--export-marks=m")
    assert (file.read_bytes(), (disk.path / "m.lock").exists()) == (before, False)


def test_what_is_tolerated_in_a_file_and_its_sorted_export(disk: Side) -> None:
    text = f":9 {ONE}\n:4 {ONE.upper()}\n:12 {ONE} more\n:5 {ONE}\r\n:004 {ONE}\n"
    (disk.path / "m").write_text(text, newline="")
    succeeds(disk, b"", "--import-marks=m", "--export-marks=new")
    assert lines(disk, "new") == [f":{mark} {ONE}" for mark in (4, 5, 9, 12)]


def test_fifteen_thousand_lines(disk: Side) -> None:
    text = "".join(f":{mark} {ONE}\n" for mark in range(1, 15001))
    (disk.path / "m").write_text(text)
    stream = commit(20000, b"M 644 :14999 f", ref=b"refs/heads/new")
    succeeds(disk, stream, "--import-marks=m", "--export-marks=n")
    assert (disk.path / "n").read_text().startswith(text)
    assert disk.git("rev-parse", "new:f") == ONE


# --- where files are and what becomes of them ----------------------------------------------------


def test_paths_start_where_the_user_is_and_relative_ones_in_the_repository(
    new_side: Callable[..., Side], tmp_path: Path
) -> None:
    side, absolute = new_side(), tmp_path / "absolute"
    side.needs_git(2, 55)  # old versions start at the top of the work tree
    below = side.path / "below/it"
    below.mkdir(parents=True)
    for path in ("marks", "../up", str(absolute)):
        assert side.feed(BASE, f"--export-marks={path}", cwd=below).returncode == 0
    words = ("--relative-marks", "--export-marks=sub/rel")
    assert side.feed(BASE, *words, cwd=below).returncode == 0
    relative = side.git_dir / "info/fast-import/sub/rel"
    for place in (below / "marks", below.parent / "up", absolute, relative):
        assert len(place.read_bytes().splitlines()) == 2


IN, OUT = "--import-marks=in", "--export-marks=out"
ON, OFF = "--relative-marks", "--no-relative-marks"


@pytest.mark.parametrize(
    ("header", "words", "places"),
    [
        ("", [ON, IN, OUT], "rr"),
        ("", [ON, IN, OFF, OUT], "ru"),
        ("", [IN, ON, OUT], "ur"),
        (f"{ON} {IN} {OUT}", [UNSAFE], "rr"),
        (f"{ON} {IN} {OFF} {OUT}", [UNSAFE], "ru"),
        (ON, [IN, OUT], "rr"),
        (ON, [OFF, IN, OUT], "uu"),
    ],
)
def test_relative_marks_hold_for_what_follows_them(
    disk: Side, header: str, words: list[str], places: str
) -> None:
    directories = {"r": disk.git_dir / "info/fast-import", "u": disk.path}
    directories["r"].mkdir(parents=True)
    (disk.path / "marks").rename(directories[places[0]] / "in")
    features = "".join(f"feature {word[2:]}\n" for word in header.split())
    succeeds(disk, features.encode(), *words)
    found = [place for place in "ru" if (directories[place] / "out").exists()]
    assert found == [places[1]]
    assert len((directories[places[1]] / "out").read_bytes().splitlines()) == 2


def test_marks_are_exported_after_a_fatal_error_and_after_a_refused_ref(disk: Side) -> None:
    assert disk.feed(blob(5, b"x") + b"bad\n", "--export-marks=m").returncode == 128
    assert lines(disk, "m") == [f":5 {blob_oid(b'x')}"]
    assert disk.feed(commit(6, message=b"unrelated"), "--export-marks=m").returncode == 1
    assert [line.split()[0] for line in lines(disk, "m")] == [":6"]


def test_a_lock_is_respected_and_told_of_at_the_end(side: Side) -> None:
    (side.path / "marks.lock").touch()
    done = side.feed(BASE, "--export-marks=marks")
    assert (done.returncode, done.stderr[:7]) == (1, b"error: ")
    assert (list(side.refs()), (side.path / "marks").exists()) == (["refs/heads/main"], False)
    assert (side.path / "marks.lock").exists()


@pytest.mark.parametrize(
    ("shared", "modes"),
    [("umask", (0o600, 0o700)), ("group", (0o660, 0o2770)), ("all", (0o664, 0o2775)),
     ("0640", (0o640, 0o2750))],
)  # fmt: skip
def test_a_shared_repository_shares_its_marks_files(
    side: Side, shared: str, modes: tuple[int, int]
) -> None:
    config = [f"core.sharedRepository={shared}"]
    umask = os.umask(0o077)
    try:
        for path in ("new/sub/marks", "marks"):
            assert side.feed(BASE, f"--export-marks={path}", config=config).returncode == 0
            assert mode_of(side.path / path) == modes[0]
    finally:
        os.umask(umask)
    assert [mode_of(side.path / name) for name in ("new", "new/sub")] == [modes[1]] * 2


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
