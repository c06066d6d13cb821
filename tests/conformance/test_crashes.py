"""Crash reports, what fatal errors leave, and exit codes: items 293 to 300."""

import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.side import Side
from tests.importer.streams import blob, commit, inline
from tests.importer.target import blob_oid

BASE = blob(1, b"a body") + commit(2, b"M 100644 :1 file")
TAG = b"tag t\nmark :3\nfrom :2\ndata 0\n"


def reports(side: Side) -> list[Path]:
    return list(side.git_dir.glob("fast_import_crash_*"))


def titles(report: str) -> list[str]:
    """What has a line of dashes below it."""
    return re.findall(r"^(\S.*)\n-{4,}$", report, re.MULTILINE)


def section(report: str, title: str) -> list[str]:
    """The lines below a title, up to the first empty one."""
    return report.split(f"\n{title}\n{'-' * len(title)}\n")[1].split("\n\n")[0].splitlines()


@pytest.mark.parametrize("bare", [["--bare"], []])
def test_the_report_is_announced_and_has_gits_sections_in_order(
    new_side: Callable[..., Side], bare: list[str]
) -> None:
    side = new_side(*bare)
    done = side.feed(BASE + TAG + b"bad\n")
    [path] = reports(side)
    lines = done.stderr.decode().splitlines()
    [announced] = [
        line for line in lines if line.startswith("fast-import: dumping crash report to ")
    ]
    report = path.read_text()
    assert (side.path / announced.split()[-1]).samefile(path)
    assert re.match(
        r"fast-import crash report:\n"
        r"    fast-import process: (?P<pid>\d+)\n    parent process     : \d+\n"
        r"    at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000\n\nfatal: ", report
    )["pid"] == path.name.removeprefix("fast_import_crash_")  # fmt: skip
    assert lines[0] in report.splitlines()
    assert titles(report) == [
        "Most Recent Commands Before Crash", "Active Branch LRU", "Inactive Branches",
        "Annotated Tags", "Marks",
    ]  # fmt: skip
    assert report.endswith("\n-------------------\nEND OF CRASH REPORT\n")


def test_branches_and_tags_are_in_the_report(side: Side) -> None:
    assert side.feed(BASE + TAG + b"bad\n", "--export-marks=marks").returncode == 128
    report = side.crash_report()
    oids = dict(line.split() for line in (side.path / "marks").read_text().splitlines())
    [tag] = section(report, "Annotated Tags")
    name, *branch = map(str.strip, section(report, "Inactive Branches"))
    assert (name, tag.split()) == ("refs/heads/main:", [oids[":3"], "t"])
    assert f"tip commit  : {oids[':2']}" in branch
    assert f"cur tree    : {side.git('rev-parse', oids[':2'] + '^{tree}')}" in branch


def test_no_section_for_tags_if_there_are_none(side: Side) -> None:
    assert side.feed(BASE + b"bad\n").returncode == 128
    assert "Annotated Tags" not in side.crash_report()


def test_the_last_hundred_commands_without_data_but_with_comments(side: Side) -> None:
    stream = b"".join(blob(mark, b"mark of a body") for mark in range(1, 60))
    stream += b"blob\ndata <<END\nsome text\nEND\n# a comment\nbad\n"
    assert side.feed(stream).returncode == 128
    lines = section(side.crash_report(), "Most Recent Commands Before Crash")
    assert lines[-5:] == ["  data 14", "  blob", "  data <<END", "  # a comment", "* bad"]
    assert (len(lines), sorted({line[0] for line in lines})) == (100, [" ", "*"])
    assert {line[2:6] for line in lines[:-5]} == {"blob", "mark", "data"}
    assert not any("text" in line or "body" in line for line in lines)


def test_marks_are_listed_unless_they_are_exported(side: Side) -> None:
    assert side.feed(BASE + b"bad\n").returncode == 128
    listed = section(side.crash_report(), "Marks")
    assert [line.split()[0] for line in listed] == [":1", ":2"]
    assert listed[0] == f":1 {blob_oid(b'a body')}"
    reports(side)[0].unlink()
    assert side.feed(BASE + b"bad\n", "--export-marks=marks").returncode == 128
    [line] = section(side.crash_report(), "Marks")
    assert re.fullmatch(r"  exported to (\S*/)?marks", line)


@pytest.mark.parametrize(("limit", "packs"), [("0", 2), ("100", 0)])
def test_objects_stay_and_refs_are_those_of_the_last_checkpoint(
    side: Side, limit: str, packs: int
) -> None:
    more = commit(5, inline(b"other", b"more")) + commit(6, ref=b"refs/heads/late")
    stream = BASE + b"checkpoint\n" + more + TAG + blob(7, b"last") + b"bad\n"
    words = ("--export-marks=marks",)
    done = side.feed(stream, *words, config=[f"fastimport.unpackLimit={limit}"])
    assert (done.returncode, list(side.refs())) == (128, ["refs/heads/main"])
    assert side.git("rev-list", "--count", "main") == "1"
    oids = dict(line.split() for line in (side.path / "marks").read_text().splitlines())
    assert list(oids) == [":1", ":2", ":3", ":5", ":6", ":7"]
    assert all(side.has(oid) for oid in oids.values())
    assert (len(side.packs()), side.files()) == (packs, [])


@pytest.mark.parametrize(
    ("words", "config", "status"),
    [(["a", "b"], [], 129), ([], ["pack.indexVersion=3"], 128), ([], ["pack.depth=x"], 128),
     ([], ["fastimport.unpackLimit=x"], 128), ([], ["core.compression=x"], 128)],
)  # fmt: skip
def test_usage_and_configuration_errors_leave_no_report(
    side: Side, words: list[str], config: list[str], status: int
) -> None:
    done = side.feed(BASE, *words, config=config)
    assert (done.returncode, done.stdout, side.refs(), reports(side)) == (status, b"", {}, [])


@pytest.mark.parametrize("word", ["--no-such-option", "--depth=x", "--import-marks=nowhere"])
def test_bad_options_are_found_behind_the_header_and_leave_a_report(side: Side, word: str) -> None:
    done = side.feed(b"feature done\nprogress x\n", word)
    assert (done.returncode, done.stdout, len(reports(side))) == (128, b"", 1)
    [path] = reports(side)
    path.unlink()
    done = side.feed(b"feature no-such-feature\nprogress x\n", word)
    assert (done.returncode, done.stdout, len(reports(side))) == (128, b"", 1)
    assert b"no-such-feature" in done.stderr.splitlines()[0]
    assert b"no-such-option" not in done.stderr


def test_statistics_unless_it_was_fatal(side: Side) -> None:
    for stream, status in ((BASE, 0), (commit(1, message=b"unrelated"), 1), (b"bad\n", 128)):
        done = side.feed(stream, quiet=False)
        assert (done.returncode, b"statistics:" in done.stderr) == (status, status < 2)


def test_exit_codes(side: Side) -> None:
    assert side.feed(BASE).returncode == 0
    assert side.feed(commit(1, message=b"unrelated")).returncode == 1
    (side.path / "marks.lock").touch()
    assert side.feed(b"", "--export-marks=marks").returncode == 1
    assert side.feed(b"bad\n").returncode == 128
    assert side.feed(b"", "two", "words").returncode == 129
    with side.running() as process:
        process.stdin.write(b"progress x\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"progress x\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM
