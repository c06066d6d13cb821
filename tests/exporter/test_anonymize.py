"""Anonymized streams: git's plain stream, made into records and anonymized by us, is git's own."""

from __future__ import annotations

import itertools
import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.errors import WorkerError
from fastio.exporter.anonymize import Anonymizer
from fastio.exporter.fill import Filler
from fastio.exporter.final_records import reset_record
from fastio.exporter.marks import MarkTable
from fastio.exporter.options import parse_options
from fastio.exporter.records import RecordWriter
from fastio.exporter.walk import Walk
from fastio.objects.kinds import Oid
from tests.exporter.anonymize_model import ModelRewriter
from tests.exporter.histories import HistoryMaker
from tests.exporter.odd import ODD_IDENTS
from tests.exporter.places import Builder
from tests.exporter.record_model import read_records


class Reread:
    """Makes the anonymized stream from the plain one, with our records in between.

    Args:
        stream: What was exported with ``--show-original-ids``.
        anonymizer: Is asked for everything.
        oid_size: Bytes of an oid.
    """

    def __init__(self, stream: bytes, anonymizer: Anonymizer, oid_size: int = 20) -> None:
        self.stream, self.at = stream, 0
        self.anonymizer, self.size = anonymizer, oid_size
        self.oids: dict[bytes, Oid] = {}  # by mark
        self.filler = Filler(MarkTable(oid_size), oid_size=oid_size)
        self.made: list[bytes] = []
        self.writer = RecordWriter(oid_size)

    def line(self) -> bytes:
        end = self.stream.find(b"\n", self.at) + 1
        line, self.at = self.stream[self.at : end - 1], end
        return line

    def data(self) -> bytes:
        size = int(self.line().removeprefix(b"data "))
        data = self.stream[self.at : self.at + size]
        self.at += size
        return data

    def next_is(self, *words: bytes) -> bool:
        return self.stream.startswith(words, self.at)

    def mark(self) -> None:
        mark = self.line().removeprefix(b"mark ")
        self.oids[mark] = Oid(bytes.fromhex(self.line().removeprefix(b"original-oid ").decode()))

    def run(self) -> bytes:
        blobs: list[Oid] = []
        while self.at < len(self.stream):
            line = self.line()
            if line == b"blob":
                self.mark()
                blobs.append([*self.oids.values()][-1])
                self.data()
                self.line()
            elif line.startswith(b"tag "):
                self.tag(line.removeprefix(b"tag "))
            elif self.next_is(b"from "):
                name = self.anonymizer.ref(line.removeprefix(b"reset "))
                self.made.append(reset_record(name, self.line().removeprefix(b"from ")))
                self.line()
            else:
                self.commit(line, blobs)
                blobs = []
        return b"".join(self.made)

    def commit(self, line: bytes, blobs: list[Oid]) -> None:
        writer = self.writer
        writer.begin()
        if line.startswith(b"reset "):
            writer.text(line + b"\n")
            line = self.line()
        writer.text(line + b"\nmark :")
        writer.own()
        self.mark()
        oid = [*self.oids.values()][-1]
        writer.text(b"\noriginal-oid %b\n" % oid.hex().encode())
        while not self.next_is(b"data ", b"encoding "):
            line = self.line()
            writer.text(line + b"\n")
            if line.startswith(b"gpgsig "):
                signature = self.data()
                writer.text(b"data %d\n%b\n" % (len(signature), signature))
                self.line()
        if self.next_is(b"encoding "):
            self.line()
        self.data()
        writer.text(b"data 0\n")
        while line := self.line():
            before, colon, rest = line.partition(b":")
            mark, space, path = rest.partition(b" ")
            if line.startswith((b"from :", b"merge :", b"M ")) and b":" + mark in self.oids:
                writer.text(before + colon)
                writer.of(self.oids[b":" + mark])
                writer.text(space + path + b"\n")
            else:
                writer.text(line + b"\n")
        writer.text(b"\n")
        for blob in blobs:
            writer.blob(blob)
        writer.end()
        walk = Walk(self.size)
        walk.add(oid, oid, b"")
        filled = self.filler.fill(self.anonymizer.records(writer.take()), walk, 0)
        assert filled.commits == 1
        self.made.append(
            self.anonymizer.blob_records(filled.text, filled.blobs, original_oids=True)
        )

    def tag(self, name: bytes) -> None:
        full = name if name.startswith(b"refs/") else b"refs/tags/" + name
        lines = [self.line(), self.line()]
        if not self.next_is(b"data "):
            lines.append(self.anonymizer.ident_line(self.line()))
        message = self.anonymizer.tag_message(self.data())
        self.line()
        new = self.anonymizer.ref(full).removeprefix(b"refs/tags/")
        lines += [b"data %d" % len(message), message, b""]
        self.made.append(b"\n".join([b"tag " + new, *lines]))


