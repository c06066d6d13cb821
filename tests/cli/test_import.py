"""The command ``fastio import``: its words, its input, and what it tells."""

import os
import pty
import re
import shlex
import signal
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import pytest

from fastio.cli import import_
from fastio.importer.encoder import Encoder
from fastio.importer.importer import Importer
from tests.conformance.side import in_child
from tests.importer import streams
from tests.importer.target import COMMAND, Target, environment

STREAM = streams.commit(1, streams.inline(b"file", b"content"))
HISTORY = streams.history(files=40, size=50_000, commits=30)


@pytest.mark.parametrize("pack", [bytes, lz4.frame.compress])
@pytest.mark.parametrize("words", [[], ["-"], ["dump"], ["--", "dump"]])
def test_stream_comes_from_stdin_or_a_file(
    target: Target, pack: Callable[[bytes], bytes], words: list[str]
) -> None:
    (target.path / "dump").write_bytes(pack(STREAM))
    stdin = b"" if "dump" in words else pack(STREAM)
    done = target.fastio("import", "--quiet", *words, stream=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert target.git("show", "main:file") == "content"


def test_cut_lz4_file(target: Target) -> None:
    packed = lz4.frame.compress(HISTORY)
    (target.path / "dump").write_bytes(packed[: len(packed) // 2])
    done = target.fastio("import", "dump")
    assert done.returncode == 128
    assert done.stderr.startswith(b"fatal: lz4 frame ends early, at byte ")
    assert (target.refs(), target.fsck()) == ({}, "")


def test_two_lz4_frames_in_a_pipe(target: Target) -> None:
    half = len(HISTORY) // 2
    packed = lz4.frame.compress(HISTORY[:half]) + lz4.frame.compress(HISTORY[half:])
    assert target.run(packed).returncode == 0
    assert target.git("rev-list", "--count", "main") == "30"


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["import", "nowhere"], 128, b"fatal: cannot open 'nowhere': No such file"),
        (["import", "objects"], 128, b"fatal: cannot read the stream: Is a directory"),
        (["import", "a", "b"], 129, b"fatal: more than one stream file: a b"),
        (["import", "a", "--quiet"], 129, b"fatal: options go before the stream file: a --q"),
        (["import", "--workers", "2"], 129, b"fatal: write --workers=<value>, in one word"),
        (["import", "--memory=lots"], 129, b"fatal: bad value: --memory=lots"),
        (["import", "--workers=1025"], 129, b"fatal: bad value: --workers=1025"),
        (["import", "--compression=10"], 129, b"fatal: bad value: --compression=10"),
        (["import", "--compression=x"], 129, b"fatal: bad value: --compression=x"),
        (["-C", "nowhere", "import"], 128, b"fatal: cannot change to 'nowhere'"),
        (["--frobnicate"], 129, b"fastio: unknown option: --frobnicate"),
        (["-C"], 129, b"fastio: no value given for -C"),
        (["frobnicate"], 129, b"fastio: 'frobnicate' is not a fastio command"),
        ([], 129, b"usage: fastio"),
    ],
)
def test_words_that_make_no_sense(
    target: Target, words: list[str], status: int, text: bytes
) -> None:
    done = target.fastio(*words)
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.startswith(text)
    assert (target.files(), target.refs()) == ([], {})


def test_statistics(target: Target) -> None:
    done = target.fastio("import", stream=HISTORY)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout) == (0, b"")
    assert lines[0] == "fastio import statistics:"
    numbers = {line.partition(":")[0].strip(): line.partition(":")[2] for line in lines}
    objects = int(target.git("count-objects", "-v").split()[5])
    assert int(numbers["Total objects"].split()[0].replace(",", "")) == objects
    assert numbers["commits"].split()[0] == "30"
    assert re.fullmatch(r"\s*[0-9.]+ s, [0-9.]+ cores used", numbers["time, total"])
    shares = [float(numbers[f"CPU, {who}"].split()[-1][:-1]) for who in ("coordinator", "workers")]
    assert sum(shares) == pytest.approx(100, abs=0.2)
    assert {"time, stream", "time, pack", "time, refs", "packs", "stream"} <= set(numbers)


