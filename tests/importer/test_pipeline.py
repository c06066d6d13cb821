"""Blobs and operations take effect in stream order, whoever does the blobs and when."""

import itertools
import os
from collections.abc import Iterator
from random import Random

import pytest

from fastio.errors import ObjectError, StreamError, WorkerError
from fastio.importer._blob_tables import ACCEPTED, HELD, Blob
from fastio.importer._blobs import BlobQueue
from fastio.importer.encoder import Encoder
from fastio.importer.pipeline import Pipeline
from fastio.store.entries import EntryWriter
from fastio.store.marks import MarkTable
from fastio.store.objmap import ObjectMap
from tests.importer import streams
from tests.importer.target import blob_oid
from workers.arena import Arena
from workers.tasks import Settings


class LateEncoder(Encoder):
    """Gives results only when polled, each batch after a number of polls of its own."""

    def __init__(self, arena: Arena, delays: Iterator[int]) -> None:
        super().__init__(arena, Settings(), workers=0)
        self._delays, self._left = delays, next(delays)

    def poll(self, timeout: float | None) -> None:
        self._left = 0 if timeout is None else max(0, self._left - 1)

    def take(self) -> bytes | None:
        if self._left or not self._results:
            return None
        self._left = next(self._delays)
        return super().take()


class Line:
    """A pipeline over a small arena, with a pack in memory, and a journal."""

    def __init__(self, delays: Iterator[int], *, arena: int = 1 << 20, hold: int = 1 << 16) -> None:
        self.arena, self.map, self.marks = Arena(arena), ObjectMap(20), MarkTable()
        encoder = LateEncoder(self.arena, delays)
        self.pipeline = Pipeline(encoder, in_flight=1 << 18)
        self.queue = self.pipeline.queue = BlobQueue(
            self.arena, self.map, self.marks, encoder=encoder, wait=self.pipeline.wait,
            search=None, depth_limit=50, hold_bytes=hold, hold_count=1000,
            batch_bytes=1 << 19,
        )  # fmt: skip
        self.entries = EntryWriter(os.memfd_create("pack"), b"pack")
        self.queue.set_pack(self.entries, 0)
        self.journal: list[object] = []

    def blob(self, mark: int, content: bytes) -> Blob:
        blob = self.queue.open(mark, len(content), mark)
        self.queue.fill(blob, 0, content)
        self.queue.hold(blob)
        return blob

    def note(self, name: object) -> None:
        """Queue an operation that writes down its name, and how many blobs are accepted."""
        self.pipeline.add((0, 0, 0), lambda: self.journal.append((name, len(self.map))))


@pytest.fixture(params=[[0], [3], [0, 5, 1, 2]], ids=str)
def line(request: pytest.FixtureRequest) -> Iterator[Line]:
    line = Line(itertools.cycle(request.param))
    yield line
    line.entries.close()


def test_operation_waits_for_the_blobs_before_it_and_no_others(line: Line) -> None:
    for number in range(300):
        line.queue.submit(line.blob(number + 1, b"%d" % number * 50), None)
        line.note(number)
        if number % 70 == 0:
            line.pipeline.step()
    line.pipeline.drain()
    assert line.journal == [(number, number + 1) for number in range(300)]
    assert line.queue.waiting == 0


def test_batches_grow_until_they_are_full() -> None:
    arena, sizes = Arena(1 << 24), []
    encoder = Encoder(arena, Settings(), workers=0)
    encoder.submit = lambda tasks, count, raw_bytes: sizes.append((count, raw_bytes))  # type: ignore[method-assign]
    queue = BlobQueue(
        arena, ObjectMap(20), MarkTable(), encoder=encoder, wait=lambda: None, search=None,
        depth_limit=50, hold_bytes=1 << 24, hold_count=1000, batch_bytes=300_000,
    )  # fmt: skip
    for size, count in ((1 << 16, 16), (1, 2000)):
        for mark in range(count):
            queue.submit(queue.open(mark, size, mark), None)
    queue.flush()
    assert sizes[:4] == [(2, 1 << 17), (4, 1 << 18), (5, 5 << 16), (5, 5 << 16)]
    assert [count for count, _ in sizes[4:]] == [320, 384, 448, 512, 336]


