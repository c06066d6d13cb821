"""Imports that are killed, interrupted, or lose whoever they talk to."""

import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from tests.importer import streams
from tests.importer.target import Target, is_alive, wait_until, workers_of

HISTORY = streams.history(files=60, size=50_000, commits=60)
HALF = HISTORY[: HISTORY.index(b"\nblob", len(HISTORY) // 2) + 1]
FAILED = b"fastio: import failed: no ref was changed\n"


def feed_half(target: Target, process: subprocess.Popen[bytes]) -> list[int]:
    """Give an import half of a history; returns its workers."""
    assert process.stdin is not None
    process.stdin.write(HALF)
    process.stdin.flush()
    wait_until(lambda: len(workers_of(process.pid)) == 2, "for workers")
    return workers_of(process.pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_killed_import_leaves_nothing_that_git_minds(
    target: Target, number: signal.Signals
) -> None:
    assert target.run(streams.commit(1)).returncode == 0
    refs, packs = target.refs(), target.packs()
    with target.running("--workers=2") as process:
        workers = feed_half(target, process)
        process.send_signal(number)
        assert process.wait() == -number
        assert process.stderr.read() == (b"" if number == signal.SIGKILL else FAILED)
    wait_until(lambda: not any(map(is_alive, workers)), "for the workers' end")
    assert (target.refs(), target.packs(), target.fsck()) == (refs, packs, "")
    assert all(name.startswith("tmp_pack_") for name in target.files())
    assert not target.files() or number == signal.SIGKILL


def test_hangup_that_is_ignored_stays_so(target: Target) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with target.running("--workers=2", preexec_fn=ignore) as process:
        feed_half(target, process)
        process.send_signal(signal.SIGHUP)
        process.communicate(HISTORY[len(HALF) :])
    assert process.returncode == 0


def test_import_after_a_killed_one(target: Target) -> None:
    with target.running("--workers=2") as process:
        feed_half(target, process)
    assert target.run(HISTORY).returncode == 0
    assert target.fsck() == ""


def test_checkpoint_survives_the_kill(target: Target) -> None:
    with target.running("--workers=2") as process:
        process.stdin.write(streams.commit(1) + b"checkpoint\nprogress done\n" + HALF)
        process.stdin.flush()
        assert process.stdout.readline() == b"progress done\n"
        process.kill()
    assert list(target.refs()) == ["refs/heads/main"]
    assert target.fsck() == ""


def test_interrupt_while_starting_shows_no_traceback(target: Target) -> None:
    with target.running() as process:
        wait_until(lambda: target.files() or process.poll() is not None, "for the pack")
        process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT
        assert process.stderr.read() in (b"", FAILED)


def block_sigpipe() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})


@pytest.mark.parametrize("before", [None, block_sigpipe])
def test_reader_of_progress_is_gone(target: Target, before: Callable[[], None] | None) -> None:
    with target.running("--workers=2", preexec_fn=before) as process:
        process.stdout.close()
        process.stdin.write(HALF + b"progress more\nprogress and more\n")
        process.stdin.close()
        assert process.wait() == -signal.SIGPIPE
        assert process.stderr.read() == b""
    assert (target.refs(), target.fsck()) == ({}, "")


def test_producer_dies_in_the_middle_of_data(target: Target) -> None:
    with target.running("--workers=2") as process:
        process.stdin.write(HALF + b"blob\ndata 1000\nabc")
        process.stdin.close()
        assert process.wait() == 128
        errors = process.stderr.read().decode()
    assert errors.startswith("fatal: end of input in data (997 bytes missing)")
    assert f"(byte {len(HALF) + len('blob,')}, command " in errors
    assert (target.refs(), target.fsck()) == ({}, "")


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_closed_standard_descriptors(target: Target, closed: int) -> None:
    stream = streams.commit(1) + b"progress a line that must not get into the pack\n"
    with target.running(preexec_fn=lambda: os.close(closed)) as process:
        output, _ = process.communicate(b"" if closed == 0 else stream)
    assert process.returncode == 0
    assert output.startswith(b"progress") == (closed == 2)
    assert bool(target.refs()) == (closed != 0)
    assert target.fsck() == ""


@pytest.mark.parametrize("words", [("--stats",), ("--signed-commits=warn",)])
def test_nobody_can_read_stderr(target: Target, words: tuple[str, ...]) -> None:
    signed = b"gpgsig sha1 openpgp\ndata 4\nsign\ndata 7\n"
    stream = streams.commit(1).replace(b"data 7\n", signed)
    with open("/dev/full", "wb") as full, target.running(*words, stderr=full) as process:
        process.communicate(stream)
    assert process.returncode == 0
    assert list(target.refs()) == ["refs/heads/main"]


@pytest.mark.parametrize("descriptor", [1, 7])
def test_reply_that_cannot_be_written(target: Target, descriptor: int) -> None:
    with open("/dev/full", "wb") as full:
        words = [f"--cat-blob-fd={descriptor}"]
        with target.running(*words, stdout=full) as process:
            _, errors = process.communicate(streams.blob(1, b"abc") + b"get-mark :1\n")
    assert process.returncode == 128
    assert b"fatal: cannot write a reply to fd %d: " % descriptor in errors
    assert b"Traceback" not in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_whole_group(target: Target, number: signal.Signals) -> None:
    with target.running("--workers=2", start_new_session=True) as process:
        process.stdin.write(streams.commit(1) + b"checkpoint\nprogress done\n")
        workers = feed_half(target, process)
        assert process.stdout.readline() == b"progress done\n"
        os.killpg(process.pid, number)
        assert process.wait() == -number
        line = b"fastio: import failed: 1 ref updated by checkpoints before\n"
        assert process.stderr.read() == line
    wait_until(lambda: not any(map(is_alive, workers)), "for the workers' end")
    assert (target.files(), target.fsck()) == ([], "")
    assert len(target.packs()) == 1


def test_descriptors_that_do_not_block(target: Target) -> None:
    def unblock() -> None:
        os.set_blocking(0, False)
        os.set_blocking(1, False)

    content = bytes(range(256)) * 2000  # much more than a pipe holds
    with target.running(preexec_fn=unblock) as process:
        process.stdin.write(streams.blob(1, content) + b"cat-blob :1\n")
        process.stdin.flush()
        assert process.stdout.readline().endswith(b" blob 512000\n")
        assert process.stdout.read(512_001) == content + b"\n"
        output, errors = process.communicate(b"progress more\n")
    assert (process.returncode, output, errors) == (0, b"progress more\n", b"")


def test_pack_directory_that_is_none(target: Target) -> None:
    (target.git_dir / "objects/pack").rmdir()
    (target.git_dir / "objects/pack").touch()
    done = target.run(streams.commit(1))
    assert done.returncode == 128
    assert done.stderr.startswith(b"fatal: cannot write ")
    assert b"objects/pack/tmp_pack_" in done.stderr