def exported(git_dir: Path, *words: str) -> bytes:
    command = ["git", "fast-export", "--show-original-ids", "--signed-tags=verbatim", *words]
    return subprocess.run(command, cwd=git_dir, stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.git
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "words",
    [
        "--all",
        "--all --no-data -M -C --full-tree",
        "--all -M -C --anonymize-map=a:x/\"y --anonymize-map=b --anonymize-map=main "
        "--anonymize-map=v1:V",
    ],
)  # fmt: skip
def test_streams_of_random_histories(tmp_path: Path, seed: int, words: str) -> None:
    rng = random.Random(seed)
    algorithm = "sha256" if seed % 4 == 3 else "sha1"
    history = HistoryMaker(rng, faithful=True, algorithm=algorithm).make()
    place = Builder("git", tmp_path).build(history, tmp_path / "repository", rng)
    # An encoding that is aborted at by default is no reason to end an anonymized export.
    expected = exported(place, "--anonymize", *words.split())
    plain = [word for word in words.split() if not word.startswith("--anon")]
    stream = exported(place, "--reencode=no", *plain)
    options, _ = parse_options(words.split())
    size = 32 if algorithm == "sha256" else 20
    anonymizer = Anonymizer(options.anonymize_map or {}, oid_size=size)
    assert Reread(stream, anonymizer, size).run() == expected
    assert len(expected) > 200


paths = st.sampled_from((b"a", b"a/b", b"b/a/c", b'"a\\303\\244/b"', b'"x\\"y z"'))
idents = st.sampled_from((b"A <a> 1 +0", b"B <b> x> 2 -1", b"> C<c> 3+4", b"D 1 +0", b"<> x"))
oids = st.sampled_from([bytes([number]) * 20 for number in range(3)])
names = st.sampled_from((b"refs/heads/a", b"refs/tags/a/b", b"HEAD"))
# Text with what is put into the holes behind it.
line_parts = st.one_of(
    st.tuples(st.just(b"M 100644 :"), oids, paths).map(
        lambda got: [(got[0], got[1]), (b" %b\n" % got[2], None)]
    ),
    st.tuples(oids, paths).map(
        lambda got: [(b"M 160000 %b %b\n" % (got[0].hex().encode(), got[1]), None)]
    ),
    paths.map(lambda path: [(b"D %b\n" % path, None)]),
    paths.map(lambda path: [(b"name %b\n" % path, None)]),
    oids.map(lambda oid: [(b"name-oid %b\n" % oid.hex().encode(), None)]),
    st.tuples(st.sampled_from((b"R", b"C")), paths, paths).map(
        lambda got: [(b"%b %b %b\n" % got, None)]
    ),
    st.tuples(idents, idents).map(lambda got: [(b"author %b\ncommitter %b\n" % got, None)]),
    st.tuples(st.sampled_from((b"commit", b"reset")), names).map(
        lambda got: [(b"%b %b\n" % got, None)]
    ),
    st.tuples(st.sampled_from((b"from", b"merge")), oids).map(
        lambda got: [(b"%b :" % got[0], got[1]), (b"\n", None)]
    ),
    oids.map(lambda oid: [(b"from %b\n" % oid.hex().encode(), None)]),
    st.sampled_from((b"mark :", b"data 0\n", b"\n", b"deleteall\n", b"encoding x\n")).map(
        lambda text: [(text, b"own" if text.endswith(b":") else None)]
    ),
    st.just([(b"", b"warning")]),
)


@given(
    st.lists(st.tuples(st.lists(line_parts, max_size=12), st.lists(oids, max_size=2)), max_size=4)
)
def test_records_are_rewritten_as_the_model_does(
    made: list[tuple[list[list[tuple[bytes, bytes | None]]], list[bytes]]],
) -> None:
    writer = RecordWriter(20)
    for lines, blobs in made:
        writer.begin()
        for text, hole in itertools.chain.from_iterable(lines):
            writer.text(text)
            if hole is not None:
                {b"own": lambda _: writer.own(), b"warning": writer.warn}.get(hole, writer.of)(hole)
            elif text.endswith(b":"):
                writer.own()
        for blob in blobs:
            writer.blob(blob)
        writer.end()
    records = writer.take()
    model = ModelRewriter(Anonymizer({b"b": b"kept"}), 20)
    assert Anonymizer({b"b": b"kept"}).records(records) == model.records(records)


