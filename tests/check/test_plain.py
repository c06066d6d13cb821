"""The fast path passes over nothing that the parser would tell of."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from fastio.check.plain import PlainScan
from fastio.store.marks import MarkTable
from fastio.stream.parser import StreamParser
from tests.check.checking import check
from tests.check.planted import MISTAKES, WHO
from tests.differential import words
from tests.differential.mutate import mutate

NUMBER = st.integers(0, 2**32)


def history(rng: random.Random) -> list[bytes]:
    """The lines and bodies of blobs and commits that are plain, but for a few paths."""
    chunks: list[bytes] = []
    marks: dict[str, list[int]] = {"blob": [], "commit": []}
    for mark in range(1, rng.choice((4, 12, 30))):
        kind = rng.choice(("blob", "blob", "commit"))
        if kind == "blob":
            chunks += [b"blob\n", b"mark :%d\n" % mark, *_data(rng)]
        else:
            chunks += [b"commit %b\n" % rng.choice((b"refs/heads/a", b"refs/heads/b"))]
            chunks += [b"mark :%d\n" % mark, *_header(rng, marks["commit"])]
            chunks += list(_changes(rng, marks["blob"]))
        marks[kind].append(mark)
    return [*chunks, b"done\n"]


def _data(rng: random.Random) -> list[bytes]:
    body = rng.choice((b"", b"abc", b"a\nb\n", "äö\n".encode(), b"blob\n", b"x" * 300))
    return [b"data %d\n" % len(body), body, rng.choice((b"", b"\n"))]


def _header(rng: random.Random, commits: list[int]) -> list[bytes]:
    chunks = [b"original-oid x\n"] if rng.random() < 0.1 else []
    chunks += [b"author " + WHO + b"\n"] if rng.random() < 0.5 else []
    chunks += [b"committer " + WHO + b"\n"]
    chunks += [b"encoding x\n"] if rng.random() < 0.1 else []
    chunks += _data(rng)
    if commits:
        chunks += [b"from :%d\n" % rng.choice(commits)] if rng.random() < 0.5 else []
        chunks += [b"merge :%d\n" % rng.choice(commits)] if rng.random() < 0.2 else []
    return chunks


def _changes(rng: random.Random, blobs: list[int]) -> Iterator[bytes]:
    for _ in range(rng.choice((0, 1, 2, 5))):
        path = rng.choice(words.PATHS if rng.random() < 0.9 else words.ODD_PATHS)
        path = path.replace(b"\n", b"")
        kind = rng.random()
        if kind < 0.1:
            yield b"deleteall\n"
        elif kind < 0.25:
            yield b"D %b\n" % path
        elif kind < 0.4 or not blobs:
            yield b"M %b inline %b\n" % (rng.choice(words.FILE_MODES), path)
            yield from _data(rng)
        else:
            yield b"M %b :%d %b\n" % (rng.choice(words.FILE_MODES), rng.choice(blobs), path)
    yield rng.choice((b"", b"\n"))


def said(stream: bytes, **options: Any) -> tuple[Any, ...]:
    """Return all that a check says of a stream."""
    checker = check(stream, **options)
    places = [
        (one.name, one.count, place.error.args, place.error.line, place.commit, place.branch)
        for one in checker.findings
        for place in one.places
    ]
    return places, checker.counts, checker.command_count, checker.bytes_read


def agrees(stream: bytes, piece: int) -> None:
    """Compare a check with one that has no fast path."""
    fast = said(stream, piece=piece)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StreamParser, "pass_over", lambda _self, _scan: False)
        assert said(stream) == fast


@given(NUMBER, st.integers(1, 200), st.booleans())
@settings(max_examples=200)
def test_a_check_says_the_same_without_it(seed: int, piece: int, damaged: bool) -> None:
    rng = random.Random(seed)
    chunks = history(rng)
    agrees(b"".join(mutate(chunks, rng, chunks) if damaged else chunks), piece)


@given(NUMBER, st.lists(st.sampled_from(MISTAKES), max_size=3), st.integers(1, 200))
def test_mistakes_are_told_the_same_without_it(seed: int, mistakes: list[Any], piece: int) -> None:
    rng = random.Random(seed)
    parts = [b"".join(history(rng)[:-1]), *(one.at(99)[0] for one in mistakes)]
    agrees(b"".join(part for part in parts for part in (part, *parts[:1])), piece)


@given(
    st.lists(st.sampled_from((b"a", b"B", b"b", b"/", b".", b"g", b"it", b"~", b"\\")), max_size=9)
)
@example([b".", b"g", b"it"])
def test_odd_paths_are_not_passed_over(parts: list[bytes]) -> None:
    path = b"".join(parts)
    for line in (
        b"M 644 :1 %b\n",
        b"M 120000 :1 %b\n",
        b"M 644 :1 a/b\nD %b\n",
        b"M 755 :1 a\nM 644 :1 %b\n",
    ):
        head = b"commit refs/heads/a\ncommitter " + WHO + b"\ndata 0\n"
        agrees(b"blob\nmark :1\ndata 0\n" + head + (head + line % path) * 2 + b"done\n", 1 << 20)


def test_plain_commands_are_passed_over() -> None:
    scan = PlainScan(MarkTable(), {b"refs/heads/a"}, dates_are_raw=True)
    head = b"commit refs/heads/a\nmark :%d\ncommitter " + WHO + b"\ndata 2\nhi\n"
    first = head % 2 + b"M 100644 :1 a/b\nM 755 inline c\ndata 1\nxD d\n\n"
    second = head % 3 + b"from :2\nmerge :2\ndeleteall\n"
    stream = b"\nblob\nmark :1\ndata 3\nabc\n" + first + second + b"done\nxyz"
    limits = {"max_line": 1000, "max_data": 1000, "optional_lf": True}
    assert scan.scan(stream, 0, len(stream), **limits) == (len(stream) - 8, 3, False)
    assert (scan.blobs, scan.commits) == (2, 2)


def test_the_scan_stays_in_its_buffer() -> None:
    scan = PlainScan(MarkTable(), set(), dates_are_raw=True)
    with pytest.raises(IndexError):
        scan.scan(b"blob", 0, 5, max_line=100, max_data=9, optional_lf=False)
