"""Workers that die cost time; a blob that kills them all ends the import with its name."""

import os
import signal
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.importer import streams
from tests.importer.target import Target, kill, wait_until, workers_of
from workers import tasks, worker
from workers.arena import Arena
from workers.messages import ENCODE
from workers.tasks import Settings

STREAM = streams.history(files=60, size=50_000, commits=40)
EVIL = b"this blob kills whoever looks at it " * 3


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail() -> None:
    raise MemoryError("no room")


def meeting_evil(act: Callable[[], None]) -> worker.Action:
    """An encode task that calls *act* when it meets that blob."""

    def encode(arena: Arena, packed: bytes, settings: Settings) -> bytes:
        for place, size, *_ in struct.iter_unpack("=8q", packed):
            if arena.view[place : place + size] == EVIL:
                act()
        return tasks.encode(arena, packed, settings)

    return encode


def test_killed_workers_change_nothing(target: Target, tmp_path: Path) -> None:
    whole = Target(tmp_path / "whole", "--bare")
    assert whole.run(STREAM).returncode == 0
    half = len(STREAM) // 2
    with target.running("--workers=2") as process:
        process.stdin.write(STREAM[:half])
        process.stdin.flush()
        wait_until(lambda: len(workers_of(process.pid)) == 2, "for workers")
        for pid in workers_of(process.pid):
            kill(pid)
        _, errors = process.communicate(STREAM[half:])
    assert process.returncode == 0
    assert errors.count(b"warning: a worker died (status -9)") == errors.count(b"\n") == 2
    assert (target.digest(), target.refs()) == (whole.digest(), whole.refs())


@pytest.mark.parametrize(("act", "why"), [(die, "a worker died of it"), (fail, "no room")])
def test_blob_that_cannot_be_encoded_is_named(
    target: Target,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    act: Callable[[], None],
    why: str,
) -> None:
    monkeypatch.setitem(worker.ACTIONS, ENCODE, meeting_evil(act))
    large = streams.blob(1, bytes(1 << 21))
    status, _ = target.here(large + streams.blob(7, EVIL) + 2 * large, workers=2)
    [message] = [line for line in capfd.readouterr().err.splitlines() if "fatal" in line]
    assert status == 128
    assert message.startswith(f"fatal: the blob at byte {len(large)}, mark :7: a task failed 3")
    assert why in message
    assert (target.refs(), target.fsck()) == ({}, "")


def test_no_worker_to_be_had(
    target: Target, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    status, _ = target.here(STREAM, workers=2)
    assert status == 128
    assert "fatal: no worker can be started: Resource temp" in capfd.readouterr().err


def test_memory_that_cannot_be_had(target: Target) -> None:
    done = target.run(streams.commit(1), "--memory=9999999g")
    assert done.returncode == 128
    assert b"fatal: cannot reserve" in done.stderr
    assert b"Traceback" not in done.stderr
