"""What the names in ``from``, ``merge``, ``to``, ``N`` and ``tag`` stand for.

Three steps, in git's order: an exact branch name of this run, a mark, and at last any revision
expression, which git resolves against the repository on disk.
"""

from __future__ import annotations

from binascii import Error as HexError
from binascii import unhexlify
from typing import TYPE_CHECKING

from fastio.errors import ObjectError, StreamError
from fastio.importer.branches import BranchTable, show
from fastio.objects.commits import parse_commit
from fastio.objects.kinds import COMMIT, NAMES, TAG, TREE, Oid
from fastio.objects.tags import parse_tag

if TYPE_CHECKING:
    from fastio.importer.object_sink import ObjectSink
    from fastio.store.revisions import Revisions
    from fastio.stream.commands import Committish

# Trees of so many commits and tags at least are remembered, and of twice as many at most: histories
# mostly branch off from recent ones.
REMEMBERED_TREES = 10_000


class CommittishResolver:
    """Finds the commits and objects that a stream names.

    Attributes:
        rewrites: What to take for which oid in a dataref (of either object format).
    """

    def __init__(self, sink: ObjectSink, branches: BranchTable, revisions: Revisions) -> None:
        self._sink, self._branches, self._revisions = sink, branches, revisions
        self._trees: dict[Oid, Oid] = {}
        self._older_trees: dict[Oid, Oid] = {}
        self.rewrites: dict[Oid, Oid] = {}

    def commit(self, value: Committish) -> Oid | None:
        """Return the commit that *value* names; None for a branch that is unborn.

        Raises:
            StreamError: There is none.
        """
        if isinstance(value, int):
            return self.marked_commit(value)
        branch = self._branches.get(value)
        if branch is not None:
            return branch.tip
        oid = self._revisions.resolve(value) if value else None
        if oid is None:
            raise StreamError(
                f"invalid ref name or not a valid commit: {show(value)}", kind="committish"
            )
        return oid

    def marked_commit(self, mark: int) -> Oid:
        """Return the oid of a mark that must be a commit's."""
        entry = self.entry_of_mark(mark)
        kind = self._sink.map.kind(entry)
        if kind != COMMIT:
            raise StreamError(
                f"mark :{mark} is not a commit but a {NAMES[kind].decode()}", kind="mark-type"
            )
        return Oid(self._sink.map.oid(entry))

    def entry_of_mark(self, mark: int) -> int:
        """Return the object map's entry of a mark.

        Raises:
            StreamError: No object carries it.
        """
        entry = self._sink.marks.get(mark)
        if entry < 0:
            raise StreamError(f"mark :{mark} not declared", kind="undeclared-mark")
        return entry

    def any_object(self, value: Committish) -> tuple[int, Oid]:
        """Return type and oid of whatever *value* names, nothing peeled, for ``tag``."""
        if isinstance(value, int):
            entry = self.entry_of_mark(value)
            return self._sink.map.kind(entry), Oid(self._sink.map.oid(entry))
        branch = self._branches.get(value)
        if branch is not None:
            if branch.tip is None:
                raise StreamError(f"can't tag an empty branch: {show(value)}", kind="empty-branch")
            return COMMIT, branch.tip
        oid = self.full_oid(value)
        if oid is not None:
            entry = self._sink.map.find(oid)
            if entry >= 0:
                return self._sink.map.kind(entry), oid
        found = self._revisions.resolve_object(value) if value else None
        if found is None:
            raise StreamError(f"not a valid object: {show(value)}", kind="committish")
        return found

    def full_oid(self, text: bytes) -> Oid | None:
        """Return the oid that *text* spells out in full, if it does."""
        if len(text) != 2 * self._sink.object_format.oid_size:
            return None
        try:
            return Oid(unhexlify(text))
        except HexError:
            return None

    def dataref_oid(self, text: bytes) -> Oid:
        """Return the oid that a dataref of ``M``, ``N``, ``cat-blob`` or ``ls`` means.

        Raises:
            StreamError: It is none of this repository's object format, nor one to rewrite.
        """
        oid = self.full_oid(text)
        if self.rewrites:
            oid = self.rewrites.get(Oid(unhexlify(text)), oid)
        if oid is None:
            raise StreamError(f"invalid dataref: {show(text)}", kind="dataref")
        return oid

    def remember_tree(self, commit: Oid, tree: Oid) -> None:
        """Note a commit's tree, so that it need not be read back."""
        if len(self._trees) >= REMEMBERED_TREES:
            self._older_trees, self._trees = self._trees, {}
        self._trees[commit] = tree

    def _known_tree(self, oid: Oid) -> Oid | None:
        return self._trees.get(oid) or self._older_trees.get(oid)

    def tree_of_any(self, oid: Oid) -> Oid:
        """Return the tree that a tree-ish stands for, tags and commits peeled.

        Raises:
            StreamError: It is none, or is missing.
        """
        tree = self._known_tree(oid)
        if tree is None:
            tree = self._peel(oid)
            self.remember_tree(oid, tree)
        return tree

    def _peel(self, oid: Oid) -> Oid:
        while True:
            try:
                kind, body = self._sink.read(oid)
            except ObjectError as error:
                raise StreamError(f"can't load tree-ish: {error}") from error
            if kind == TREE:
                return oid
            if kind == COMMIT:
                return self.tree_of(oid)
            if kind != TAG:
                raise StreamError(f"not a tree-ish: {oid.hex()}")
            oid = parse_tag(body)[0]

    def tree_of(self, commit: Oid) -> Oid:
        """Return a commit's root tree.

        Raises:
            ObjectError: The commit is missing or is none.
        """
        tree = self._known_tree(commit)
        if tree is None:
            kind, body = self._sink.read(commit)
            if kind != COMMIT:
                raise ObjectError(f"object {commit.hex()} is not a commit")
            tree = parse_commit(body, self._sink.object_format.oid_size)[0]
            self.remember_tree(commit, tree)
        return tree
