"""Memory stays within --memory, and a producer has to wait while there is no room."""

import hashlib
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from fastio.importer.budget import SMALLEST_BATCH, Budget
from fastio.memory import MIB
from tests.importer import streams
from tests.importer.target import (
    Target,
    blob_oid,
    children_of,
    kill,
    settled,
    wait_until,
    workers_of,
)

# What each process has before the first blob: interpreter, libraries, its share of them.
PROCESS = 12 * MIB


def pss(pid: int) -> int:
    """Bytes of a process, each shared page divided among those who share it."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


def feed(process: subprocess.Popen[bytes], pieces: Callable[[], Iterator[bytes]]) -> int:
    """Write all of a stream, looking at the memory of all processes in between; the peak."""
    peak = 0
    for piece in pieces():
        process.stdin.write(piece)
        peak = max(peak, sum(map(pss, (process.pid, *children_of(process.pid)))))
    process.stdin.close()
    return peak


def many_blobs() -> Iterator[bytes]:
    """160 MiB: 40 files, each of 64 versions of 64 KiB."""
    rng = Random(6)
    files = [streams.text(rng, 1 << 16) for _ in range(40)]
    for number in range(64):
        files = [streams.edit(rng, content) for content in files]
        yield b"".join(streams.blob(1 + at, content) for at, content in enumerate(files))
        changes = [b"M 100644 :%d file%d" % (1 + at, at) for at in range(40)]
        yield streams.commit(1000 + number, *changes)


def one_blob(size: int = 300) -> Iterator[bytes]:
    """One blob of so many MiB, which deflates well."""
    yield b"blob\nmark :1\ndata %d\n" % (size * MIB)
    for number in range(size):
        yield bytes([number % 256]) * MIB
    yield b"\n" + streams.commit(2, b"M 100644 :1 large")


@pytest.mark.parametrize("pieces", [many_blobs, one_blob])
def test_memory_is_bounded(target: Target, pieces: Callable[[], Iterator[bytes]]) -> None:
    with target.running("--workers=2", "--memory=64m") as process:
        peak = feed(process, pieces)
        assert process.wait() == 0, process.stderr.read()
    assert peak < 64 * MIB + 3 * PROCESS
    assert target.fsck() == ""


def test_memory_is_bounded_for_a_mapped_file(target: Target, tmp_path: Path) -> None:
    path, peak = settled(tmp_path / "stream", b"".join(many_blobs())), 0
    with (
        path.open("rb") as file,
        target.running("--workers=2", "--memory=64m", stdin=file) as process,
    ):
        while process.poll() is None:
            peak = max(peak, sum(map(pss, (process.pid, *children_of(process.pid)))))
        assert process.returncode == 0, process.stderr.read()
    assert 3 * MIB < peak < 64 * MIB + 3 * PROCESS


@pytest.mark.parametrize("memory", [32 * MIB, 256 * MIB, 1024 * MIB])
def test_batches_leave_some_for_every_worker(memory: int) -> None:
    budget = Budget(memory)
    for workers in (0, 1, 2, 3, 8, 64):
        size = budget.batch(workers)
        assert size == SMALLEST_BATCH or workers * 4 * 2 * size <= budget.in_flight
    assert budget.batch(2) >= budget.batch(3)


def test_large_answer_is_never_held(target: Target) -> None:
    with target.running("--memory=32m") as process:
        for piece in (*one_blob(80), b"cat-blob :1\n"):
            process.stdin.write(piece)
        process.stdin.flush()
        assert process.stdout.readline().endswith(b" blob %d\n" % (80 * MIB))
        peak, digest = 0, hashlib.sha1(b"blob %d\0" % (80 * MIB))
        for _ in range(80):
            digest.update(process.stdout.read(MIB))
            peak = max(peak, pss(process.pid))
        assert process.stdout.read(1) == b"\n"
        process.stdin.close()
        assert process.wait() == 0, process.stderr.read()
    assert digest.hexdigest() == target.git("rev-parse", "main:large")
    assert peak < 32 * MIB + PROCESS


def test_threshold_streams_blobs_of_any_size(target: Target) -> None:
    content = Random(7).randbytes(3 * MIB)
    stream = streams.blob(1, content) + streams.commit(
        2, b"M 100644 :1 a", streams.inline(b"b", content), streams.inline(b"c", content + b"!")
    )
    status, importer = target.here(stream, "--big-file-threshold=1m")
    assert status == 0
    assert importer.queue.submitted == 0
    assert importer.sink.counters[3].stored == 2
    assert importer.sink.counters[3].duplicates == 1
    assert target.git("rev-parse", "main:a", "main:b").split() == [blob_oid(content)] * 2
    assert target.git("rev-parse", "main:c") == blob_oid(content + b"!")
    assert (target.files(), target.fsck()) == ([], "")


def test_producer_waits_while_workers_do(target: Target) -> None:
    rng = Random(8)
    stream = b"".join(streams.blob(mark, rng.randbytes(1 << 16)) for mark in range(1, 1000))
    with target.running("--workers=2", "--memory=32m") as process:
        process.stdin.write(stream[: 6 * MIB])
        process.stdin.flush()
        wait_until(lambda: len(workers_of(process.pid)) == 2, "for workers")
        workers = workers_of(process.pid)
        for pid in workers:
            kill(pid, signal.SIGSTOP)
        written = 6 * MIB + write_until_full(process.stdin.fileno(), stream[6 * MIB :])
        for pid in workers:
            kill(pid, signal.SIGCONT)
        process.communicate(stream[written:])
    assert written < 32 * MIB  # of 62
    assert process.returncode == 0


def write_until_full(pipe: int, data: bytes) -> int:
    """Write until the other side has not read for a second; how much it took."""
    os.set_blocking(pipe, False)
    written = 0
    while written < len(data) and select.select([], [pipe], [], 1)[1]:
        written += os.write(pipe, data[written : written + (1 << 16)])
    os.set_blocking(pipe, True)
    return written