def test_held_blobs_stay_until_they_are_submitted(line: Line) -> None:
    held = line.blob(1, b"held")
    line.note("before")
    line.pipeline.drain()
    assert (held.state, line.marks.get(1), line.journal) == (HELD, -1, [("before", 0)])
    line.queue.submit_held()
    line.pipeline.drain()
    assert held.state == ACCEPTED
    assert line.map.oid(line.marks.get(1)).hex() == blob_oid(b"held")


def test_oldest_held_blobs_go_when_there_are_too_many(line: Line) -> None:
    blobs = [line.blob(mark, b"%05d" % mark * 4000) for mark in range(1, 6)]
    line.pipeline.drain()
    assert [blob.state for blob in blobs] == [ACCEPTED, ACCEPTED, HELD, HELD, HELD]
    assert line.queue.held_bytes == 60_000


def test_later_mark_wins_in_whatever_order_blobs_are_submitted(line: Line) -> None:
    first, second = line.blob(1, b"first"), line.blob(1, b"second")
    line.queue.submit(second, None)
    line.queue.submit(first, None)
    line.pipeline.drain()
    assert line.map.oid(line.marks.get(1)).hex() == blob_oid(b"second")


def test_blobs_are_freed_when_nobody_needs_them(line: Line) -> None:
    rng = Random(1)
    for mark in range(1, 100):
        line.blob(mark, rng.randbytes(20_000))  # twice what the arena holds
        line.pipeline.step()
    line.queue.submit_held()
    line.queue.set_pack(line.entries, 0)  # lets go of the last one
    line.pipeline.drain()
    line.queue.set_pack(line.entries, 0)
    assert (line.arena.used, len(line.queue.live), line.queue.in_flight) == (0, 0, 0)
    assert line.queue.entries.stored == 99


def test_blob_larger_than_the_arena_is_an_error(line: Line) -> None:
    with pytest.raises(WorkerError, match="--memory is too small"):
        line.queue.open(1, 1 << 21, 0)


def test_pinned_bytes_survive_compaction(line: Line) -> None:
    rng = Random(2)
    contents = [rng.randbytes(rng.randrange(1, 9000)) for _ in range(100)]
    blobs = [line.queue.open(0, len(content), 0) for content in contents]
    for blob, content in zip(blobs, contents, strict=True):
        line.queue.fill(blob, 0, content)
    for blob in blobs[::2]:
        line.queue.unpin(blob)
    line.queue.compact()
    assert [line.queue.content(blob) for blob in blobs[1::2]] == contents[1::2]
    assert [line.queue.content(blob) for blob in blobs[::2]] == [None] * 50
    for blob in blobs[1::2]:
        line.queue.unpin(blob)


def test_error_gets_its_place_in_the_stream(line: Line) -> None:
    def fail(error: Exception) -> None:
        raise error

    line.pipeline.add((123, 45, 0), fail, ObjectError("it is missing"))
    with pytest.raises(StreamError, match=r"it is missing \(byte 123, command 45\)"):
        line.pipeline.drain()
    line.pipeline.add((123, 45, 0), fail, StreamError("bad", 6, 7))
    with pytest.raises(StreamError, match=r"bad \(byte 6, command 7\)"):
        line.pipeline.drain()


def test_nothing_behind_an_error_takes_effect(line: Line) -> None:
    before, behind = line.blob(10, b"before"), line.blob(30, b"behind")
    line.queue.submit(behind, None)
    line.pipeline.add((20, 2, 0), line.marks.get, "no mark")
    line.note("never")
    line.pipeline.finish_at(20)
    assert line.map.oid(before.entry).hex() == blob_oid(b"before")
    assert (behind.entry, line.marks.get(30), line.journal) == (-1, -1, [])


def test_delta_against_what_never_took_effect_is_done_again(line: Line) -> None:
    rng = Random(3)
    content = streams.text(rng, 5000)
    behind = line.blob(30, content)
    line.queue.submit(behind, None)
    before = line.blob(10, streams.edit(rng, content))
    line.queue.submit(before, behind)
    line.pipeline.finish_at(20)
    assert (line.queue.entries.stored, line.queue.entries.redone, line.queue.entries.deltas) == (
        1,
        1,
        0,
    )
    assert before.entry >= 0
