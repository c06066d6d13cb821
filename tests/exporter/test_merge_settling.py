"""What stands for commits that --simplify-merges has dropped."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from fastio.exporter.merge_settling import MergeSettler
from fastio.objects.kinds import Oid
from tests.exporter.records import MAIN, ZERO, commit, reset
from tests.exporter.source import Source


def oids(letters: str) -> list[Oid]:
    return [Oid(letter.encode() * 20) for letter in letters]


def settler(kept: dict[str, str], parents: dict[str, str], **options: bool) -> MergeSettler:
    """Parents are letters; of those beyond the walk x leads to y, and nothing else."""

    def heads_of(ends: Sequence[Oid]) -> list[Oid]:
        x, y = oids("xy")
        return [end for end in ends if not (end == y and x in ends)]

    maps = ({oids(key)[0]: oids(value) for key, value in one.items()} for one in (kept, parents))
    return MergeSettler(*maps, heads_of, **options)


@pytest.mark.parametrize(
    ("parents", "expected"),
    [
        ({"d": "a"}, "a"),  # an only parent, kept
        ({"d": "e", "e": "f", "f": "b"}, "b"),
        ({"d": "r", "r": ""}, None),  # a root without changes
        ({"d": "ef", "e": "a", "f": "a"}, "a"),  # both come to the same
        ({"d": "ab"}, "b"),  # b leads to a
        ({"d": "ba"}, "b"),
        ({"d": "ra", "r": ""}, "a"),
        ({"d": "x"}, "x"),  # beyond the walk
        ({"d": "yx"}, "x"),
        ({"d": "ax"}, "d"),  # two are left
        ({}, "d"),  # itself beyond the walk
    ],
)
def test_what_stands_for_a_commit(parents: dict[str, str], expected: str | None) -> None:
    found = settler({"b": "c", "c": "a", "a": ""}, parents).settle(*oids("d"))
    assert found == (oids(expected)[0] if expected else None)


def test_what_is_kept_stands_for_itself() -> None:
    kept = {"b": "a", "a": ""}
    assert settler(kept, kept).settle(*oids("b")) == oids("b")[0]


def test_behind_a_first_parent_others_are_still_there() -> None:
    one = settler({"a": ""}, {"d": "e", "e": "ar", "r": ""}, first_parents=True)
    assert [one.settle(oid) for oid in oids("de")] == oids("ae")


def test_a_long_history_needs_no_recursion() -> None:
    names = [Oid(number.to_bytes(20, "big")) for number in range(5000)]
    parents = {name: [parent] for parent, name in itertools.pairwise(names)}
    one = MergeSettler({names[0]: []}, parents, list)
    assert one.settle(names[-1]) == names[0]


def test_refs_are_set_to_what_is_left_of_their_history(source: Source) -> None:
    file, other = b"M 100644 inline f\ndata 2\n%d", b"M 100644 inline other\ndata 2\n%d"
    source.load(
        commit(1, file % 11, root=True)
        + commit(2, b"from :1", other % 22)
        + commit(3, b"from :1", other % 33)
        + commit(4, b"from :2", b"merge :3", other % 44)  # a merge that is dropped
        + commit(5, b"from :4", file % 55, ref=b"refs/heads/side")
        + reset(b"refs/heads/z", b":2")
        + commit(6, other % 66, root=True, ref=b"refs/heads/lost")
    )
    stream = source.stream("--all", "--no-data", "--simplify-merges", "--", "--", "f")
    assert stream.count(b"commit ") == 2
    # z gives its name to the first commit.
    assert stream.endswith(b"\n\n" + reset(MAIN, b":1") + reset(b"refs/heads/lost", ZERO))
