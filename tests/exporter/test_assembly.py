"""The stream comes out in order, however its parts become ready."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.exporter.assembly import OTHER, WAITING, Assembly
from workers.arena import Arena

NEW = struct.Struct("=qQ32s")


def oid(number: int) -> bytes:
    return b"%032d" % number


def numbers(*values: int) -> bytes:
    return struct.pack(f"={len(values)}q", *values)


class Bench:
    """An assembly, the stream that it should give, and the one that it gave."""

    def __init__(self) -> None:
        self.arena = Arena(1 << 16)
        self.assembly = Assembly(self.arena)
        self.segments: dict[int, int] = {}  # to their records that are not written
        self.expected = self.got = b""
        self.blobs = 0

    def add(self, parts: list[int]) -> list[int]:
        """Add text with blobs in it: each part is that many bytes of text and then a blob."""
        text, rows, new = b"", b"", []
        for size in parts:
            piece = b"t" * size
            text += piece
            rows += NEW.pack(len(text), self.blobs + 1, oid(self.blobs))
            self.expected += piece + self.record(self.blobs)
            new.append(self.blobs)
            self.blobs += 1
        self.expected += b"end "
        assert self.assembly.add(text + b"end ", rows) == self.blobs - len(new)
        return new

    def record(self, number: int) -> bytes:
        return b"<%d>" % number

    def place(self, *blobs: int) -> None:
        """Let a worker have written these blobs to one segment."""
        segment = self.arena.allocate(1000)
        at, places = segment, b""
        for number in blobs:
            record = self.record(number)
            self.arena.view[at : at + len(record)] = record
            places += struct.pack("=2q", at, len(record))
            at += len(record) + 3
        self.assembly.place(numbers(*blobs), places, segment)
        self.segments[segment] = len(blobs)

    def write(self, most: int) -> None:
        while pieces := self.assembly.take(most):
            self.got += b"".join(pieces)
            for segment in self.assembly.free():
                del self.segments[segment]
                self.arena.free(segment)


@settings(max_examples=100)
@given(data=st.data())
def test_everything_comes_out_in_order(data: st.DataObject) -> None:
    bench = Bench()
    waiting: list[int] = []
    for _ in range(data.draw(st.integers(1, 6))):
        waiting += bench.add(data.draw(st.lists(st.integers(0, 5), max_size=5)))
        ready = data.draw(st.lists(st.sampled_from(waiting), unique=True)) if waiting else []
        if ready:
            bench.place(*ready)
        waiting = [number for number in waiting if number not in ready]
        bench.write(data.draw(st.integers(1, 4)))
        first = waiting[0] if waiting else bench.blobs
        assert bench.assembly.first == first
        assert bench.assembly.state == (WAITING if waiting else None)
        assert bench.expected.startswith(bench.got)
    if waiting:
        bench.place(*waiting)
    bench.write(3)
    assert bench.got == bench.expected
    assert not bench.segments
    assert bench.assembly.held_text == 0
    assert bench.arena.used == 0


def test_rows_are_those_of_a_job() -> None:
    bench = Bench()
    bench.add([1, 1, 1])
    assert bench.assembly.rows(numbers(2, 0)) == b"".join(
        struct.pack("=Q32s", number + 1, oid(number)) for number in (2, 0)
    )


def test_the_caller_deals_with_blobs_of_its_own() -> None:
    bench = Bench()
    bench.add([2, 1])
    bench.place(1)
    bench.assembly.mark(0, OTHER + 1)
    assert bench.assembly.state == OTHER + 1
    bench.write(10)
    assert bench.got == b"tt"
    bench.got += bench.record(0)
    bench.assembly.skip()
    bench.write(10)
    assert bench.got == bench.expected
    assert not bench.segments


def test_what_does_not_wait_is_refused() -> None:
    bench = Bench()
    bench.add([0, 0])
    bench.place(0)
    bench.write(10)
    for call in (
        lambda: bench.assembly.rows(numbers(0)),
        lambda: bench.assembly.rows(numbers(2)),
        lambda: bench.assembly.place(numbers(1), bytes(32), 0),
        lambda: bench.assembly.place(numbers(1), struct.pack("=2q", 1 << 40, 1), 0),
        lambda: bench.assembly.mark(0, OTHER),
        lambda: bench.assembly.mark(1, WAITING),
        bench.assembly.skip,
    ):
        with pytest.raises(IndexError):
            call()
