"""Every class of bad input: status, crash report, and what is left of refs, objects and marks."""

import re
from pathlib import Path

import pytest

from tests.importer import streams
from tests.importer.target import Target, blob_oid

GOOD = (
    streams.commit(1, streams.inline(b"file", b"kept"))
    + b"checkpoint\n"
    + streams.blob(2, b"a blob before the error")
    + streams.commit(3, b"M 100644 :2 other", start=b":1")
)
KEPT = [blob_oid(b"kept"), blob_oid(b"a blob before the error")]
HEAD = b"commit refs/heads/main\nmark :9\ncommitter %b\ndata 0\n" % streams.WHO
MISSING = b"1234567890" * 4

BAD = {
    "unknown command": b"frobnicate\n",
    "blank line": b"\n\n",
    "author behind committer": HEAD.replace(b"data", b"author A <a> 0 +0000\ndata"),
    "second from": HEAD + b"from :1\nfrom :1\n",
    "blob without data": b"blob\nmark :4\n",
    "commit without committer": b"commit refs/heads/x\n",
    "tag without from": b"tag x\n",
    "alias without to": b"alias\nmark :5\n",
    "end in counted data": b"blob\ndata 10\nabc",
    "end in delimited data": b"blob\ndata <<END\nabc\n",
    "ident without email": HEAD.replace(b"<c@example.com>", b"nobody"),
    "bad date": HEAD.replace(b"+0000", b"+9999"),
    "bad mode": HEAD + b"M 100666 :2 x\n",
    "bad dataref": HEAD + b"M 100644 nothing x\n",
    "garbage behind a mark": HEAD + b"from :1x\n",
    "no space behind a mark": HEAD + b"M 100644 :2x file\n",
    "undeclared mark": HEAD + b"M 100644 :77 x\n",
    "undeclared parent": HEAD + b"from :77\n",
    "commit as a file": HEAD + b"M 100644 :1 x\n",
    "blob as a directory": HEAD + b"M 040000 :2 x\n",
    "missing object": HEAD + b"M 100644 %b x\n" % MISSING,
    "unterminated quote": HEAD + b'M 100644 :2 "x\n',
    "NUL in a path": HEAD + b'M 100644 :2 "x\\000"\n',
    "forbidden path": HEAD + b"M 100644 :2 a/.git/config\n",
    "empty component": HEAD + b"M 100644 :2 a//b\n",
    "absent source of a copy": HEAD + b"C nowhere x\n",
    "absent source of a rename": HEAD + b"R nowhere x\n",
    "file as the root": HEAD + b'M 100644 :2 ""\n',
    "branch from itself": HEAD + b"from refs/heads/main\n",
    "no such commit": HEAD + b"from nowhere\n",
    "merge of a blob": HEAD + b"merge :2\n",
    "bad branch name": b"reset refs/heads/a..b\n",
    "note on an unborn branch": b"reset refs/heads/x\n" + HEAD + b"N :2 refs/heads/x\n",
    "tag of an unborn branch": b"reset refs/heads/x\ntag t\nfrom refs/heads/x\ndata 0\n",
    "late feature": b"feature done\n",
    "late option": b"option git quiet\n",
    "cat-blob of a commit": b"cat-blob :1\n",
    "ls of a blob": b"ls :2 x\n",
    "ls of nothing": b"ls %b x\n" % MISSING,
    "ls outside a commit": b'ls "x"\n',
    "get-mark of no mark": b"get-mark 1\n",
    "alias of nothing": b"alias\nmark :5\nto :77\n",
    "data without a count": b"blob\nfrom :1\n",
}


@pytest.mark.parametrize("name", BAD)
def test_fatal_error(
    target: Target, capfd: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    marks = tmp_path / "marks"
    status, _ = target.here(GOOD + BAD[name], f"--export-marks={marks}")
    fatal, where, *more, notice = capfd.readouterr().err.splitlines()
    assert status == 128
    assert re.match(r"  where: .*\bcommit (:[0-9]+ )?on refs/heads/", where)
    assert [line[:9] for line in more] == ["  line:  ", "  hint:  "][: len(more)] or len(more) == 1
    place = re.search(r"\(byte ([0-9]+), command ([0-9]+)\)$", fatal)
    assert fatal.startswith("fatal: ")
    assert place is not None
    assert len(GOOD) <= int(place[1]) <= len(GOOD + BAD[name])
    assert int(place[2]) >= 5
    assert notice.startswith("fast-import: dumping crash report to ")
    check_report(target, fatal, notice.split()[-1], BAD[name])
    check_what_is_left(target, marks)


def check_report(target: Target, fatal: str, path: str, bad: bytes) -> None:
    report = Path(path).read_text(errors="surrogateescape")
    titles = re.findall(r"^(.+)\n-{5,}$", report, re.MULTILINE)
    expected = ["Most Recent Commands Before Crash", "Active Branch LRU", "Inactive Branches"]
    assert [title for title in titles if title != "Annotated Tags"] == [*expected, "Marks"]
    assert report.startswith("fast-import crash report:\n")
    assert f"\n{fatal}\n" in report
    assert len(re.findall(r"^\* ", report, re.MULTILINE)) == 1
    assert not re.search("^abc", report, re.MULTILINE)
    assert report.endswith("-\nEND OF CRASH REPORT\n")


def check_what_is_left(target: Target, marks: Path) -> None:
    [first, second, third, *more] = marks.read_text().splitlines()
    assert first.startswith(":1 ")
    assert second == f":2 {KEPT[1]}"
    assert third.startswith(":3 ")
    assert target.refs() == {"refs/heads/main": first.split()[1]}
    assert all(target.has(oid) for oid in KEPT)
    assert all(target.has(line.split()[1]) for line in [third, *more])
    assert (target.files(), target.fsck()) == ([], "")


def test_required_done_is_missing(
    target: Target, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    status, _ = target.here(b"feature done\n" + GOOD, f"--export-marks={marks}")
    assert status == 128
    assert "done" in capfd.readouterr().err
    check_what_is_left(target, marks)


HARMLESS = {
    "end behind a commit": HEAD,
    "end behind a tag": b"tag t\nfrom :1\ndata 0\n",
    "end behind a reset": b"reset refs/heads/main",
    "end behind a comment": b"# nothing",
    "D of a missing path": HEAD + b"D nowhere\n",
    "N without a note": HEAD + b"N %b :1\n" % (b"0" * 40),
    "cat-blob of nothing": b"cat-blob %b\n" % MISSING,
    "ls of a missing path": b"ls :1 nowhere\n",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_error(target: Target, capfd: pytest.CaptureFixture[str], name: str) -> None:
    status, _ = target.here(GOOD + HARMLESS[name])
    assert (status, capfd.readouterr().err) == (0, "")
    assert not list(target.git_dir.glob("fast_import_crash_*"))


FIRST = b"reset refs/heads/x\n"
WORDS = {
    "unknown option": ("--frobnicate", 128, True),
    "option with a bad value": ("--depth=many", 128, True),
    "depth too large": ("--depth=8192", 128, True),
    "separate value": ("--depth", 128, True),
    "bad date format": ("--date-format=RAW", 128, True),
    "missing marks": ("--import-marks=nowhere", 128, True),
    "bad reply descriptor": ("--cat-blob-fd=-1", 128, True),
    "bad signature mode": ("--signed-tags=maybe", 129, False),
    "bad number of workers": ("--workers=many", 129, False),
}


@pytest.mark.parametrize("name", WORDS)
def test_bad_command_line(target: Target, name: str) -> None:
    word, status, has_report = WORDS[name]
    done = target.run(FIRST, word)
    assert done.returncode == status
    assert done.stderr.startswith((b"fatal: ", b"usage: "))
    assert b"Traceback" not in done.stderr
    assert bool(list(target.git_dir.glob("fast_import_crash_*"))) == has_report
    assert (target.files(), target.packs()) == ([], [])


@pytest.mark.parametrize(
    "setting",
    ["pack.indexversion=3", "fastimport.unpacklimit=x", "core.protectntfs=x", "pack.depth=x",
     "core.bigfilethreshold=x", "pack.compression=10"],
)  # fmt: skip
def test_bad_configuration(target: Target, setting: str) -> None:
    done = target.fastio("-c", setting, "import", stream=FIRST)
    assert done.returncode == 128
    assert done.stderr.startswith(b"fatal: ")
    assert setting.split(".")[1].split("=")[0].encode() in done.stderr.lower()
    assert not list(target.git_dir.glob("fast_import_crash_*"))
    assert target.files() == []


def test_unsafe_features_need_permission(target: Target, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    stream = b"feature export-marks=%b\n" % str(marks).encode() + GOOD
    done = target.run(stream)
    assert done.returncode == 128
    assert b"feature 'export-marks' forbidden" in done.stderr
    assert (target.refs(), marks.exists()) == ({}, False)
    assert target.run(stream, "--allow-unsafe-features").returncode == 0
    assert marks.exists()


@pytest.mark.parametrize(
    "line", [b"x", b":0 %b", b":1  %b", b"1 %b", b":1 %b0", b":1 abc", b"", b":1 " + MISSING]
)
def test_bad_marks_file_is_left_alone(target: Target, tmp_path: Path, line: bytes) -> None:
    marks = tmp_path / "marks"
    oid = target.git("hash-object", "-w", "--stdin", text=b"x").encode()
    marks.write_bytes((line % oid if b"%b" in line else line) + b"\n")
    before = marks.read_bytes()
    done = target.run(FIRST, f"--import-marks={marks}", f"--export-marks={marks}")
    if line == b":1 %b0":  # bytes behind an oid are passed over
        assert done.returncode == 0
        return
    assert (done.returncode, marks.read_bytes()) == (128, before)
    assert b"Traceback" not in done.stderr


def test_last_hundred_commands_are_in_the_report(target: Target) -> None:
    stream = b"".join(streams.blob(mark, b"body") for mark in range(1, 90)) + b"# a remark\nbad\n"
    assert target.run(stream).returncode == 128
    report = target.crash_report()
    commands = target.last_commands()
    assert commands[-2:] == ["  # a remark", "* bad"]
    assert len(commands) == 100
    assert ":89 " + blob_oid(b"body") in report


@pytest.mark.parametrize("second", [b"bad\n", b"blob\ndata 100\nabc", b""])
def test_first_error_counts(
    target: Target, capfd: pytest.CaptureFixture[str], tmp_path: Path, second: bytes
) -> None:
    marks = tmp_path / "marks"
    more = streams.blob(20, b"behind the error") + streams.commit(21, b"M 100644 :20 x")
    stream = GOOD + HEAD + b"C nowhere x\nD file\n\n" + more + second
    status, _ = target.here(stream, f"--export-marks={marks}")
    assert status == 128
    assert "nowhere" in capfd.readouterr().err.splitlines()[0]
    check_what_is_left(target, marks)
    assert ":9 " not in marks.read_text()
    assert ":2" not in marks.read_text().replace(":2 ", "")
    assert not target.has(blob_oid(b"behind the error"))