@pytest.mark.parametrize(
    ("words", "option", "told"),
    [
        (["--quiet"], b"", False),
        ([], b"option git quiet\n", False),
        (["--stats"], b"option git quiet\n", True),
        (["--quiet"], b"option git stats\n", False),
        (["--quiet", "--stats"], b"", True),
    ],
)
def test_who_wants_statistics(target: Target, words: list[str], option: bytes, told: bool) -> None:
    done = target.fastio("import", *words, stream=option + STREAM)
    assert (done.returncode, bool(done.stderr)) == (0, told)


def test_statistics_after_refused_refs_but_not_after_a_fatal_error(target: Target) -> None:
    assert target.run(STREAM).returncode == 0
    refused = target.fastio("import", stream=streams.commit(1, message=b"new"))
    assert refused.returncode == 1
    assert b"fastio import statistics:" in refused.stderr
    assert refused.stderr.endswith(b"fastio: import failed: no ref was changed, 1 refused\n")
    fatal = target.fastio("import", stream=b"bad\n")
    assert fatal.returncode == 128
    assert b"import statistics:" not in fatal.stderr


def on_terminal(
    target: Target,
    *words: str,
    command: str = "import",
    size: tuple[int, int] = (24, 100),
    status: int = 0,
) -> bytes:
    """What an import shows on a terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, size)
    with subprocess.Popen(
        [*COMMAND, command, *words, "dump"],
        cwd=target.path,
        stdout=theirs,
        stderr=theirs,
        env=environment({}),
    ) as process:
        os.close(theirs)
        shown = b""
        while piece := read_terminal(ours):
            shown += piece
    os.close(ours)
    assert process.returncode == status
    return shown


def read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # the other side is closed
        return b""


@pytest.mark.parametrize("size", [(24, 100), (0, 0)])  # the second: it does not tell
def test_progress_bar_on_a_terminal(target: Target, size: tuple[int, int]) -> None:
    (target.path / "dump").write_bytes(HISTORY)
    shown = on_terminal(target, size=size)
    assert b"reading" in shown
    assert b"objects" in shown
    assert b"B/s" in shown
    assert b"fastio import statistics:" in shown


def test_messages_begin_a_line_beside_the_progress_bar(target: Target) -> None:
    (target.path / "dump").write_bytes(streams.blob(1, b"x") + b"progress half-way\nbad\n")
    shown = on_terminal(target, status=128)
    assert re.search(rb"\r *\rprogress half-way\r\n", shown)
    assert re.search(rb"\r *\rfatal: ", shown)


@pytest.mark.parametrize(
    ("command", "words"),
    [("import", ["--quiet"]), ("import", ["--no-progress"]), ("fast-import", [])],
)
def test_no_progress_bar(target: Target, command: str, words: list[str]) -> None:
    (target.path / "dump").write_bytes(HISTORY)
    shown = on_terminal(target, *words, command=command)
    assert b"reading" not in shown
    assert bool(shown) == (words != ["--quiet"])


def test_as_a_command_of_git(target: Target, tmp_path: Path) -> None:
    command = tmp_path / "bin/git-fastio"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(COMMAND[0])} -m fastio "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["git", "-C", str(target.path), "fastio", "import", "--quiet"],
        input=STREAM, env=environment({"PATH": path}), check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert target.git("show", "main:file") == "content"


@pytest.mark.parametrize("stream", [b"", STREAM])
def test_small_stream_starts_no_worker(
    target: Target, monkeypatch: pytest.MonkeyPatch, stream: bytes
) -> None:
    started = []
    monkeypatch.setattr(Encoder, "_start", started.append)
    monkeypatch.setattr(os, "fork", lambda: started.append(None))
    status, importer = target.here(stream, workers=8)
    assert (status, started) == (0, [])
    assert not importer.encoder.started


def test_large_stream_starts_as_many_as_asked_for(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, pools = Encoder._start, []
    monkeypatch.setattr(Encoder, "_start", lambda self: (start(self), pools.append(self._pool)))
    assert target.here(HISTORY, workers=3)[0] == 0
    assert [pool._count for pool in pools] == [3]


def test_sigusr1_while_starting_is_not_forgotten(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = import_._make_importer

    def signalled(line: import_._CommandLine) -> Importer:
        os.kill(os.getpid(), signal.SIGUSR1)
        return make(line)

    monkeypatch.setattr(import_, "_make_importer", signalled)
    monkeypatch.chdir(target.path)
    stream = streams.commit(1) + streams.commit(2) + b"bad\n"
    done = in_child(stream, lambda: import_.run(["--quiet"]))
    assert done.returncode == 128
    assert target.git("rev-list", "--count", "main") == "1"
