"""Jobs of a caller's own kinds, and such as are bound to a worker's place."""

import os
import signal
from pathlib import Path

import pytest

from tests.workers.conftest import Bench
from workers.arena import Arena
from workers.errors import PoolError
from workers.jobs import Batch, whole
from workers.messages import OTHER
from workers.pool import Pool

pytestmark = pytest.mark.timeout(30)


def who(_arena: Arena, payload: bytes, greeting: bytes) -> bytes:
    return b"%s %s from %d" % (greeting, payload, os.getpid())


def die_once(_arena: Arena, payload: bytes, directory: bytes) -> bytes:
    """Die at the word "evil" unless somebody did so before; upper case otherwise."""
    if b"evil" in payload and not os.path.exists(directory + b"/once"):
        Path(os.fsdecode(directory + b"/once")).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return payload.upper()


def die(_arena: Arena, payload: bytes, _settings: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    return payload


def words(payload: bytes) -> list[bytes]:
    return payload.split()


def wait_for(pool: Pool, batch: Batch) -> bytes:
    while not pool.poll(10, batch):
        pass
    results = batch.results()
    assert results is not None
    return results


@pytest.mark.parametrize("workers", [1, 3])
def test_bound_jobs_are_done_at_their_place(bench: Bench, workers: int) -> None:
    with Pool(bench.arena, workers=workers, settings=b"hello", actions={OTHER: who}) as pool:
        places = [number % workers for number in range(30)]
        batches = [pool.submit_job(OTHER, b"you", split=whole, place=place) for place in places]
        expected = [b"hello you from %d" % pool.pids[place] for place in places]
        assert [wait_for(pool, batch) for batch in batches] == expected


def test_who_takes_a_place_does_what_is_bound_to_it(bench: Bench) -> None:
    with Pool(bench.arena, workers=2, settings=b"hello", actions={OTHER: who}) as pool:
        first, other = pool.pids
        os.kill(first, signal.SIGKILL)
        batches = [pool.submit_job(OTHER, b"you", split=whole, place=0) for _ in range(10)]
        said = {wait_for(pool, batch) for batch in batches}
        (successor,) = set(pool.pids) - {first, other}
        assert said == {b"hello you from %d" % successor}


@pytest.mark.parametrize("place", [None, 0])
def test_a_job_that_killed_its_worker_is_split(
    bench: Bench, tmp_path: Path, place: int | None
) -> None:
    directory = os.fsencode(tmp_path)
    with Pool(bench.arena, workers=1, settings=directory, actions={OTHER: die_once}) as pool:
        batch = pool.submit_job(OTHER, b"good evil fine", split=words, place=place)
        assert wait_for(pool, batch) == b"GOODEVILFINE"


def test_a_job_that_is_not_split_is_named_whole(bench: Bench) -> None:
    with Pool(bench.arena, workers=2, settings=b"", actions={OTHER: die}) as pool:
        batch = pool.submit_job(OTHER, b"good evil fine", split=whole, place=1)
        with pytest.raises(PoolError, match="died of it") as caught:
            wait_for(pool, batch)
    assert caught.value.task == b"good evil fine"


def test_bound_jobs_go_elsewhere_where_no_worker_can_be_started(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with Pool(bench.arena, workers=2, settings=b"hello", actions={OTHER: who}) as pool:
        first, other = pool.pids
        monkeypatch.setattr(os, "fork", refuse)
        os.kill(first, signal.SIGKILL)
        batches = [pool.submit_job(OTHER, b"you", split=whole, place=0) for _ in range(10)]
        assert {wait_for(pool, batch) for batch in batches} == {b"hello you from %d" % other}
