"""``fastio export`` as a program: what it shows, how it ends, what it leaves behind."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import lz4.frame
import pytest

from tests.exporter.packed_history import git_stream, make_history
from tests.importer.target import COMMAND, environment, workers_of

ALL = ("--all", "--signed-tags=strip", "--reencode=no")


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "history.git"
    make_history(path, commits=400, large=100_000)
    return path


# Workers come at once, and not only where what is left is worth starting them.
EAGER = """
import sys
from fastio.cli.main import main
from fastio.exporter import pipeline

pipeline.WORTH = 0.0
sys.exit(main())
"""


def command(path: Path, *words: str, name: str = "export") -> list[str]:
    return [*COMMAND, "-C", str(path), name, *words]


def run(path: Path, *words: str, **keywords: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        command(path, *words),
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords},
        env=environment({}),
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("memory", ["32m", "512m"])
def test_a_pipe_gets_the_stream_of_git(history: Path, memory: str) -> None:
    done = run(history, *ALL, f"--memory={memory}", "--workers=2")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == git_stream(history, "--all")


def test_files_get_it_as_well(history: Path, tmp_path: Path) -> None:
    expected = git_stream(history, "--all")
    plain, packed = tmp_path / "dump.fe", tmp_path / "dump.fe.lz4"
    for file in (plain, packed):
        assert run(history, *ALL, "-o", str(file)).returncode == 0
    assert plain.read_bytes() == expected
    assert lz4.frame.decompress(packed.read_bytes()) == expected


@pytest.mark.parametrize("workers", [0, 2])
def test_a_reader_that_has_enough_ends_it_as_git(history: Path, workers: int) -> None:
    words = [*ALL, f"--workers={workers}"]
    with subprocess.Popen(
        command(history, *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment({}),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(100_000)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == -signal.SIGPIPE


def test_a_full_disk_is_told(history: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run(history, *ALL, stdout=full)
    assert done.returncode == 128
    assert done.stderr == b"fatal: write failure on standard output: No space left on device\n"


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_closed_descriptors_do_no_harm(history: Path, closed: str) -> None:
    """As under a daemon; a pack must not get such a number, either."""
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh"]
    for words in (("--stdin", "--all"), ("--all",)):
        done = subprocess.run(
            [*shell, *command(history, *ALL[1:], *words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment({}),
            check=True,
            timeout=60,
        )
        assert done.stderr == b""
        assert done.stdout == git_stream(history, "--all")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_the_coordinator(history: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", EAGER, "-C", str(history), "export", *ALL, "--workers=2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment({}),
    ) as process:
        assert process.stdout is not None
        while len(workers_of(process.pid)) < 2:  # it waits for us to read
            assert process.stdout.read1(1 << 16), "it ended without workers"
        pids = workers_of(process.pid)
        process.send_signal(number)
        assert process.wait(30) == -number
    deadline = time.monotonic() + 10
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a worker outlives its coordinator"
        os.sched_yield()


def is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"  # whom nobody waits for here


def on_terminal(path: Path, *words: str, name: str = "export") -> bytes:
    """What an export to /dev/null shows on a terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 120))
    with subprocess.Popen(
        command(path, *words, name=name),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment({}),
    ) as process:
        os.close(theirs)
        shown = b""
        while piece := read_terminal(ours):
            shown += piece
    os.close(ours)
    assert process.returncode == 0
    return shown


def read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # the other side is closed
        return b""


def test_a_progress_bar_on_a_terminal(history: Path) -> None:
    shown = on_terminal(history, *ALL)
    assert b"exporting" in shown
    assert b"commits/s" in shown
    assert b"MB/s" in shown


@pytest.mark.parametrize(("name", "words"), [("export", ["--no-progress"]), ("fast-export", [])])
def test_no_progress_bar(history: Path, name: str, words: list[str]) -> None:
    assert on_terminal(history, *ALL, *words, name=name) == b""


@pytest.mark.parametrize("name", ["export", "fast-export"])
def test_no_words_at_all_call_for_the_usage(history: Path, name: str) -> None:
    done = subprocess.run(
        command(history, name=name), capture_output=True, env=environment({}), check=False
    )
    assert (done.returncode, done.stdout) == (129, b"")
    assert done.stderr.startswith(b"usage: fastio export")
