"""The codecs of a study, and how long they are measured."""

from __future__ import annotations

import zlib

import lz4.block
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.bench.codecs import find_codecs
from fastio.bench.content import DELTA, FULL, Content, Payload
from fastio.bench.study import measure_codecs
from fastio.bench.timing import MAX_RUNS, MIN_RUNS, cpu_seconds
from workers.codec import DEFAULT_LEVEL, deflate

CODECS = find_codecs()
bodies = st.binary(max_size=200) | st.integers(0, 3000).map(lambda size: b"some text " * size)


def inflate(library: str, packed: bytes) -> bytes:
    return lz4.block.decompress(packed) if library == "lz4" else zlib.decompress(packed)


@given(bodies)
def test_each_codec_gives_what_can_be_undone(data: bytes) -> None:
    for codec in CODECS.all:
        assert inflate(codec.library, codec.compress(data)) == data


@given(bodies)
def test_what_can_be_chosen_is_what_an_import_does(data: bytes) -> None:
    chosen = [codec for codec in CODECS.all if codec.choice is not None]
    assert [codec.choice for codec in chosen] == list(range(10))
    assert all(codec.compress(data) == deflate(data, codec.choice or 0) for codec in chosen)
    assert CODECS.default.choice == DEFAULT_LEVEL
    assert CODECS.default.compress(data) == deflate(data, -1)


def test_no_two_codecs_have_a_name() -> None:
    names = [codec.name for codec in CODECS.all]
    assert len(set(names)) == len(names)
    assert {"ISA-L 0", "zlib-ng 9", "zlib 1", "lz4 1", "stored"} <= set(names)


@pytest.mark.parametrize(
    ("steps", "expected", "runs"),
    [
        ([1.0, 5.0, 2.0], 2.0, MIN_RUNS),  # the median, not the mean
        ([0.001, 0.001, 0.001, 0.003], 0.001, 4),  # until enough was spent
        ([0.0] * MAX_RUNS, 0.0, MAX_RUNS),
    ],
)
def test_the_median_of_enough_runs(steps: list[float], expected: float, runs: int) -> None:
    now, done = [0.0], list[int]()

    def run() -> None:
        now[0] += steps[len(done)]
        done.append(1)

    assert cpu_seconds(run, clock=lambda: now[0]) == pytest.approx(expected)
    assert len(done) == runs


@given(st.lists(st.tuples(st.sampled_from([FULL, DELTA]), bodies, st.integers(1, 9)), min_size=1))
def test_figures_are_for_all_that_payloads_stand_for(
    payloads: list[tuple[str, bytes, int]],
) -> None:
    content = Content("name", "folder", len(payloads))
    for form, data, weight in payloads:
        content.add(form, Payload(data, len(data), weight))
    stored = next(codec for codec in CODECS.all if codec.choice == 0)
    steps: list[int] = []
    [measured] = measure_codecs(content, [stored], lambda: steps.append(1))
    assert measured.whole.count == sum(weight for _, _, weight in payloads)
    assert measured.whole.size == sum(weight * len(data) for _, data, weight in payloads)
    packed = sum(weight * len(deflate(data, 0)) for _, data, weight in payloads)
    assert measured.whole.packed == pytest.approx(packed)
    assert len(steps) == len(measured.cells)
    assert (measured.of(DELTA) is None) == all(form == FULL for form, _, _ in payloads)


def test_a_piece_stands_for_the_whole() -> None:
    content = Content("name", "folder", 2)
    content.add(FULL, Payload(bytes(1 << 16), 1 << 20, 2.0))
    stored = next(codec for codec in CODECS.all if codec.choice == 0)
    [measured] = measure_codecs(content, [stored], lambda: None)
    assert (measured.whole.count, measured.whole.size) == (2, 2 << 20)
    assert measured.whole.ratio == pytest.approx(1, rel=1e-3)
