"""Everything that is wrong with a stream is found, where it is, and nothing else."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from fastio.check.kinds import KINDS
from tests.check.checking import check, found
from tests.check.planted import BEGINNINGS, ENDS, MISTAKES, WHO, Planted

GOOD = (
    b"blob\nmark :1\ndata 3\nabc\ncommit refs/heads/old\nmark :2\ncommitter " + WHO + b"\n"
    b"data 2\nhi\nM 644 :1 a\n\n"
)
START = b"feature done\n" + GOOD
END = GOOD.replace(b":1", b":3").replace(b":2", b":4") + b"done\n"

# Beside what is planted: the names in `from` and the like that only a repository could have.
BESIDE = frozenset(("elsewhere",))


def expected(parts: list[tuple[Planted, int]], before: int) -> set[tuple[str, int]]:
    """Return kind and offset of what is planted in *parts*, which stand behind *before* bytes."""
    places = set()
    for planted, number in parts:
        text, at = planted.at(number)
        places.add((planted.kind, before + at))
        before += len(text)
    return places


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    checker = check(START + END)
    assert list(checker.findings) == []
    assert checker.counts == {"blobs": 2, "commits": 2, "tags": 0, "refs": 1, "marks": 4}


@pytest.mark.parametrize("planted", MISTAKES, ids=lambda one: f"{one.kind} {one.text[-20:]}")
@pytest.mark.parametrize("piece", [1 << 20, 7])
def test_one_mistake_is_found_and_nothing_else(planted: Planted, piece: int) -> None:
    text, at = planted.at(7)
    places = found(START + text + END, piece=piece)
    assert (planted.kind, len(START) + at) in places
    others = [kind for kind, _ in places if kind not in BESIDE | {planted.kind}]
    assert others == []
    assert [kind for kind, _ in places].count(planted.kind) == 1


def test_commands_are_counted_from_one_and_commits_named() -> None:
    stream = (b"blob\nmark :1\ndata 0\n" + GOOD.replace(b":1", b":3")).replace(b"\n", b"\r\n")
    (lines, paths) = check(stream).findings
    where = [(place.error.line, place.error.command_number, place.commit) for place in lines.places]
    assert [one for one in where if one[0] != b"\r"] == [
        *((b"blob\r", 1, ""), (b"blob\r", 2, ""), (b"commit refs/heads/old\r", 3, "")),
        (b"committer %b\r" % WHO, 3, ":2"),
    ]
    assert [(place.error.command_number, place.commit) for place in paths.places] == [(3, ":2")]


@pytest.mark.parametrize("planted", BEGINNINGS, ids=lambda one: one.kind)
def test_mistakes_at_the_beginning(planted: Planted) -> None:
    text, at = planted.at(7)
    assert found(text + START + END) == [(planted.kind, at)]


@pytest.mark.parametrize("planted", ENDS, ids=lambda one: f"{one.kind} {one.text[-20:]}")
def test_mistakes_at_the_end(planted: Planted) -> None:
    text, at = planted.at(7)
    places = found((START if planted.kind == "done" else GOOD) + text)
    assert places == [(planted.kind, len(START if planted.kind == "done" else GOOD) + at)]


def test_every_kind_is_planted_somewhere() -> None:
    planted = {one.kind for one in (*MISTAKES, *BEGINNINGS, *ENDS)}
    assert set(KINDS) - planted == {"line", "data", "marks-file"}


@given(st.lists(st.sampled_from(MISTAKES), max_size=6), st.integers(1, 200))
@settings(max_examples=150)
def test_all_of_many_mistakes_are_found(mistakes: list[Planted], piece: int) -> None:
    parts = [(planted, 10 + number) for number, planted in enumerate(mistakes)]
    stream = START + b"".join(planted.at(number)[0] + GAP for planted, number in parts) + END
    places = found(stream, piece=piece)
    before = len(START)
    for planted, number in parts:
        text, at = planted.at(number)
        assert (planted.kind, before + at) in places
        before += len(text) + len(GAP)


GAP = b"reset refs/heads/gap\nfrom :2\n\n"
