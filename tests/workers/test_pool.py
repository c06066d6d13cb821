import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.leftovers import shared_files
from tests.workers.conftest import Bench
from workers import tasks, worker
from workers.arena import Arena
from workers.errors import PoolError
from workers.logs import open_descriptors
from workers.messages import ENCODE
from workers.pool import MAX_BATCH, Pool
from workers.rows import Task
from workers.tasks import Settings

pytestmark = pytest.mark.timeout(30)


def drain(pool: Pool, wanted: int) -> list[bytes]:
    """Poll until *wanted* results are taken."""
    taken: list[bytes] = []
    while len(taken) < wanted:
        pool.poll(10)
        while (results := pool.take()) is not None:
            taken.append(results)
    return taken


def content_of(arena: Arena, packed: bytes) -> list[bytes]:
    return [
        bytes(arena.view[place : place + size])
        for place, size, *_ in struct.Struct("=8q").iter_unpack(packed)
    ]


def instead_of_encode(
    monkeypatch: pytest.MonkeyPatch, before: Callable[[list[bytes]], object]
) -> None:
    """Make workers that are forked from now on call *before* with the blobs of each job."""

    def action(arena: Arena, packed: bytes, settings: Settings) -> bytes:
        before(content_of(arena, packed))
        return tasks.encode(arena, packed, settings)

    monkeypatch.setitem(worker.ACTIONS, ENCODE, action)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_order(bench: Bench, workers: int) -> None:
    batches = [bench.batch(number, 1 + number % 7) for number in range(40)]
    with Pool(bench.arena, workers=workers, settings=bench.settings) as pool:
        assert [pool.submit(batch) for batch in batches] == list(range(40))
        assert pool.outstanding == 40
        assert drain(pool, 40) == [bench.expected(batch) for batch in batches]
        assert pool.outstanding == 0


def test_batch_apart_is_done_before_what_waits(bench: Bench) -> None:
    batches = [bench.batch(number) for number in range(40)]
    apart = bench.batch(99)
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        for batch in batches:
            pool.submit(batch)
        ticket = pool.submit_apart(apart)
        assert ticket.results() is None
        while not pool.poll(10, ticket):
            pass
        assert ticket.results() == bench.expected(apart)
        sent_before = 3  # the worker had them already
        early = [results for _ in range(40) if (results := pool.take()) is not None]
        assert len(early) <= sent_before
        assert early + drain(pool, 40 - len(early)) == [bench.expected(batch) for batch in batches]


def test_batch_apart_is_all_there_is(bench: Bench) -> None:
    with Pool(bench.arena, workers=2, settings=bench.settings) as pool:
        batch = bench.batch(0)
        ticket = pool.submit_apart(batch)
        assert pool.poll(None) is False  # nothing that take would give
        while not pool.poll(None, ticket):
            pass
        assert ticket.results() == bench.expected(batch)


def test_batch_apart_outlives_its_worker(bench: Bench) -> None:
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        ticket = pool.submit_apart(batch := bench.batch(0))
        os.kill(pool.pids[0], signal.SIGKILL)
        while not pool.poll(10, ticket):
            pass
        assert ticket.results() == bench.expected(batch)


def test_largest_batches_never_block(bench: Bench) -> None:
    batch = bench.task(b"one blob") * MAX_BATCH
    with Pool(bench.arena, workers=2, settings=bench.settings) as pool:
        for _ in range(40):  # all of it before the first answer is read
            pool.submit(batch)
        assert drain(pool, 40) == [bench.expected(batch)] * 40


@pytest.mark.parametrize("size", [0, 63, 65, (MAX_BATCH + 1) * 64])
def test_batches_of_other_sizes_are_refused(bench: Bench, size: int) -> None:
    with (
        Pool(bench.arena, workers=1, settings=bench.settings) as pool,
        pytest.raises(ValueError, match="no batch"),
    ):
        pool.submit(bytes(size))


def test_poll_of_an_idle_pool_returns_at_once(bench: Bench) -> None:
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        assert pool.poll(None) is False
        assert pool.take() is None
        pool.submit(bench.batch(0))
        while not pool.poll(None):
            pass
        assert pool.poll(None) is True  # done already: nothing to wait for
        assert len(pool.filenos()) == 1
        assert pool.take()


def test_killed_workers_cost_no_result(bench: Bench) -> None:
    batches = [bench.batch(number) for number in range(60)]
    results: list[bytes] = []
    with Pool(bench.arena, workers=2, settings=bench.settings) as pool:
        for number, batch in enumerate(batches):
            pool.submit(batch)
            if number % 10 == 5:
                os.kill(pool.pids[number % 2], signal.SIGKILL)
                results += drain(pool, 1)
        results += drain(pool, 60 - len(results))
        assert len(pool.pids) == 2
    assert results == [bench.expected(batch) for batch in batches]


def test_worker_killed_while_idle_is_replaced(bench: Bench) -> None:
    batch = bench.batch(1)
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        (first,) = pool.pids
        os.kill(first, signal.SIGKILL)
        pool.submit(batch)
        assert drain(pool, 1) == [bench.expected(batch)]
        assert pool.pids != [first]