@given(st.binary(max_size=40), st.lists(line_parts, max_size=4), st.integers(0, 60))
def test_records_that_are_cut_short_are_an_error(
    noise: bytes, lines: list[list[tuple[bytes, bytes | None]]], cut: int
) -> None:
    writer = RecordWriter(20)
    writer.begin()
    for text, _ in itertools.chain.from_iterable(lines):
        writer.text(text)
    writer.end()
    records = writer.take()
    for bad in (
        noise[:7] + b"x",
        records[: max(len(records) - 1 - cut, 1)],
        records + noise[:7] + b"x",
    ):
        with pytest.raises(WorkerError):
            Anonymizer({}).records(bad)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"author A <a@b> 1 +0000", b"author User 0 <user0@example.com> 1 +0000"),
        (b"author  A  <a@b> 1 +0000", b"author User 1 <user1@example.com> 1 +0000"),
        (b"tagger A <a@b> x> 2  -01:00", b"tagger User 0 <user0@example.com> 2  -01"),
        (b"author A <a@b>\r1\t+0 x", b"author User 0 <user0@example.com> 1\t+0"),
        (b"author > A <a<b> 1+5", b"author User 2 <user2@example.com> 1+5"),
        (b"author mapped <m> 7 +0000", b"author new 7 +0000"),
        (b"author <> 1 +0000", b"author User 3 <user3@example.com> 1 +0000"),
    ],
)
def test_idents(line: bytes, expected: bytes) -> None:
    anonymizer = Anonymizer({b"mapped <m": b"new"})
    for earlier in (b"a A <a@b> 1 +0", b"a  A  <a@b> 1 +0", b"a > A <a<b> 1 +0"):
        anonymizer.ident_line(earlier)
    assert anonymizer.ident_line(line) == expected


MALFORMED = (b"A <a@b>\v1 +0", b"A <a@b> 1 - 0", b"A <a> +1 +0", b"A <a> x 1 +0", b"a > b < c 1 +0")


@pytest.mark.parametrize("ident", [*ODD_IDENTS[:5], ODD_IDENTS[6], *MALFORMED])
def test_malformed_idents(ident: bytes) -> None:
    line = Anonymizer({}).ident_line(b"author " + ident)
    assert line == b"author Malformed Ident <malformed@example.com> 0 -0000"


def test_names_of_refs() -> None:
    anonymizer = Anonymizer({b"refs": b"x", b"heads": b"y", b"keep": b"keep"})
    names = [
        *(b"refs/heads/main", b"refs/tags/main", b"refs/remotes/o/main", b"refs/notes/keep"),
        *(b"refs/heads", b"HEAD", b"", b"main~1"),
    ]
    assert [anonymizer.ref(name) for name in names] == [
        *(b"refs/heads/ref0", b"refs/tags/ref0", b"refs/remotes/ref1/ref0", b"refs/ref2/keep"),
        *(b"refs/y", b"ref3", b"", b"ref4"),
    ]


def test_oids_count_up_in_hexadecimal_digits() -> None:
    anonymizer = Anonymizer({b"a" * 40: b"12"})
    assert [anonymizer.oid(b"%040d" % number) for number in range(11)][-1] == b"0" * 39 + b"b"
    assert anonymizer.oid(b"a" * 40) == b"12"
    assert anonymizer.oid(b"%040d" % 9) == b"0" * 39 + b"a"


def test_warnings_and_ends_stay_where_they_are() -> None:
    writer = RecordWriter()
    writer.begin()
    writer.text(b"commit a\nmark :")
    writer.own()
    writer.text(b"\nauthor A <a> 1 +0\ncommitter C <c> 1 +0\n")
    writer.warn(b"careful")
    writer.text(b"gpgsig sha1 openpgp\ndata 14\nM 1 2 3\nD x\ny \ndata 0\nfrom " + b"a" * 40)
    writer.text(b"\n")
    writer.die(b"the end")
    writer.end()
    [record] = read_records(Anonymizer({}).records(writer.take()), 20)
    assert [part.argument for part in record.parts] == [b"", b"careful", b"the end", b""]
    assert [part.text for part in record.parts] == [
        b"commit ref0\nmark :",
        b"\nauthor User 1 <user1@example.com> 1 +0\ncommitter User 0 <user0@example.com> 1 +0\n",
        b"gpgsig sha1 openpgp\ndata 14\nM 1 2 3\nD x\ny \ndata 16\nsubject 0\n\nbody\nfrom "
        + b"1".rjust(40, b"0") + b"\n",
        b"",
    ]  # fmt: skip
