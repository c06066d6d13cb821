"""Filling records against a plain model of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.errors import WorkerError
from fastio.exporter.fill import Filler, new_blobs
from fastio.exporter.marks import MarkTable
from fastio.exporter.records import DIE, END, OF, OWN, WARN, RecordWriter
from fastio.exporter.walk import Walk
from fastio.objects.kinds import Oid
from tests.exporter.record_model import read_records

# Few blobs, so that they meet again.
BLOBS = [b"%d" % digit * 20 for digit in range(6)]
texts = st.sampled_from([b"", b"text ", b"M 100644 :", b"0\n" * 300])
steps = st.one_of(
    st.tuples(st.just("text"), texts),
    st.tuples(st.just("of"), st.sampled_from(BLOBS)),
    st.tuples(st.just("warn"), texts),
)


@st.composite
def commits(draw: st.DrawFn) -> tuple[bytes, bool]:
    """One commit's record, and whether the export ends with it."""
    writer = RecordWriter()
    writer.begin()
    blobs = draw(st.lists(st.sampled_from(BLOBS), max_size=4))
    for blob in blobs:
        writer.blob(blob)
    writer.text(b"commit\nmark :")
    writer.own()
    for step, argument in draw(st.lists(steps, max_size=6)):
        if step != "of" or argument in blobs:
            getattr(writer, step)(argument)
    if dies := draw(st.integers(0, 9)) == 9:
        writer.die(b"cannot be")
    writer.end()
    return writer.take(), dies


def walk_of(oids: list[Oid]) -> Walk:
    walk = Walk(20)
    for oid in oids:
        walk.add(oid, Oid(b"t" * 20), b"refs/heads/main")
    return walk


class Model:
    def __init__(self, progress: int) -> None:
        self.marks: dict[bytes, int] = {}
        self.progress, self.counted = progress, 0
        self.text, self.blobs, self.warnings = b"", [], []
        self.death: bytes | None = None

    def add(self, oid: bytes) -> int:
        self.marks[oid] = len(self.marks) + 1
        return self.marks[oid]

    def count(self) -> None:
        self.counted += 1
        if self.progress and self.counted % self.progress == 0:
            self.text += b"progress %d objects\n" % self.counted

    def blob(self, oid: bytes) -> None:
        if oid not in self.marks:
            self.blobs.append((len(self.text), self.add(oid), oid.ljust(32, b"\0")))
            self.count()

    def fill(self, record: bytes, own: bytes) -> None:
        (read,) = read_records(record, 20)
        for blob in read.blobs:
            self.blob(blob)
        for text, hole, argument in read.parts:
            self.text += text
            if hole in (OWN, OF):
                self.text += b"%d" % (self.add(own) if hole == OWN else self.marks[argument])
            elif hole == WARN:
                self.warnings.append(argument)
            elif hole == DIE:
                self.death = argument
                return
        assert hole == END
        self.count()


@settings(max_examples=100)
@given(drawn=st.lists(commits(), max_size=8), progress=st.sampled_from([0, 1, 3]))
def test_filling_agrees_with_its_model(drawn: list[tuple[bytes, bool]], progress: int) -> None:
    filler, model = Filler(MarkTable(20), progress=progress), Model(progress)
    oids = [Oid(b"c%019d" % number) for number in range(len(drawn))]
    filled = filler.fill(b"".join(record for record, _ in drawn), walk_of(oids), 0)
    for oid, (record, _) in zip(oids, drawn, strict=True):
        if model.death is None:
            model.fill(record, oid)
    lives = [dies for _, dies in drawn].index(True) if model.death else len(drawn)
    assert filled.commits == lives
    assert filled.death == model.death
    assert filled.text == model.text
    assert list(new_blobs(filled.blobs)) == model.blobs
    assert filled.warnings == model.warnings


def test_a_blob_of_a_tag_is_marked_once() -> None:
    filler = Filler(MarkTable(20), progress=2)
    assert list(new_blobs(filler.blob(BLOBS[0]).blobs)) == [(0, 1, BLOBS[0].ljust(32, b"\0"))]
    assert filler.blob(BLOBS[0]).blobs == b""
    assert filler.blob(BLOBS[1]).text == b"progress 2 objects\n"
    assert [filler.count(), filler.count()] == [b"", b"progress 4 objects\n"]


def test_the_mark_of_an_unknown_object_is_an_error() -> None:
    writer = RecordWriter()
    writer.begin()
    writer.of(BLOBS[0])
    writer.end()
    with pytest.raises(WorkerError, match=BLOBS[0].hex()):
        Filler(MarkTable(20)).fill(writer.take(), walk_of([Oid(b"c" * 20)]), 0)


@pytest.mark.parametrize("left", [1, 7, 8, 12, 40])
def test_records_cut_short_are_an_error(left: int) -> None:
    writer = RecordWriter()
    writer.begin()
    writer.blob(BLOBS[0])
    writer.text(b"text of the commit")
    writer.own()
    writer.end()
    with pytest.raises(WorkerError, match="cut short"):
        Filler(MarkTable(20)).fill(writer.take()[:left], walk_of([Oid(b"c" * 20)]), 0)


def test_more_records_than_commits_are_an_error() -> None:
    writer = RecordWriter()
    for _ in range(2):
        writer.begin()
        writer.own()
        writer.end()
    with pytest.raises(WorkerError, match="more records"):
        Filler(MarkTable(20)).fill(writer.take(), walk_of([Oid(b"c" * 20)]), 0)
