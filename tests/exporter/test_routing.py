"""Families of deltas stay with one worker, and workers have alike to do."""

from __future__ import annotations

import struct
from itertools import chain
from pathlib import Path

import pytest

from fastio.exporter.routing import Router
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work


@pytest.fixture
def reader(tmp_path: Path) -> ObjectReader:
    Work(tmp_path / "work")
    store = ObjectStore(Repository.discover(str(tmp_path / "work")))
    return ObjectReader(store, memory=1 << 20)


def deal(router: Router, oids: list[bytes], first: int) -> list[list[int]]:
    rows = b"".join(struct.pack("=qQ32s", 0, 1, oid) for oid in oids)
    return [
        [number for (number,) in struct.iter_unpack("=q", numbers)]
        for numbers in router.deal(rows, first)
    ]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_blob_goes_to_one_worker_in_order(reader: ObjectReader, workers: int) -> None:
    router = Router(reader, workers)
    first = 7
    for _ in range(3):
        oids = [struct.pack(">H18x", number * 7 % 5000) for number in range(3000)]
        dealt = deal(router, oids, first)
        assert len(dealt) == workers
        assert sorted(chain.from_iterable(dealt)) == list(range(first, first + len(oids)))
        assert all(numbers == sorted(numbers) for numbers in dealt)
        assert max(map(len, dealt)) - min(map(len, dealt)) < 1200
        first += len(oids)


def test_a_family_keeps_its_worker(reader: ObjectReader) -> None:
    router = Router(reader, 3)
    oids = [struct.pack(">H18x", number) for number in range(40)]
    before = deal(router, oids, 0)
    deal(router, [b"x" * 20] * 1000, 100)
    assert deal(router, oids, 0) == before


def test_who_has_less_to_do_gets_what_is_new(reader: ObjectReader) -> None:
    router = Router(reader, 2)
    (home,) = [place for place, numbers in enumerate(deal(router, [b"x" * 20] * 9, 0)) if numbers]
    assert len(deal(router, [b"y" * 20], 9)[1 - home]) == 1
    router.done(home, 9)
    assert len(deal(router, [b"z" * 20], 10)[home]) == 1
    with pytest.raises(IndexError):
        router.done(2, 1)
