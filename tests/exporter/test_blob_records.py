"""Jobs of blobs: what they write to a segment, and how they end."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from fastio.errors import WorkerError
from fastio.exporter.blob_records import (
    DONE,
    FAILED,
    FULL,
    LARGER,
    Outcome,
    head_of,
    pack_job,
    unpack_outcome,
    write_blobs,
)
from fastio.objects.kinds import BLOB, Oid
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work
from workers.arena import Arena

CONTENTS = [b"", b"\n", b"no line end", b"three\nlines\n\n", bytes(range(256)) * 20]


class Bench:
    """A repository with blobs, and an arena."""

    def __init__(self, path: Path, object_format: str) -> None:
        self.work = Work(path, object_format)
        self.oids = [self.put(content) for content in CONTENTS]
        self.reader = ObjectReader(
            ObjectStore(Repository.discover(str(path))), memory=1 << 20, verify=False
        )
        self.arena = Arena(1 << 16)

    def put(self, content: bytes) -> Oid:
        self.work("hash-object", "-w", "--stdin", text=content)
        return self.work.format.hash_object(BLOB, content)

    def row(self, mark: int, oid: bytes) -> bytes:
        return struct.pack("=Q32s", mark, oid)

    def run(self, rows: list[bytes], room: int, *, original_ids: bool = False) -> Outcome:
        segment = self.arena.allocate(room)
        job = pack_job(segment, room, b"".join(rows))
        outcome = unpack_outcome(write_blobs(self.reader, self.arena, job, original_ids))
        for offset, size in struct.iter_unpack("=2q", outcome.places):
            assert segment <= offset
            assert offset + size <= segment + room
        return outcome

    def written(self, outcome: Outcome) -> list[bytes]:
        return [
            bytes(self.arena.view[offset : offset + size])
            for offset, size in struct.iter_unpack("=2q", outcome.places)
        ]


@pytest.fixture(params=["sha1", "sha256"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    return Bench(tmp_path / "work", request.param)


def record(mark: int, content: bytes, name: str | None = None) -> bytes:
    original = f"original-oid {name}\n" if name else ""
    return f"blob\nmark :{mark}\n{original}data {len(content)}\n".encode() + content + b"\n"


@pytest.mark.parametrize("original_ids", [False, True])
def test_records_are_those_of_the_language(bench: Bench, original_ids: bool) -> None:
    marks = [1, 10, 99, 4_000_000_000, 2**63]
    rows = [bench.row(mark, oid) for mark, oid in zip(marks, bench.oids, strict=True)]
    outcome = bench.run(rows, 1 << 15, original_ids=original_ids)
    assert (outcome.done, outcome.end, outcome.reason) == (len(rows), DONE, b"")
    assert bench.written(outcome) == [
        record(mark, content, oid.hex() if original_ids else None)
        for mark, content, oid in zip(marks, CONTENTS, bench.oids, strict=True)
    ]


def test_what_does_not_fit_is_left(bench: Bench) -> None:
    rows = [bench.row(mark, oid) for mark, oid in enumerate(bench.oids)]
    outcome = bench.run(rows, 4096)
    assert (outcome.done, outcome.end) == (4, FULL)
    assert bench.written(outcome) == [record(i, CONTENTS[i]) for i in range(4)]


def test_a_blob_that_never_fits_tells_what_it_needs(bench: Bench) -> None:
    row = bench.row(7, bench.oids[4])
    outcome = bench.run([row], 1024)
    assert (outcome.done, outcome.end) == (0, LARGER)
    again = bench.run([row], outcome.room)
    assert bench.written(again) == [record(7, CONTENTS[4])]
    assert bench.run([row], outcome.room - 1).end == LARGER


def test_a_blob_that_cannot_be_read_ends_the_job(bench: Bench) -> None:
    missing = bytes(len(bench.oids[0]) - 1) + b"\7"
    rows = [bench.row(1, bench.oids[2]), bench.row(2, missing), bench.row(3, bench.oids[3])]
    outcome = bench.run(rows, 1 << 14)
    assert (outcome.done, outcome.end) == (1, FAILED)
    assert missing.hex() in outcome.reason.decode()
    assert bench.written(outcome) == [record(1, CONTENTS[2])]


def test_what_is_no_blob_is_written_as_it_is(bench: Bench) -> None:
    tree = bytes.fromhex(bench.work("mktree", text=""))
    bench.work("hash-object", "-w", "-t", "tree", "--stdin", text=b"")
    outcome = bench.run([bench.row(1, tree)], 1 << 14)
    assert bench.written(outcome) == [record(1, b"")]


def test_the_head_alone_is_that_of_the_record(bench: Bench) -> None:
    row = bench.row(12, bench.oids[0])
    assert head_of(5_000_000_000, row, len(bench.oids[0]), False) == (
        b"blob\nmark :12\ndata 5000000000\n"
    )
    assert bench.oids[0].hex().encode() in head_of(1, row, len(bench.oids[0]), True)


def test_a_job_outside_the_arena_is_refused(bench: Bench) -> None:
    row = bench.row(1, bench.oids[0])
    for segment, room in ((-1, 4096), (1 << 16, 4096), (0, (1 << 16) + 1), (0, 100)):
        with pytest.raises(WorkerError, match="outside"):
            write_blobs(bench.reader, bench.arena, pack_job(segment, room, row), False)
    for job in (b"", pack_job(0, 4096, b""), pack_job(0, 4096, row + b"more")):
        with pytest.raises(WorkerError, match="no job"):
            write_blobs(bench.reader, bench.arena, job, False)
