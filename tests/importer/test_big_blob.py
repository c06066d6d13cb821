"""Blobs past `--big-file-threshold`: the same pack for any workers, and ends in their middle."""

import os
import signal
import threading
from pathlib import Path
from random import Random

import pytest

from fastio.importer.source import Source
from tests.importer import streams
from tests.importer.target import Target, blob_oid, kill, settled, wait_until, workers_of
from workers import deflater

THRESHOLD = "--big-file-threshold=100k"
RNG = Random(11)
WORDS = [RNG.randbytes(12) for _ in range(400)]
BIG = b"".join(RNG.choices(WORDS, k=300_000))
STREAM = streams.blob(1, BIG) + streams.commit(
    2, b"M 100644 :1 a", streams.inline(b"b", BIG + b"!"), streams.inline(b"c", b"small")
)


def target_at(path: Path) -> Target:
    target = Target(path, "--bare")
    target.git("config", "fastimport.unpackLimit", "0")
    return target


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_pack_is_the_same_for_any_number_of_workers(tmp_path: Path, workers: int) -> None:
    alone, target = target_at(tmp_path / "alone"), target_at(tmp_path / "target")
    assert alone.here(STREAM, THRESHOLD, workers=0)[0] == 0
    with settled(tmp_path / "stream", STREAM).open("rb") as file:
        source = Source(file.fileno(), least_mapped=1)
        assert target.here_from(source, THRESHOLD, workers=workers)[0] == 0
    assert target.digest() == alone.digest()
    assert target.git("rev-parse", "main:a") == blob_oid(BIG)
    assert target.fsck() == ""


def test_workers_killed_in_the_middle_change_nothing(target: Target, tmp_path: Path) -> None:
    stream = streams.history(files=60, size=50_000, commits=20) + b"progress here\n" + STREAM
    whole = Target(tmp_path / "whole", "--bare")
    assert whole.run(stream, THRESHOLD).returncode == 0
    middle = len(stream) - len(BIG) - len(BIG) // 2
    with target.running("--workers=2", THRESHOLD) as process:
        process.stdin.write(stream[:middle])
        process.stdin.flush()
        assert process.stdout.readline() == b"progress here\n"
        wait_until(lambda: len(workers_of(process.pid)) == 2, "for workers")
        for pid in workers_of(process.pid):
            kill(pid)
        _, errors = process.communicate(stream[middle:])
    assert process.returncode == 0, errors
    assert (target.digest(), target.refs()) == (whole.digest(), whole.refs())


def test_interrupt_in_the_middle_leaves_nothing(target: Target) -> None:
    with target.running("--workers=2", THRESHOLD) as process:
        process.stdin.write(STREAM[: len(BIG) - 1000])
        process.stdin.flush()
        wait_until(lambda: len(os.listdir(f"/proc/{process.pid}/task")) > 2, "for threads")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in (-signal.SIGINT, 130)
    assert (target.files(), target.refs()) == ([], {})


def test_stream_that_ends_in_the_middle(target: Target) -> None:
    before = threading.active_count()
    first = streams.commit(5, streams.inline(b"d", b"small"))
    status, _ = target.here(first + STREAM[: len(BIG) // 2], THRESHOLD)
    assert status == 128
    assert threading.active_count() == before
    assert (target.refs(), target.fsck()) == ({}, "")


def test_no_more_threads(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(deflater.ThreadPoolExecutor, "submit", refuse)
    for data in (BIG, BIG[:150_000]):
        status, _ = target.here(streams.blob(1, data), THRESHOLD)
        assert status == 128
