"""The mark table against a dict."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.errors import MarksError
from fastio.store.marks import MarkTable

TOP = 2**64 - 1
marks = st.one_of(
    st.integers(0, 300),
    st.integers(TOP - 300, TOP),
    st.integers(0, TOP),
    st.builds(lambda n: n << 32, st.integers(0, 2**32 - 1)),
)
ids = st.integers(0, 2**32 - 2)


@given(st.lists(st.tuples(marks, ids)), st.lists(marks))
@settings(max_examples=150, derandomize=True)
def test_a_table_agrees_with_a_dict(pairs: list[tuple[int, int]], others: list[int]) -> None:
    table, model = MarkTable(), dict[int, int]()
    for mark, entry_id in pairs:
        table.set(mark, entry_id)
        model[mark] = entry_id
        assert table.get(mark) == entry_id
    assert len(table) == len(model)
    assert list(table.items()) == sorted(model.items())
    assert all(table.get(mark) == model.get(mark, -1) for mark in [*others, *model])
    assert all((mark in table) == (mark in model) for mark in others)


@pytest.mark.parametrize(
    "order", [range(1, 10_001), range(TOP, TOP - 10_000, -1), range(0, 2**40, 2**27)]
)
def test_marks_in_regular_order(order: range) -> None:
    table = MarkTable()
    for entry_id, mark in enumerate(order):
        table.set(mark, entry_id)
    assert all(table.get(mark) == entry_id for entry_id, mark in enumerate(order))
    assert [mark for mark, _ in table.items()] == sorted(order)


def test_a_dense_table_takes_five_bytes_a_mark() -> None:
    table = MarkTable()
    for mark in range(1, 100_001):
        table.set(mark, mark)
        if mark > 10_000:
            assert table.nbytes <= 5 * len(table)


def test_items_may_be_walked_while_marks_are_added() -> None:
    table = MarkTable()
    for mark in range(1000):
        table.set(mark, 1)
    for mark, entry_id in table.items():
        table.set(2**40 + 1000 * mark, entry_id + 1)
    assert len(table) == 2000


@pytest.mark.parametrize(("mark", "entry_id"), [(-1, 0), (2**64, 0), (1, -1), (1, 2**32 - 1)])
def test_what_does_not_fit_is_refused(mark: int, entry_id: int) -> None:
    with pytest.raises(MarksError):
        MarkTable().set(mark, entry_id)