def test_task_that_kills_twice_gets_done(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def before(blobs: list[bytes]) -> None:
        if b"evil" in blobs and len(list(tmp_path.iterdir())) < 2:
            (tmp_path / str(os.getpid())).touch()
            die()

    instead_of_encode(monkeypatch, before)
    batch = bench.batch(0) + bench.task(b"evil") + bench.batch(1)
    with Pool(bench.arena, workers=2, settings=bench.settings) as pool:
        pool.submit(batch)
        assert drain(pool, 1) == [bench.expected(batch)]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("raises", [False, True], ids=["kills", "raises"])
def test_task_that_always_fails_is_named(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, workers: int, raises: bool
) -> None:
    def before(blobs: list[bytes]) -> None:
        if b"evil" in blobs:
            if raises:
                raise MemoryError("no room for evil")
            die()

    instead_of_encode(monkeypatch, before)
    evil = bench.task(b"evil")
    with Pool(bench.arena, workers=workers, settings=bench.settings) as pool:
        for number in range(6):
            pool.submit(bench.batch(number))
        pool.submit(bench.batch(6) + evil + bench.batch(7))
        reason = "no room for evil" if raises else "died of it"
        with pytest.raises(PoolError, match=reason) as caught:
            drain(pool, 7)
        assert caught.value.task == evil


def test_exception_costs_no_worker(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def before(blobs: list[bytes]) -> None:
        if len(blobs) > 1:
            raise RuntimeError("one at a time, please")

    instead_of_encode(monkeypatch, before)
    batch = bench.batch(0)
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        pids = pool.pids
        pool.submit(batch)
        assert drain(pool, 1) == [bench.expected(batch)]
        assert pool.pids == pids


def test_task_outside_the_arena_is_named(bench: Bench) -> None:
    wrong = Task(1 << 30, 1, -1, 0, 0, 0, 0, 3).pack()
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        pool.submit(bench.batch(0) + wrong)
        with pytest.raises(PoolError, match="outside the arena") as caught:
            drain(pool, 1)
    assert caught.value.task == wrong


def test_nonsense_from_a_worker_is_a_death(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def action(arena: Arena, packed: bytes, settings: Settings) -> bytes:
        if not list(tmp_path.iterdir()):
            (tmp_path / "once").touch()
            return 7  # type: ignore[return-value]
        return tasks.encode(arena, packed, settings)

    monkeypatch.setitem(worker.ACTIONS, ENCODE, action)
    batch = bench.batch(0)
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        pool.submit(batch)
        assert drain(pool, 1) == [bench.expected(batch)]


def test_close_does_not_wait_for_busy_workers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.pool._PATIENCE", 0.1)
    instead_of_encode(monkeypatch, lambda blobs: signal.pause())
    start = time.monotonic()
    with Pool(bench.arena, workers=2, settings=bench.settings) as pool:
        for number in range(20):
            pool.submit(bench.batch(number))
    assert time.monotonic() - start < 5


def test_close_twice_and_unstarted(bench: Bench) -> None:
    pool = Pool(bench.arena, workers=1, settings=bench.settings)
    pool.close()
    pool.close()


def test_no_process_to_be_had_is_a_pool_error(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    with (
        pytest.raises(PoolError, match="temporarily unavailable"),
        Pool(bench.arena, workers=2, settings=bench.settings),
    ):
        pass


def test_workers_hold_no_foreign_descriptors(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def before(blobs: list[bytes]) -> None:
        targets = [os.readlink(f"/dev/fd/{number}") for number in open_descriptors()]
        (tmp_path / str(os.getpid())).write_text("\n".join(targets))

    reader, writer = os.pipe()
    instead_of_encode(monkeypatch, before)
    with Pool(bench.arena, workers=2, settings=bench.settings) as pool:
        for number in range(8):
            pool.submit(bench.batch(number))
        drain(pool, 8)
        ours = {os.readlink(f"/dev/fd/{number}") for number in (*pool.filenos(), writer)}
    os.close(reader)
    os.close(writer)
    listings = [path.read_text().split("\n") for path in tmp_path.iterdir()]
    assert listings
    assert not any(ours & set(listing) for listing in listings)


def test_sigint_is_left_to_the_coordinator(bench: Bench) -> None:
    batch = bench.batch(0)
    with Pool(bench.arena, workers=2, settings=bench.settings) as pool:
        pids = pool.pids
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        pool.submit(batch)
        assert drain(pool, 1) == [bench.expected(batch)]
        assert pool.pids == pids


COORDINATOR = """
import sys
from workers.arena import Arena
from workers.pool import Pool
from workers.tasks import Settings
pool = Pool(Arena(1 << 20), workers=3, settings=Settings())
pool.start()
print(*pool.pids, flush=True)
sys.stdin.read()
"""


def is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"  # whom nobody waits for here


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_coordinator(number: signal.Signals) -> None:
    shared = shared_files()
    with subprocess.Popen(
        [sys.executable, "-c", COORDINATOR],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as coordinator:
        assert coordinator.stdout is not None
        pids = [int(word) for word in coordinator.stdout.readline().split()]
        assert len(pids) == 3
        assert all(is_alive(pid) for pid in pids)
        coordinator.send_signal(number)
        coordinator.wait()
    deadline = time.monotonic() + 10
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a worker outlives its coordinator"
        os.sched_yield()
    assert shared_files() == shared
