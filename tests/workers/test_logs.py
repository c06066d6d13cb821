import logging
import os

import pytest

from tests.workers.conftest import Bench
from tests.workers.test_pool import die, drain, instead_of_encode
from workers.pool import Pool

pytestmark = pytest.mark.timeout(30)


class Keeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Keeper:
    keeper = Keeper()
    monkeypatch.setattr(logging.getLogger(), "handlers", [keeper])
    return keeper


def test_records_of_workers_reach_the_coordinators_handlers(
    bench: Bench, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    def before(blobs: list[bytes]) -> None:
        logging.getLogger("workers.test").warning("%d blobs, first %r", len(blobs), blobs[0])

    instead_of_encode(monkeypatch, before)
    handlers = list(logging.getLogger().handlers)
    with Pool(bench.arena, workers=2, settings=bench.settings) as pool:
        pids = set(pool.pids)
        for number in range(20):
            pool.submit(bench.batch(number))
        drain(pool, 20)
    texts = {record.getMessage() for record in keeper.records}
    assert texts == {f"4 blobs, first {b'blob 0 of batch %d' % number!r}" for number in range(20)}
    assert {record.process for record in keeper.records} <= pids
    assert logging.getLogger().handlers == handlers


def test_coordinators_records_take_no_detour(bench: Bench, keeper: Keeper) -> None:
    handlers = list(logging.getLogger().handlers)
    with Pool(bench.arena, workers=1, settings=bench.settings):
        assert logging.getLogger().handlers == handlers
        logging.getLogger("here").error("at once")
        assert [record.process for record in keeper.records] == [os.getpid()]


def test_a_death_is_logged(bench: Bench, keeper: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    instead_of_encode(monkeypatch, lambda blobs: die() if len(blobs) > 1 else None)
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        pool.submit(bench.batch(0))
        drain(pool, 1)
    assert [record.getMessage() for record in keeper.records] == [
        "a worker died (status -9) with 1 jobs"
    ]


def test_levels_of_handlers_hold(
    bench: Bench, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.setLevel(logging.ERROR)
    instead_of_encode(monkeypatch, lambda blobs: logging.warning("not of interest"))
    with Pool(bench.arena, workers=1, settings=bench.settings) as pool:
        pool.submit(bench.batch(0))
        drain(pool, 1)
    assert keeper.records == []
