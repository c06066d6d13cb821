"""The native walk, beside its model, over random histories with equal and skewed dates."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.errors import ObjectError
from fastio.exporter._commit_table import CommitTable, UnusualCommitError
from fastio.exporter._native_walk import DateWalk
from fastio.exporter.marks import MarkTable
from fastio.objects.kinds import COMMIT, SHA1, Oid
from fastio.store.loose import write_loose
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.exporter.skeletons import mark_table
from tests.exporter.walk_model import model_walk
from tests.store.work import Work

TREE = SHA1.hash_object(2, b"")


class Commits:
    """A repository to put commits into."""

    def __init__(self, path: Path) -> None:
        work = Work(path)
        self.store = ObjectStore(Repository.discover(os.fsencode(work.path), dict(os.environ)))
        self._directory = os.fsencode(work.path / ".git/objects")
        self._numbers = itertools.count()
        self.parents: dict[Oid, list[Oid]] = {}
        self.dates: dict[Oid, int] = {}

    def add(self, parents: list[Oid], date: int) -> Oid:
        """Write a commit unlike all others."""
        headers = b"".join(b"parent %s\n" % oid.hex().encode() for oid in parents)
        idents = b"author A <a> 1 +0\ncommitter C <c> %d +0\n" % date
        oid = self.write(headers + idents + b"\n%d" % next(self._numbers))
        self.parents[oid], self.dates[oid] = parents, date
        return oid

    def write(self, rest: bytes) -> Oid:
        """Write a commit, given by what follows its tree."""
        body = b"tree %s\n" % TREE.hex().encode() + rest
        oid = SHA1.hash_object(COMMIT, body)
        write_loose(self._directory, oid, COMMIT, body)
        return oid

    def table(self, ended: MarkTable | None = None) -> CommitTable:
        """A fresh table that reads them, but for those that are taken for roots."""
        return CommitTable(ObjectReader(self.store, memory=1 << 20), ended=ended)


@pytest.fixture(scope="module")
def commits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commits]:
    made = Commits(tmp_path_factory.mktemp("walk") / "work")
    yield made
    made.store.close()


# For each commit: how far back its parents are, and how much later than the last one it is.
histories = st.lists(
    st.tuples(st.lists(st.integers(1, 6), max_size=3), st.sampled_from((0, 0, 1, 1, 5, -7))),
    min_size=1,
    max_size=24,
)
starts = st.lists(st.tuples(st.integers(1, 24), st.booleans()), min_size=1, max_size=6)


def make(commits: Commits, history: list[tuple[list[int], int]]) -> list[Oid]:
    """Write all commits of a history."""
    date = 100
    made: list[Oid] = []
    for distances, later in history:
        date += later
        made.append(commits.add([made[-far] for far in distances if far <= len(made)], date))
    return made


@given(histories, starts)
def test_walk_agrees_with_its_model(
    commits: Commits, history: list[tuple[list[int], int]], starts: list[tuple[int, bool]]
) -> None:
    made = make(commits, history)
    ends = [(made[-(far % len(made))], is_negative) for far, is_negative in starts]
    names: dict[Oid, bytes] = {}
    for number, (oid, _) in enumerate(ends):
        names.setdefault(oid, b"%d" % number)
    walk = DateWalk(commits.table()).run(ends, names, None)
    rows = [(walk.oid(row), walk.name(row)) for row in range(len(walk))]
    assert rows == model_walk(commits.parents, commits.dates, ends, names)
    for row, (oid, _) in enumerate(rows):
        assert [parent for parent, _ in walk.parents(row)] == commits.parents[oid]
        assert walk.tree(row) == TREE


@given(histories, starts, st.lists(st.integers(1, 24), min_size=1, max_size=3), st.booleans())
def test_below_marks_without_gaps_nothing_needs_to_be_read(
    commits: Commits,
    history: list[tuple[list[int], int]],
    starts: list[tuple[int, bool]],
    exported: list[int],
    has_gap: bool,
) -> None:
    made = make(commits, history)
    marked: set[Oid] = set()
    pending = [made[-(far % len(made))] for far in exported]
    while pending:
        if (oid := pending.pop()) not in marked:
            marked.add(oid)
            pending += commits.parents[oid]
    if has_gap and len(marked) > 1:
        marked.remove(min(marked))
    marks = mark_table([oid.hex() for oid in marked])
    is_closed = all(marked.issuperset(commits.parents[oid]) for oid in marked)
    assert commits.table().is_closed(marks) == is_closed
    if not is_closed:
        return
    ends = [(made[-(far % len(made))], False) for far, _ in starts]
    names = {oid: oid for oid, _ in ends}
    walks = [DateWalk(commits.table(ended)).run(ends, names, marks) for ended in (None, marks)]
    rows = [
        [(walk.oid(n), walk.name(n), walk.parents(n)) for n in range(len(walk))] for walk in walks
    ]
    assert rows[0] == rows[1]


def test_marked_commits_are_left_out_and_known_as_parents(commits: Commits) -> None:
    root = commits.add([], 1)
    middle = commits.add([root], 2)
    tip = commits.add([middle], 3)
    marks = mark_table([middle.hex()])
    walk = DateWalk(commits.table()).run([(tip, False)], {tip: b"x"}, marks)
    assert [walk.oid(row) for row in range(len(walk))] == [root, tip]
    assert walk.parents(1) == [(middle, True)]


@pytest.mark.parametrize(
    "rest",
    [
        b"committer C <c> 1 +0\n\n",
        b"author A <a> 1 +0\ncommitter C <c> x +0\n\n",
        b"author A <a> 1 +0\ncommitter C <c> > 1 +0\n\n",
        b"author A <a> 1 +0\ncommitter C <c> 1 +0\n",
        b"author A <a> 1 +0\ncommitter C <c> -1 +0\n\n",
        b"author A <a> 1 +0\ncommitter C <c> 1234567890123456789 +0\n\n",
        b"parent 12\nauthor A <a> 1 +0\ncommitter C <c> 1 +0\n\n",
    ],
)
def test_what_gits_may_read_in_different_ways_is_left_to_git(commits: Commits, rest: bytes) -> None:
    oid = commits.write(rest)
    with pytest.raises(UnusualCommitError):
        DateWalk(commits.table()).run([(oid, False)], {oid: b"x"}, None)


def test_missing_parent_is_an_error(commits: Commits) -> None:
    absent = Oid(b"\x01" * 20)
    oid = commits.add([absent], 1)
    with pytest.raises(ObjectError, match=absent.hex()):
        DateWalk(commits.table()).run([(oid, False)], {oid: b"x"}, None)
