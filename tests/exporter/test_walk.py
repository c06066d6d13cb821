"""The table of commits, beside a list of rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.exporter.walk import Walk
from fastio.objects.kinds import Oid

SIZE = 20
oids = st.integers(0, 2**16 - 1).map(lambda number: Oid(number.to_bytes(2, "big") * (SIZE // 2)))
parents = st.lists(st.tuples(oids, st.booleans()), max_size=3)
rows = st.lists(
    st.tuples(oids, oids, st.sampled_from([b"refs/heads/a", b"HEAD", b"x~1"]), parents),
    max_size=60,
    unique_by=lambda row: row[0],
)


@given(rows)
def test_walk_agrees_with_a_list(
    rows: list[tuple[Oid, Oid, bytes, list[tuple[Oid, bool]]]],
) -> None:
    walk = Walk(SIZE)
    for row in rows:
        walk.add(*row)
    assert len(walk) == len(rows)
    earlier: set[Oid] = set()
    for number, (oid, tree, name, its_parents) in enumerate(rows):
        assert (walk.oid(number), walk.tree(number), walk.name(number)) == (oid, tree, name)
        assert walk.parents(number) == [
            (parent, imported or parent in earlier) for parent, imported in its_parents
        ]
        assert walk.is_root(number) == (not its_parents)
        assert walk.find(oid) == number
        earlier.add(oid)
    absent = Oid(b"\xff" * (SIZE - 1) + b"\0")
    assert walk.find(absent) is None
    assert absent not in walk


def test_a_commit_is_no_earlier_row_than_itself() -> None:
    walk = Walk(SIZE)
    oid = Oid(b"1" * SIZE)
    walk.add(oid, oid, b"HEAD", [(oid, False)])
    assert walk.parents(0) == [(oid, False)]


def test_what_is_no_row_or_oid_is_refused() -> None:
    walk = Walk(SIZE)
    with pytest.raises(IndexError):
        walk.oid(0)
    with pytest.raises(ValueError, match="not an oid"):
        walk.find(Oid(b"short"))


def test_names_that_no_commit_has_are_left_out() -> None:
    walk = Walk(SIZE, [b"a", b"b", b"c"])
    assert walk.used_names() == set()
    walk.add(Oid(b"1" * SIZE), Oid(b"1" * SIZE), b"b")
    walk.add(Oid(b"2" * SIZE), Oid(b"2" * SIZE), b"d")
    assert walk.used_names() == {b"b", b"d"}
