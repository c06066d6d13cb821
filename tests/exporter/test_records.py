"""What is written to a record is what a plain reader finds there."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.exporter.records import DIE, END, OF, OWN, WARN, RecordWriter
from tests.exporter.record_model import Part, Record, read_records

texts = st.binary(max_size=40)


def steps(oid_size: int) -> st.SearchStrategy[list[tuple[str, bytes]]]:
    oids = st.integers(0, 9).map(lambda digit: b"%d" % digit * oid_size)
    return st.lists(
        st.one_of(
            st.tuples(st.sampled_from(["blob", "of"]), oids),
            st.tuples(st.sampled_from(["text", "warn", "die"]), texts),
            st.just(("own", b"")),
        ),
        max_size=12,
    )


def expected(record: list[tuple[str, bytes]]) -> Record:
    parts, text = [], b""
    holes = {"own": OWN, "of": OF, "warn": WARN, "die": DIE}
    for step, argument in record:
        if step == "text":
            text += argument
        elif step in holes:
            parts.append(Part(text, holes[step], argument))
            text = b""
    parts.append(Part(text, END, b""))
    return Record([argument for step, argument in record if step == "blob"], parts)


def write(writer: RecordWriter, record: list[tuple[str, bytes]]) -> None:
    writer.begin()
    for step, argument in record:
        getattr(writer, step)(*[argument] if step != "own" else [])
    writer.end()


@settings(max_examples=100)
@given(data=st.data(), oid_size=st.sampled_from([20, 32]))
def test_records_read_back_as_they_were_written(data: st.DataObject, oid_size: int) -> None:
    wanted = data.draw(st.lists(steps(oid_size), max_size=5))
    writer = RecordWriter(oid_size)
    for record in wanted:
        write(writer, record)
    size = len(writer)
    records = writer.take()
    assert len(records) == size
    assert read_records(records, oid_size) == [expected(record) for record in wanted]
    assert writer.take() == b""


def test_a_dropped_record_leaves_those_before_it() -> None:
    writer = RecordWriter()
    write(writer, [("text", b"first"), ("blob", b"1" * 20)])
    first = len(writer)
    writer.begin()
    writer.text(b"half a record" * 1000)
    writer.blob(b"2" * 20)
    writer.drop()
    assert len(writer) == first
    write(writer, [("text", b"second")])
    assert [record.parts[0].text for record in read_records(writer.take(), 20)] == [
        b"first",
        b"second",
    ]


def test_a_record_begins_only_where_the_one_before_has_ended() -> None:
    writer = RecordWriter()
    writer.begin()
    with pytest.raises(AssertionError):
        writer.begin()
    with pytest.raises(AssertionError):
        writer.take()


@given(record=steps(20), missing=st.integers(0, 9))
def test_records_are_put_where_there_is_room_for_them(
    record: list[tuple[str, bytes]], missing: int
) -> None:
    writer = RecordWriter()
    write(writer, record)
    size = len(writer)
    room = bytearray(8 + size - missing)
    assert writer.put(room) == (missing == 0)
    if missing:
        assert not any(room)
        assert len(writer) == size
    else:
        assert int.from_bytes(room[:8], sys.byteorder) == size
        assert read_records(bytes(room[8:]), 20) == [expected(record)]
        assert len(writer) == 0
