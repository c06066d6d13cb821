"""Which commits descend from which, asked of git for many pairs at once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from fastio.errors import RepositoryError
from fastio.objects.kinds import Oid
from fastio.store.git import Git

Pair = tuple[Oid, Oid]
_COMMIT_LINE = rb"([0-9a-f]+) commit [0-9]+\Z"
# A git takes 2 ms to start; fewer pairs are asked for one by one.
_MIN_BATCH = 4
_MAX_WALK = 10_000  # commits, some 10 ms


def peel_to_commits(git: Git, oids: Iterable[Oid]) -> dict[Oid, Oid]:
    """Follow tags to commits; what leads to no commit is not in the result."""
    asked = list(oids)
    if not asked:
        return {}
    questions = b"".join(b"%s^{commit}\n" % oid.hex().encode() for oid in asked)
    answers = git.run("cat-file", "--batch-check", text=questions).stdout.splitlines()
    if len(answers) != len(asked):
        raise RepositoryError("git cat-file has ended early")
    found = (re.match(_COMMIT_LINE, answer) for answer in answers)
    return {
        oid: Oid(bytes.fromhex(match[1].decode()))
        for oid, match in zip(asked, found, strict=True)
        if match
    }


def find_descents(git: Git, pairs: Collection[Pair]) -> set[Pair]:
    """Find the pairs of commits whose first is an ancestor of the second, or the same.

    One listing of what is new since the first ones settles nearly all pairs that are
    descents, another one those whose first commits no second one reaches, as when all of a
    history was rewritten. Each of the others costs a git of its own.
    """
    undecided = {(old, new) for old, new in pairs if old != new}
    if len(undecided) >= _MIN_BATCH:
        parents = _list_new_commits(git, undecided)
        undecided = {pair for pair in undecided if not _is_reached(parents, *pair)}
    lost = _list_lost_commits(git, undecided) if len(undecided) >= _MIN_BATCH else set()
    return set(pairs) - {
        pair for pair in undecided if pair[0].hex().encode() in lost or not _is_ancestor(git, *pair)
    }


def _list_new_commits(git: Git, pairs: Iterable[Pair]) -> dict[bytes, list[bytes]]:
    """Parents of the commits between, as hex. What is an ancestor of any old one is left out."""
    # The old ones' parents are where to stop: the old ones themselves are to be seen.
    questions = b"".join(
        b"%s\n^%s^@\n" % (new.hex().encode(), old.hex().encode()) for old, new in pairs
    )
    listed = git.run("rev-list", "--parents", "--stdin", text=questions, capture_stderr=True)
    lines = map(bytes.split, listed.stdout.splitlines())
    return {commit: parents for commit, *parents in lines}


def _list_lost_commits(git: Git, pairs: Collection[Pair]) -> set[bytes]:
    """The old ones that no new one reaches, as hex.

    All of the new ones' history is listed: git ends a listing that leaves commits out by their
    dates, so that it may still have some of those if a parent is younger than its children.
    """
    questions = b"".join(b"%s\n" % new.hex().encode() for _, new in pairs)
    listed = git.run("rev-list", "--stdin", text=questions, capture_stderr=True)
    if listed.status:
        return set()
    return {old.hex().encode() for old, _ in pairs}.difference(listed.stdout.split())


def _is_reached(parents: dict[bytes, list[bytes]], old: Oid, new: Oid) -> bool:
    """Walk from *new*; True is certain, False only means that the walk ended."""
    goal, ahead = old.hex().encode(), [new.hex().encode()]
    seen: set[bytes] = set()
    while ahead and len(seen) < _MAX_WALK:
        commit = ahead.pop()
        if commit == goal:
            return True
        if commit not in seen:
            seen.add(commit)
            ahead += parents.get(commit, ())
    return False


def _is_ancestor(git: Git, old: Oid, new: Oid) -> bool:
    """Ask git; what it cannot tell, having said why on stderr, counts as no."""
    return git.run("merge-base", "--is-ancestor", old.hex(), new.hex()).status == 0
