"""Marks files: where they are read and written, and by whom they may be asked for."""

from pathlib import Path

import pytest

from tests.importer import streams
from tests.importer.target import Target, blob_oid

FIRST = streams.blob(1, b"one") + streams.commit(2, b"M 100644 :1 file")
SECOND = streams.commit(3, b"M 100644 :1 again", start=b":2")


def test_second_import_goes_on_where_the_first_ended(target: Target, tmp_path: Path) -> None:
    marks = f"--export-marks={tmp_path}/marks"
    assert target.run(FIRST, marks).returncode == 0
    assert target.run(SECOND, marks, f"--import-marks={tmp_path}/marks").returncode == 0
    lines = (tmp_path / "marks").read_text().splitlines()
    assert [line.split()[0] for line in lines] == [":1", ":2", ":3"]
    assert lines[0] == f":1 {blob_oid(b'one')}"
    assert target.git("log", "--format=%H", "main").split() == [
        line.split()[1] for line in (lines[2], lines[1])
    ]
    assert target.fsck() == ""


def test_export_and_import_again_is_the_same_file(target: Target, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert target.run(FIRST, f"--export-marks={one}").returncode == 0
    assert target.run(b"", f"--import-marks={one}", f"--export-marks={two}").returncode == 0
    assert one.read_bytes() == two.read_bytes()


def test_relative_marks(target: Target) -> None:
    words = ("--relative-marks", "--export-marks=dir/marks")
    assert target.run(FIRST, *words).returncode == 0
    assert (target.git_dir / "info/fast-import/dir/marks").exists()
    assert target.run(SECOND, "--relative-marks", "--import-marks=dir/marks").returncode == 0


def test_relative_marks_switched_off_again(target: Target) -> None:
    words = ("--relative-marks", "--no-relative-marks", "--export-marks=marks")
    assert target.run(FIRST, *words).returncode == 0
    assert (target.path / "marks").exists()


@pytest.mark.parametrize("word", ["--import-marks-if-exists=no", "--import-marks=marks"])
def test_file_to_import_need_or_need_not_be_there(target: Target, word: str) -> None:
    (target.path / "marks").write_bytes(b"")
    assert target.run(FIRST, word).returncode == 0


def test_directory_is_no_marks_file(target: Target) -> None:
    done = target.run(FIRST, "--import-marks-if-exists=objects")
    assert done.returncode == 128
    assert b"objects" in done.stderr.splitlines()[0]


def test_marks_features(target: Target, tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"")
    stream = b"feature import-marks=%b/old\nfeature export-marks=%b/new\n" % (
        str(tmp_path).encode(), str(tmp_path).encode(),
    )  # fmt: skip
    assert target.run(stream + FIRST, "--allow-unsafe-features").returncode == 0
    assert len((tmp_path / "new").read_bytes().splitlines()) == 2


def test_command_line_replaces_the_features(target: Target, tmp_path: Path) -> None:
    stream = b"feature import-marks=nowhere\nfeature export-marks=no/where\n" + FIRST
    words = ("--allow-unsafe-features", "--import-marks-if-exists=x", "--export-marks=marks")
    assert target.run(stream, *words).returncode == 0
    assert (target.path / "marks").exists()
    assert not (target.path / "no").exists()


def test_two_imports_on_the_command_line(target: Target) -> None:
    assert target.run(FIRST, "--export-marks=one").returncode == 0
    other = streams.commit(2, ref=b"refs/heads/other", message=b"takes over mark 2")
    assert target.run(other, "--export-marks=two").returncode == 0
    words = ("--import-marks=one", "--import-marks=two", "--export-marks=all")
    assert target.run(b"", *words).returncode == 0
    lines = [(target.path / name).read_text().splitlines() for name in ("one", "two", "all")]
    assert lines[2] == [lines[0][0], lines[1][0]]


def test_marks_of_all_kinds_and_orders(target: Target) -> None:
    largest = 2**64 - 1
    stream = streams.blob(largest, b"a") + streams.blob(5, b"b") + streams.blob(5, b"c")
    stream += streams.commit(7, b"M 100644 :%d a" % largest, b"M 100644 :5 c")
    stream += b"tag t\nmark :6\nfrom :7\ndata 0\nalias\nmark :8\nto :7\n\n"
    assert target.run(stream, "--export-marks=marks").returncode == 0
    marks = dict(line.split() for line in (target.path / "marks").read_text().splitlines())
    assert list(marks) == [":5", ":6", ":7", ":8", f":{largest}"]
    assert (marks[":5"], marks[":7"]) == (blob_oid(b"c"), marks[":8"])
    assert target.git("cat-file", "-t", marks[":6"]) == "tag"


def test_mark_of_a_blob_taken_over_by_a_commit(target: Target) -> None:
    stream = streams.blob(1, b"a") + streams.commit(1, b"M 100644 :1 file")
    stream += streams.commit(2, b"D file", start=b":1")
    assert target.run(stream, "--export-marks=marks").returncode == 0
    marks = dict(line.split() for line in (target.path / "marks").read_text().splitlines())
    assert target.git("rev-parse", "main^") == marks[":1"]


def test_mark_of_a_commit_taken_over_by_a_blob(target: Target) -> None:
    stream = FIRST + streams.blob(2, b"no commit") + SECOND
    done = target.run(stream)
    assert done.returncode == 128
    assert done.stderr.startswith(
        b"fatal: mark :2 is not a commit but a blob (byte 172, command 4)"
    )
    assert b"Traceback" not in done.stderr


def test_locked_marks_file(target: Target) -> None:
    (target.path / "marks.lock").touch()
    done = target.run(FIRST, "--export-marks=marks")
    assert (done.returncode, done.stderr.startswith(b"error: ")) == (1, True)
    assert list(target.refs()) == ["refs/heads/main"]
