"""The table of changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.exporter.changes import Change, ChangeTable, changes_of
from fastio.objects.kinds import Oid

A, B, ZERO = Oid(b"a" * 20), Oid(b"b" * 20), Oid(bytes(20))
FILE, LINK = 0o100644, 0o120000


def table_of(*rows: tuple[str, bytes, int, bytes | None, int, bytes | None]) -> ChangeTable:
    table = ChangeTable()
    for row in rows:
        table.add(*row)
    return table


@given(st.lists(st.tuples(st.sampled_from("AMDTU"), st.binary(max_size=99)), max_size=99))
def test_rows_come_back_as_they_were_added(rows: list[tuple[str, bytes]]) -> None:
    table = table_of(*((status, path, FILE, A, LINK, B) for status, path in rows))
    expected = [Change(status, path, path, FILE, LINK, A, B) for status, path in rows]
    assert changes_of(table) == expected
    table.keep("AD")
    assert changes_of(table) == [change for change in expected if change.status in "AD"]


def test_a_missing_side_has_mode_and_oid_zero() -> None:
    table = table_of(("D", b"x", FILE, A, 0, None), ("A", b"y", 0, None, LINK, B))
    assert changes_of(table) == [
        Change("D", b"x", b"x", FILE, 0, A, ZERO),
        Change("A", b"y", b"y", 0, LINK, ZERO, B),
    ]


def test_pairs_take_the_old_side_of_their_sources() -> None:
    table = table_of(
        ("A", b"copied", 0, None, FILE, A),
        ("D", b"gone", FILE, A, 0, None),
        ("A", b"moved", 0, None, FILE, B),
        ("D", b"unpaired", FILE, A, 0, None),
        ("U", b"unused", FILE, A, FILE, A),
        ("U", b"used", LINK, B, LINK, B),
    )
    table.pair([("C", 5, 0), ("R", 1, 2)])
    assert changes_of(table) == [
        Change("C", b"copied", b"used", LINK, FILE, B, A),
        Change("R", b"moved", b"gone", FILE, FILE, A, B),
        Change("D", b"unpaired", b"unpaired", FILE, 0, A, ZERO),
    ]


def test_a_source_that_is_a_destination_gives_its_own_old_side() -> None:
    table = table_of(("M", b"a", FILE, A, FILE, B), ("M", b"b", LINK, B, FILE, A))
    table.pair([("R", 1, 0), ("R", 0, 1)])
    assert changes_of(table) == [
        Change("R", b"a", b"b", LINK, FILE, B, B),
        Change("R", b"b", b"a", FILE, FILE, A, A),
    ]


def test_oids_of_another_width_and_rows_that_are_not_there_are_refused() -> None:
    table = ChangeTable(32)
    with pytest.raises(ValueError, match="mode 100644 with oid"):
        table.add("A", b"x", 0, None, FILE, A)
    with pytest.raises(IndexError):
        table.pair([("R", 0, 1)])
    with pytest.raises(IndexError):
        table.row(-1)
