"""``fastio check`` from its command line."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import lz4.frame
import pytest

from tests.check.planted import WHO

ROOT = Path(__file__).resolve().parents[2]
GOOD = b"blob\nmark :1\ndata 3\nabc\n"
BAD = (
    b"blob\nmark :1\ndata 3\nabc\ncommit refs/heads/a\nmark :2\nauthor A\t<a> 1 +0000\n"
    b"committer " + WHO + b"\ndata 2\nhi\nM 644 :9 x\n\n"
)
PLACE = BAD.index(b"author")


def check(*words: str, stdin: bytes = b"", cwd: Path | None = None) -> tuple[int, str, str]:
    """Run ``fastio check``; return exit status, stdout and stderr."""
    command = [sys.executable, "-m", "fastio", "check", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=environment)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_nothing_wrong() -> None:
    status, out, err = check(stdin=GOOD)
    assert (status, err) == (0, "")
    assert out.startswith("-: nothing would stop an import: 0 errors, 0 warnings, 0 notes\n")
    assert "24 bytes, 1 blob, 0 commits, 0 tags, 0 refs, 1 mark\n" in out


def test_what_is_wrong_is_told_with_place_line_and_cure() -> None:
    status, out, _ = check("-", stdin=BAD)
    assert status == 1
    assert "error: malformed idents [ident]: 1\n" in out
    assert f"  byte {PLACE}, command 2, commit :2 on refs/heads/a\n" in out
    assert "    author A\\t<a> 1 +0000\n" in out
    assert "  cure: an ident is " in out
    assert "    mark :9 is not declared\n    M 644 :9 x\n" in out


def test_warnings_alone_are_no_failure() -> None:
    assert check(stdin=GOOD + GOOD)[0] == 0


def test_several_streams_and_an_lz4_frame(tmp_path: Path) -> None:
    (tmp_path / "a.fe").write_bytes(GOOD)
    (tmp_path / "b.lz4").write_bytes(lz4.frame.compress(BAD))
    status, out, _ = check("a.fe", "b.lz4", cwd=tmp_path)
    assert status == 1
    assert out.index("a.fe: nothing") < out.index("b.lz4: an import would fail: 2 errors")


def test_json(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(BAD)
    status, out, _ = check("--json", "--max-places=1", "x", cwd=tmp_path)
    report: dict[str, Any] = json.loads(out)
    (stream,) = report["streams"]
    assert (status, report["version"]) == (1, 1)
    assert stream["name"] == "x"
    assert stream["complete"] is True
    assert [stream[name] for name in ("bytes", "commands", "commits")] == [len(BAD), 2, 1]
    assert [stream[name] for name in ("errors", "warnings", "notes")] == [2, 0, 0]
    assert [one["kind"] for one in stream["findings"]] == ["ident", "undeclared-mark"]
    ident = stream["findings"][0]
    assert ident["severity"] == "error"
    assert ident["places"][0] | {"cure": "", "reason": ""} == {
        "byte": PLACE,
        "command": 2,
        "commit": ":2",
        "branch": "refs/heads/a",
        "line": "author A\\t<a> 1 +0000",
        "reason": "",
        "cure": "",
    }


def test_no_more_places_than_asked_for() -> None:
    changes = b"".join(b"M 644 :9 %d\n" % number for number in range(10))
    stream = BAD.replace(b"M 644 :9 x\n", changes)
    _, out, _ = check("--max-places=2", stdin=stream)
    assert "[undeclared-mark]: 10\n" in out
    assert out.count("mark :9 is not declared") == 2
    assert "  and 8 more\n" in out


def test_what_the_import_will_be_told(tmp_path: Path) -> None:
    (tmp_path / "marks").write_bytes(b":9 %b\n" % (b"1" * 40))
    stream = BAD.replace(b"A\t<a> 1 +0000", b"A <a> 5 Mar 2011 17:04:05 GMT").replace(
        b"<ab> 1234567890 +0200", b"<ab> @5 +0000"
    )
    words = ("--date-format=rfc2822", "--import-marks=marks")
    assert check(*words, stdin=stream, cwd=tmp_path)[0] == 0
    assert check(*words, "--done", stdin=stream, cwd=tmp_path)[0] == 1
    unsafe = b"feature import-marks=marks\n" + stream
    assert check(words[0], stdin=unsafe, cwd=tmp_path)[0] == 1
    assert check(words[0], "--allow-unsafe-features", stdin=unsafe, cwd=tmp_path)[0] == 0


def test_marks_that_cannot_be_read(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    assert check(f"--import-marks-if-exists={missing}", stdin=GOOD)[0] == 0
    status, out, _ = check(f"--import-marks={missing}", stdin=GOOD)
    assert status == 1
    assert "[marks-file]: 1\n" in out


@pytest.mark.parametrize(
    "word",
    ["--nonsense", "--max-places=x", "--max-places=" + 5000 * "9", "--date-format=x", "--json=1"],
)
def test_mistakes_on_the_command_line(word: str) -> None:
    status, out, err = check(word)
    assert (status, out) == (129, "")
    assert "usage: fastio check" in err


def test_help() -> None:
    status, out, _ = check("--help")
    assert status == 0
    assert out.startswith("usage: fastio check")


def test_streams_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(BAD)
    (tmp_path / "cut.lz4").write_bytes(lz4.frame.compress(BAD)[:-9])
    status, out, err = check("missing", "bad", cwd=tmp_path)
    assert status == 128
    assert err == "fatal: missing: cannot open: No such file or directory\n"
    assert "bad: an import would fail" in out
    status, out, err = check("cut.lz4", cwd=tmp_path)
    assert status == 128
    assert "cut.lz4: it could not be read to its end" in out
    assert "lz4 frame" in err


def test_names_do_not_command_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "\x1b[31m").write_bytes(GOOD)
    status, out, err = check("\x1b[31m", "\x9b\x1b", cwd=tmp_path)
    assert status == 128
    assert out.startswith("\\x1b[31m: nothing")
    assert err.startswith("fatal: \\x9b\\x1b: cannot open")
    assert "\x1b" not in out + err


@pytest.mark.parametrize("word", ["--json", "--no-progress"])
def test_a_report_that_cannot_be_written(word: str) -> None:
    command = [sys.executable, "-m", "fastio", "check", word]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, input=GOOD, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 128
    assert done.stderr == b"fatal: write failure on standard output: No space left on device\n"


def test_long_names_do_not_swell_the_report() -> None:
    name = b"refs/heads/" + 300_000 * b"a"
    for stream in (b"commit " + name + b"\n", b"reset " + name + b"..\n", b"reset a\nfrom " + name):
        status, out, _ = check("--json", stdin=stream + b"\n")
        assert json.loads(out)["streams"][0]["findings"]
        assert len(out) < 10_000
    assert status == 0  # a name that only a repository knows


def test_who_gives_no_stream_is_told_that_one_is_waited_for() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "fastio", "check", "--no-progress"],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert b"from the terminal; Ctrl-D" in process.stderr.readline()
        os.write(ours, b"\x04")
        assert process.wait() == 0
    os.close(ours)
    os.close(theirs)


def test_a_reader_that_has_had_enough_ends_it() -> None:
    command = [sys.executable, "-m", "fastio", "check", "--max-places=100000"]
    stream = b"commit x\n" * 3_000
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(stream)
        process.stdin.close()
        assert process.wait() < 0
