"""What a fatal error tells: the place, the line, the hint, and what the crash report ends with."""

import os
from pathlib import Path

import pytest

from fastio.cli.import_ import USAGE
from fastio.importer.hints import OPTIONS
from tests.importer import streams
from tests.importer.target import Target
from tests.importer.test_full_disk import limit

FIRST = streams.commit(1, streams.inline(b"file", b"kept"))
BEHIND = b"".join(streams.commit(mark, b"D file", start=b":1") for mark in range(50, 200))
HEAD = b"commit refs/heads/topic\nmark :9\ncommitter %b\ndata 0\n" % streams.WHO


def told(target: Target, stream: bytes, *words: str) -> list[str]:
    """The lines that a fatal error writes, up to the notice of the crash report."""
    done = target.run(stream, *words)
    assert done.returncode == 128
    lines = done.stderr.decode().splitlines()
    assert lines[-1].startswith("fastio: import failed: ")
    assert lines[-2].startswith("fast-import: dumping crash report to ")
    return lines[:-2]


LATER_LINES = {
    "change": (HEAD + b"D file\nC nowhere x\nD x\n", b"C nowhere x", len(HEAD) + 7),
    "inline": (HEAD + streams.inline(b"a//b", b"data") + b"\n", b"M 100644 inline a//b", len(HEAD)),
    "parent": (HEAD + b"from :77\nmerge :1\nD x\n", b"from :77", 0),
    "second parent": (HEAD + b"from :1\nmerge :1\nmerge nowhere\nmerge :78\n", b"merge nowhere", 0),
    "note": (HEAD + b"N inline :77\ndata 2\nhi\n", b"N inline :77", len(HEAD)),
}


@pytest.mark.parametrize("name", LATER_LINES)
def test_error_of_an_operation_is_told_with_its_own_commit_and_line(
    target: Target, name: str
) -> None:
    stream, line, offset = LATER_LINES[name]
    fatal, where, shown, *_ = told(target, FIRST + stream + b"\n" + BEHIND)
    assert fatal.endswith(f" (byte {len(FIRST) + offset}, command 2)")
    assert where == "  where: commit :9 on refs/heads/topic"
    assert shown == "  line:  " + line.decode()
    assert target.last_commands()[-1] == "* " + line.decode()


@pytest.mark.parametrize(
    ("stream", "where"),
    [
        (b"frob\n", "before the first commit"),
        (FIRST + b"blob\nmark :7\ndata 9\nabc", "blob :7, after commit :1 on refs/heads/main"),
        (FIRST + b"blob\ndata 9\nabc", "after commit :1 on refs/heads/main"),
        (FIRST + b"tag v\nfrom :8\ndata 0\n" + BEHIND, "tag v, after commit :1 on refs/heads/main"),
        (FIRST + b"reset x\nfrom :8\n\n" + BEHIND, "reset x, after commit :1 on refs/heads/main"),
        (FIRST + HEAD[:-7], "commit :9 on refs/heads/topic"),
        (HEAD.replace(b"mark :9\n", b"original-oid abc\n") + b"M 9\n",
         "commit (original-oid abc) on refs/heads/topic"),
        (streams.commit(0, message=b"Subject\n\nmore")[:-1] + b"M 9\n",
         "commit 'Subject' on refs/heads/main"),
    ],
)  # fmt: skip
def test_where(target: Target, stream: bytes, where: str) -> None:
    assert told(target, stream)[1] == "  where: " + where


def test_hundred_lines_up_to_the_one_to_blame_however_many_were_read(target: Target) -> None:
    before = b"".join(streams.commit(mark, b"D x") for mark in range(1, 90))
    told(target, before + HEAD + b"R nowhere x\n\n" + BEHIND)
    commands = target.last_commands()
    assert len(commands) == 100
    assert commands[-6:] == [
        "  ", "  commit refs/heads/topic", "  mark :9", f"  committer {streams.WHO.decode()}",
        "  data 0", "* R nowhere x",
    ]  # fmt: skip


