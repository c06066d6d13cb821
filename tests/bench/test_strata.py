"""Samples of things of very different sizes."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from fastio.bench.strata import BOUNDS, PIECE, Strata, size_class

sizes = st.lists(st.integers(0, 300) | st.integers(0, 1 << 30), max_size=60)


def model_class(size: int) -> int:
    return sum(size > bound for bound in BOUNDS)


@given(st.integers(0, 1 << 20))
def test_a_size_belongs_to_the_first_class_that_has_room(size: int) -> None:
    assert size_class(size) == model_class(size)


@given(sizes, st.integers(0, 1 << 22), st.integers(1, 8))
def test_what_is_chosen_stands_for_all_bytes(added: list[int], budget: int, room: int) -> None:
    strata: Strata[int] = Strata(Random(1), room)
    for size in added:
        strata.add("kind", size, size)
    chosen = list(strata.choose(budget))
    assert round(sum(one.weight * one.item for one in chosen)) == sum(added)
    assert all(one.weight >= 1 - 1e-9 for one in chosen if one.item == 0)
    # Every class that there is has one at least, whatever the budget.
    assert {size_class(one.item) for one in chosen} == set(map(size_class, added))


@given(sizes, st.integers(0, 1 << 22))
def test_no_more_is_read_than_the_budget_and_one_of_each(added: list[int], budget: int) -> None:
    strata: Strata[int] = Strata(Random(1))
    for size in added:
        strata.add("kind", size, size)
    chosen = [min(one.item, PIECE) for one in strata.choose(budget)]
    strata_there = {size.bit_length() if size > PIECE else -size_class(size) for size in added}
    assert sum(chosen) <= budget + len(strata_there) * PIECE
    assert len(chosen) <= len(added)


def test_everything_is_taken_while_there_is_room() -> None:
    strata: Strata[str] = Strata(Random(1))
    for name, size in [("a", 1), ("b", 1000), ("c", 10_000)]:
        strata.add("kind", size, name)
    found = {one.item: one.weight for one in strata.choose(1 << 20)}
    assert found == {"a": 1, "b": 1, "c": 1}


def test_kinds_are_kept_apart() -> None:
    strata: Strata[str] = Strata(Random(1), 1)
    for number in range(100):
        strata.add("many", 10, f"many {number}")
    strata.add("one", 10, "one")
    found = {one.item[:4]: one.weight for one in strata.choose(0)}
    assert found == {"many": 100, "one": 1}
