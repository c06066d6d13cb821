"""Estimates of an import, and the level that is recommended."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.bench.codecs import Codec, find_codecs
from fastio.bench.content import FULL, Content, Payload
from fastio.bench.estimate import MARGIN, Estimate, advise, estimate, estimate_beside
from fastio.bench.study import Figures, Measured
from fastio.objects.kinds import SHA256

CODECS = find_codecs()
OWN = [codec for codec in CODECS.all if codec.choice is not None]
figures = st.floats(0.01, 1e6)
found = st.lists(
    st.tuples(figures, figures), min_size=len(CODECS.all), max_size=len(CODECS.all)
).map(lambda pairs: [Estimate(codec, *pair) for codec, pair in zip(CODECS.all, pairs, strict=True)])


@given(found, st.floats(0.01, 1e9))
def test_the_least_cost_is_recommended(estimates: list[Estimate], worth: float) -> None:
    advice = advise(estimates, CODECS.default, worth)
    own = [one for one in estimates if one.codec in OWN]
    least = min(one.seconds + one.size / worth for one in own)
    assert advice.best.codec.choice is not None
    assert advice.best.cost(worth) * (1 - MARGIN) <= least * (1 + 1e-9)
    assert advice.best is advice.default or advice.best.cost(worth) == least
    assert advice.fastest.seconds == min(one.seconds for one in own)
    assert advice.smallest.size == min(one.size for one in own)
    assert advice.beyond is not None
    assert advice.beyond.codec.choice is None
    assert advice.beyond.codec.library != "lz4"


def test_the_default_stays_unless_another_level_is_clearly_better() -> None:
    def best(gain: float) -> Codec:
        estimates = [Estimate(codec, 10.0, 100.0) for codec in CODECS.all]
        estimates[9] = Estimate(CODECS.all[9], 10.0 - gain, 100.0 - gain)
        return advise(estimates, CODECS.default, 10.0).best.codec

    assert best(0.1) is CODECS.default
    assert best(2.0) is CODECS.all[9]


def test_an_estimate_is_the_sum_of_its_parts() -> None:
    content = Content("name", "repository", 10)
    content.add(FULL, Payload(b"text", 4, 10.0))
    content.size, content.steered, content.kept_size = 40.0, 4.0, 500.0
    content.delta_seconds = 7.0
    beside = estimate_beside(content)
    assert beside.deltas == 7
    assert beside.size == 500 + 10 * 4
    assert beside.seconds == beside.hashing + beside.deltas + beside.coordinator
    measured = Measured(CODECS.default, {(FULL, 0): Figures(10, 40, 30, 2.0)})
    whole = estimate(measured, beside)
    assert whole.seconds == pytest.approx(beside.seconds + 2)
    assert whole.size == beside.size + 30


def test_another_hash_is_measured_as_well() -> None:
    content = Content("name", "repository", 1)
    content.size = 1 << 20
    content.add(FULL, Payload(bytes(1 << 16), 1 << 20, 1.0))
    assert estimate_beside(content, SHA256).hashing > 0


def test_a_content_without_full_objects() -> None:
    content = Content("name", "repository", 1)
    assert estimate_beside(content).hashing >= 0
