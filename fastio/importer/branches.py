"""Branches of a run: what each name stands for while the import goes on.

A branch needs no open tree between commits: its root's oid is enough, since trees are cached by
oid. So any number of branches can be worked on in turn at the same cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from fastio.errors import StreamError
from fastio.objects.kinds import Oid
from fastio.store.ref_names import check_ref_format


class Branch:
    """A name's current commit and tree.

    Attributes:
        name: The full ref name, as written in the stream.
        tip: The newest commit's oid; None while the branch is unborn.
        tree: The root tree's oid; None for an empty tree.
        delete: Whether the ref goes away at the next update if there is no tip then.
        notes: How many notes the tree holds, 0 when not counted yet. As in git only deleteall
            resets it, not another tree that ``from`` or ``reset`` brings.
        published: The tip at the last checkpoint, if today's descends from it by commits of this
            run alone.
        claimed: Whether it is known that a ref of that name is going to be made.
        newest: The entry of the last commit that was new when the branch got it; -1 without.
    """

    __slots__ = ("claimed", "delete", "name", "newest", "notes", "published", "tip", "tree")

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.tip: Oid | None = None
        self.tree: Oid | None = None
        self.delete = False
        self.notes = 0
        self.published: Oid | None = None
        self.claimed = False
        self.newest = -1


class BranchTable:
    """All branches of a run by their exact name.

    Args:
        is_reserved: Tells whether a ref of that name would write over something that is no ref.
    """

    def __init__(self, is_reserved: Callable[[bytes], bool] = lambda _name: False) -> None:
        self._is_reserved = is_reserved
        self._branches: dict[bytes, Branch] = {}

    def __len__(self) -> int:
        return len(self._branches)

    def get(self, name: bytes) -> Branch | None:
        """Return the branch of that exact name, if this run has one."""
        return self._branches.get(name)

    def open(self, name: bytes) -> Branch:
        """Return the branch of that name, made anew if need be.

        Raises:
            StreamError: No ref may have that name.
        """
        branch = self._branches.get(name)
        if branch is None:
            if not check_ref_format(name, allow_onelevel=True):
                raise StreamError(
                    f"branch name doesn't conform to GIT standards: {show(name)}", kind="ref-name"
                )
            if self._is_reserved(name):
                raise StreamError(
                    f"a ref would write over git's own '{show(name)}'", kind="reserved-name"
                )
            branch = self._branches[name] = Branch(name)
        return branch

    def in_update_order(self) -> list[Branch]:
        """Return all branches in the order in which git updates refs.

        It shows when two new names exclude each other (``x`` and ``x/y``): the first one wins. The
        order is that of a table of 1039 buckets, newest first in each.
        """
        newest_first = reversed(self._branches.values())
        return sorted(newest_first, key=_bucket)  # which keeps the order in each


def _bucket(branch: Branch) -> int:
    directory, slash, last = branch.name.rpartition(b"/")
    return _hash(last, _hash_of_directory(directory + slash)) % 1039


@lru_cache(4096)  # thousands of branches mostly have few directories
def _hash_of_directory(name: bytes) -> int:
    return _hash(name, 0)


def _hash(text: bytes, value: int) -> int:
    for byte in text:
        signed = byte - 256 if byte > 127 else byte
        value = (value * 31 + signed) & 0xFFFFFFFF
    return value


def show(name: bytes) -> str:
    """Make bytes of a name readable, with everything unprintable escaped."""
    return name.decode("utf-8", "backslashreplace").encode("unicode_escape").decode("ascii")
