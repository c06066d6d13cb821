"""Commits on their way into the pack: known at once, written in batches, in order of execution."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fastio.importer._commit_queue import CommitQueue
from fastio.importer.encoder import Encoder
from fastio.importer.object_sink import ObjectSink
from fastio.objects.kinds import COMMIT, SHA1, Oid
from fastio.store.objmap import PENDING
from fastio.store.pack_writer import PackWriter
from tests.importer import streams
from tests.importer.target import Target
from tests.importer.test_object_sink import FakeStore
from workers.arena import Arena
from workers.tasks import Settings

ROOM = 1000
MANY = 1200  # more than eight batches


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[ObjectSink]:
    """Its batches have room for a thousand bytes of commits."""

    def open_pack() -> PackWriter:
        return PackWriter(bytes(tmp_path / "objects/pack"), SHA1, fsync=False)

    arena = Arena(1 << 20)
    sink = ObjectSink(SHA1, FakeStore(), open_pack, depth=3, level=-1, tree_cache=20_000)
    sink.commits = CommitQueue(sink, arena, Encoder(arena, Settings(), workers=0), ROOM)
    yield sink
    sink.pack.abort()


def oid_of(body: bytes) -> Oid:
    return SHA1.hash_object(COMMIT, body)


def bodies(count: int) -> list[bytes]:
    return [b"commit %d" % number * 9 for number in range(count)]


def offsets(sink: ObjectSink, entries: list[int]) -> list[int]:
    return [sink.map.offset(entry) for entry in entries]


def test_pending_commit_is_known_and_can_be_read(sink: ObjectSink) -> None:
    entry = sink.store_object(COMMIT, b"body")
    assert (sink.map.pack(entry), sink.pack.count) == (PENDING, 0)
    oid = oid_of(b"body")
    assert sink.read(oid) == sink.open(oid, above=0) == (COMMIT, b"body")
    assert sink.kind_of(oid) == COMMIT
    assert not sink.is_kept(entry)


@pytest.mark.parametrize("here", [False, True])
def test_written_commit_is_read_from_the_pack(sink: ObjectSink, here: bool) -> None:
    entry = sink.store_object(COMMIT, b"body")
    sink.write_pending(here=here)
    assert (sink.map.pack(entry), sink.pack.count) == (0, 1)
    assert sink.read(oid_of(b"body")) == (COMMIT, b"body")


def test_commits_are_written_in_order_however_many(sink: ObjectSink) -> None:
    entries = [sink.store_object(COMMIT, body) for body in bodies(MANY)]
    assert 0 < sink.pack.count < MANY
    assert [sink.read(oid_of(body)) for body in bodies(MANY)] == [(COMMIT, b) for b in bodies(MANY)]
    sink.write_pending()
    assert sink.pack.count == sink.counters[COMMIT].stored == MANY
    assert offsets(sink, entries) == sorted(offsets(sink, entries))
    assert [sink.read(oid_of(body))[1] for body in bodies(MANY)] == bodies(MANY)


def test_no_commit_is_written_twice(sink: ObjectSink) -> None:
    first = sink.store_object(COMMIT, b"body")
    assert sink.store_object(COMMIT, b"body") == first
    sink.write_pending()
    assert sink.store_object(COMMIT, b"body") == first
    sink.write_pending()
    assert sink.pack.count == 1
    assert sink.counters[COMMIT].duplicates == 2


def test_body_larger_than_a_batch_is_written_at_once(sink: ObjectSink) -> None:
    small, large = (sink.store_object(COMMIT, bytes(size)) for size in (ROOM, ROOM + 1))
    assert [sink.map.pack(entry) for entry in (small, large)] == [PENDING, 0]
    sink.write_pending()
    assert sink.read(oid_of(bytes(ROOM + 1))) == (COMMIT, bytes(ROOM + 1))


def test_pending_commits_go_into_the_pack_that_follows(sink: ObjectSink) -> None:
    entries = [sink.store_object(COMMIT, body) for body in bodies(3)]
    sink.store_whole(COMMIT, b"in the first pack")
    first = sink.finish_pack(index_version=2, keep=False)
    sink.next_pack()
    sink.write_pending()
    second = sink.finish_pack(index_version=2, keep=False)
    assert first is not None
    assert second is not None
    assert (first.count, second.count) == (1, 3)
    assert [sink.map.pack(entry) for entry in entries] == [1, 1, 1]


def test_pack_turns_while_commits_are_written(sink: ObjectSink) -> None:
    packs: list[int] = []

    def turn_pack() -> None:
        finished = sink.finish_pack(index_version=2, keep=False)
        assert finished is not None
        packs.append(finished.count)
        sink.next_pack()

    sink.pack_limit, sink.turn_pack = 400, turn_pack
    for body in bodies(50):
        sink.store_object(COMMIT, body)
    sink.write_pending()
    turn_pack()
    assert len(packs) > 2
    assert sum(packs) == 50


def many_commits() -> bytes:
    """Enough to start workers for: a megabyte of messages."""
    changes = [streams.inline(b"f%d" % (number % 7), b"%d" % number) for number in range(MANY)]
    return b"".join(
        streams.commit(number + 1, change, message=b"%d " % number * 200)
        for number, change in enumerate(changes)
    )


def test_pack_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    digests = set()
    for workers in (0, 1, 3):
        target = Target(tmp_path / str(workers), "--bare")
        target.git("config", "fastimport.unpackLimit", "0")
        status, importer = target.here(many_commits(), workers=workers)
        assert status == 0
        assert importer.encoder is not None
        assert importer.sink.counters[COMMIT].stored == MANY
        digests.add(target.digest())
    assert len(digests) == 1
    assert target.fsck() == ""


def test_commits_before_an_error_are_kept(target: Target) -> None:
    done = target.run(many_commits() + b"nonsense\n", "--workers=2")
    assert done.returncode == 128
    objects = target.git("cat-file", "--batch-check=%(objecttype)", "--batch-all-objects")
    assert objects.split().count("commit") == MANY
