"""The tables that hold blobs, each beside its plain model."""

from __future__ import annotations

import os
from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from fastio.importer._blob_tables import Blob, BlobMap, BlobRing
from fastio.importer._blobs import BlobQueue
from fastio.importer.encoder import Encoder
from fastio.store.entries import EntryWriter
from fastio.store.marks import MarkTable
from fastio.store.objmap import ObjectMap
from workers.arena import Arena
from workers.tasks import Settings

ARENA = Arena(1 << 16)
QUEUE = BlobQueue(
    ARENA, ObjectMap(20), MarkTable(), encoder=Encoder(ARENA, Settings(), workers=0),
    wait=lambda: None, search=None, depth_limit=50, hold_bytes=1 << 16,
    hold_count=1000, batch_bytes=1 << 19,
)  # fmt: skip
BLOBS = [QUEUE.settled(mark, mark) for mark in range(8)]

blobs = st.sampled_from(BLOBS)
# Few, so that they meet again; such as differ in their last bits only, and in their first.
numbers = st.one_of(st.integers(0, 40), st.integers(0, 40).map(lambda n: n << 57))
changes = st.tuples(st.sampled_from(("set", "set", "pop", "discard")), numbers, blobs)


@given(st.lists(changes, max_size=200))
def test_a_map_is_a_dict(steps: list[tuple[str, int, Blob]]) -> None:
    table, model = BlobMap(), dict[int, Blob]()
    for step, number, blob in steps:
        if step == "set":
            table.set(number, blob)
            model[number] = blob
        elif step == "pop":
            assert table.pop(number) is model.pop(number, None)
        else:
            assert table.discard(number, blob) == (model.get(number) is blob)
            if model.get(number) is blob:
                del model[number]
        assert len(table) == len(model)
    assert all(table.get(number) is model.get(number) for _, number, _ in steps)


def test_a_map_grows() -> None:
    table = BlobMap()
    for number in range(10_000):
        table.set(number, BLOBS[number % 8])
    assert all(table.pop(number) is BLOBS[number % 8] for number in range(0, 10_000, 2))
    found = [table.get(number) for number in range(10_000)]
    assert found == [None if number % 2 == 0 else BLOBS[number % 8] for number in range(10_000)]


@given(st.lists(st.one_of(st.none(), blobs), max_size=200))
def test_a_ring_is_a_deque(steps: list[Blob | None]) -> None:
    """None takes one out."""
    ring, model = BlobRing(), deque[Blob]()
    for blob in steps:
        if blob is not None:
            ring.push(blob)
            model.append(blob)
        else:
            assert ring.pop() is (model.popleft() if model else None)
        assert len(ring) == len(model)
    assert [ring.pop() for _ in model] == list(model)


@given(st.lists(st.integers(0, 9), max_size=60))
def test_live_blobs_are_a_set(steps: list[int]) -> None:
    """A step opens a blob; but of one that is open, that lets go of it."""
    writer = EntryWriter(os.memfd_create("pack"), b"pack")
    QUEUE.set_pack(writer, 0)
    model: dict[int, Blob] = {}
    for number in steps:
        if number in model:
            QUEUE.unpin(model.pop(number))
        else:
            model[number] = QUEUE.open(0, 10, 0)
        assert set(QUEUE.live) == set(model.values())
        assert len(QUEUE.live) == len(model)
    for blob in model.values():
        QUEUE.unpin(blob)
    writer.close()
    assert (list(QUEUE.live), ARENA.used) == ([], 0)