@pytest.mark.parametrize("line", [b"# a remark\n", streams.commit(1)])
def test_lines_are_let_go(target: Target, capfd: pytest.CaptureFixture[str], line: bytes) -> None:
    status, importer = target.here(line * ((5 << 18) // len(line)))
    assert (status, capfd.readouterr().err) == (0, "")
    assert len(importer.parser._reader.recent) <= 102


LINES_AND_HINTS = {
    "carriage return": (FIRST + b"blob\r\ndata 3\r\nabc", "blob\\r", "write LF alone"),
    "characters counted": (FIRST + "blob\ndata 3\näöü\n".encode(), "\\xb6ü", "count bytes"),
    "loose date": (HEAD.replace(b"1234567890 +0000", b"Mon Jan 5 12:00:00 2026"),
                   "committer C O Mitter <c@example.com> Mon Jan 5 12:00:00 2026",
                   "--date-format=rfc2822"),
    "number without a colon": (FIRST + HEAD + b"M 100644 2 x\n", "M 100644 2 x", "':2'"),
    "leading slash": (FIRST + HEAD + b"from :1\nM 100644 inline /a\ndata 0\n",
                      "M 100644 inline /a", "leading slash"),
    "mark of an earlier run": (FIRST.replace(b"mark :1", b"mark :70") + HEAD + b"from :69\n",
                               "from :69", "--import-marks"),
    "branch from itself": (FIRST + HEAD + b"from refs/heads/topic\n",
                           "from refs/heads/topic", "'from refs/heads/topic^0'"),
    "missing tree": (HEAD + b"M 040000 %b dir\n" % (b"12" * 20),
                     "M 040000 %s dir" % ("12" * 20), "has no such object"),
    "escape": (b"tag \x1b[1m\nfrom :1\x07\n", "from :1\\x07", ""),
    "unsafe feature": (b"feature export-marks=x\n", "feature export-marks=x",
                       "--allow-unsafe-features"),
    "odd name": (b"reset main\nfrom nowhere\n", "from nowhere", "a commit that exists"),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES_AND_HINTS)
def test_line_and_hint(target: Target, name: str) -> None:
    stream, line, hint = LINES_AND_HINTS[name]
    fatal, _, shown, *hints = told(target, stream)
    assert fatal.isprintable()
    assert shown == "  line:  " + line
    assert [hint in text for text in hints] == [True] * len(hints)
    assert not hint or hints[0].startswith("  hint:  ")


def test_long_path_is_clipped_around_what_is_refused(target: Target) -> None:
    path = b"dir/" * 500 + b".git/config" + b"/dir" * 500
    fatal, _, line, _ = told(target, HEAD + b"M 100644 inline " + path + b"\ndata 0\n")
    assert fatal.endswith(f" (byte {len(HEAD)}, command 1)")
    assert len(fatal) < 1100
    assert "dir/dir/.git/config/dir" in line
    assert len(line) < 150


def test_partial_clone_is_told_apart(target: Target) -> None:
    target.git("config", "extensions.partialClone", "origin")
    target.git("config", "core.repositoryFormatVersion", "1")
    hint = told(target, HEAD + b"M 100644 %b x\n" % (b"12" * 20))[-1]
    assert "partial clone" in hint


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("--exprt-marks=x", "is --export-marks meant?"),
        ("--depth", "--depth=<value>"),
        ("--xyzzy", "'fastio import --help' lists the options"),
        ("--import-marks=nowhere", "--import-marks-if-exists=<file>"),
        ("--date-format=iso", ""),
    ],
)
def test_bad_option_is_told_without_a_place_in_the_stream(
    target: Target, word: str, hint: str
) -> None:
    fatal, where, *hints = told(target, FIRST, word)
    assert "byte" not in fatal
    assert where == "  where: before the first command"
    assert [hint in text for text in hints] == [True] * bool(hint)


def test_options_are_those_of_the_help() -> None:
    words = USAGE.replace("--[no-]relative-marks", "--relative-marks --no-relative-marks").split()
    assert {word.partition("=")[0] for word in words if word.startswith("--")} == set(OPTIONS)


def test_source_that_breaks_off_is_told_with_what_was_read(target: Target, tmp_path: Path) -> None:
    (tmp_path / "dump").write_bytes(b"\x04\x22\x4d\x18")
    done = target.fastio("import", str(tmp_path / "dump"))
    assert done.stderr.startswith(b"fatal: lz4 frame ends early")
    assert b" (byte 0, command 0)\n  where: before the first commit\n" in done.stderr


def test_disk_that_is_full_is_told_with_where_the_import_stood(target: Target) -> None:
    large = b"".join(streams.blob(10 + at, os.urandom(1 << 17)) for at in range(20))

    with target.running("--workers=0", preexec_fn=limit) as process:
        _, errors = process.communicate(FIRST + large + HEAD)
    fatal, where, hint, *_ = errors.decode().splitlines()
    assert fatal.startswith("fatal: cannot write ")
    assert where.startswith("  where: near byte ")
    assert where.endswith(", command 22: commit :9 on refs/heads/topic")
    assert "ulimit -f" in hint
