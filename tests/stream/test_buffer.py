"""The buffer against a model: all bytes in one string."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import assume
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from fastio.errors import StreamError
from fastio.stream.buffer import StreamBuffer


class BufferModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.buffer, self.rest, self.taken = StreamBuffer(1), b"", 0

    def drop(self, size: int) -> None:
        self.rest, self.taken = self.rest[size:], self.taken + size

    @rule(data=st.lists(st.sampled_from([b"a", b"\n", b"E", b"E\n"])).map(b"".join))
    def feed(self, data: bytes) -> None:
        assume(not self.buffer.eof)
        space = self.buffer.free_space(len(data))
        space[: len(data)] = data
        self.buffer.end += len(data)
        self.rest += data

    @rule()
    def end(self) -> None:
        self.buffer.eof = True

    @rule(unread=st.booleans())
    def take_line(self, unread: bool) -> None:
        line, lf, _ = self.rest.partition(b"\n")
        complete = bool(lf) or self.buffer.eof
        assert self.buffer.take_line() == (line if complete else None)
        if complete and unread:
            self.buffer.unread_line()
        elif complete:
            self.drop(len(line) + len(lf))

    @rule(size=st.integers(0, 5))
    def take(self, size: int) -> None:
        view = self.buffer.take(size)
        assert (view is None) == (size > len(self.rest))
        if view is not None:
            assert view == self.rest[:size]
            self.drop(size)

    @rule()
    def take_until(self) -> None:
        lines = self.rest.splitlines(keepends=True)
        ends = [at for at, line in enumerate(lines) if line == b"E\n"]
        if not ends and self.buffer.eof and lines and lines[-1] == b"E":
            ends = [len(lines) - 1]
        body = b"".join(lines[: ends[0]]) if ends else None
        view = self.buffer.take_until(b"E")
        assert (None if view is None else bytes(view)) == body
        if body is not None:
            self.drop(len(body) + len(lines[ends[0]]))

    @rule()
    def skip_lf(self) -> None:
        assert self.buffer.skip_lf() == (bool(self.rest) or self.buffer.eof)
        if self.rest.startswith(b"\n"):
            self.drop(1)

    @invariant()
    def same_rest(self) -> None:
        buffer = self.buffer
        assert buffer.view[buffer.start : buffer.end] == self.rest
        assert buffer.base + buffer.start == self.taken


TestBuffer = BufferModel.TestCase


def feed(buffer: StreamBuffer, data: bytes) -> None:
    buffer.free_space(len(data))[: len(data)] = data
    buffer.end += len(data)


def test_a_view_outlives_the_block_it_shows() -> None:
    buffer = StreamBuffer(4)
    feed(buffer, b"abcd")
    view = buffer.take(4)
    feed(buffer, b"x" * 100)
    assert view == b"abcd"


def test_after_a_large_body_the_block_is_small_again() -> None:
    buffer = StreamBuffer(1000)
    feed(buffer, b"x" * 100_000)
    buffer.take(100_000)
    assert len(buffer.free_space()) == 1000


def test_bytes_one_by_one_move_little(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[int] = []
    move = StreamBuffer._move

    def counting(self: StreamBuffer, capacity: int) -> None:
        moved.append(self.end - self.start)
        move(self, capacity)

    monkeypatch.setattr(StreamBuffer, "_move", counting)
    buffer = StreamBuffer(16)
    for _ in range(10_000):
        feed(buffer, b"x")
        assert buffer.take_line() is None
    assert sum(moved) < 5 * 10_000


@pytest.mark.parametrize("limits", [{"max_line": 3}, {"max_data": 3}])
def test_limits(limits: dict[str, Any]) -> None:
    buffer = StreamBuffer(**limits)
    feed(buffer, b"abcdefgh")
    with pytest.raises(StreamError, match="longer than 3"):
        buffer.take_until(b"E") if "max_data" in limits else buffer.take_line()
