"""A branch's tree during one commit: what fast-import's M, D, C, R and deleteall do to it.

The editor keeps a node for each directory that the commit touches. A node knows the oid of the
directory's old version, reads its bytes when a look-up first needs them, and collects changes by
name: None (removed), ``(mode, oid)``, or a child node. So a directory that nobody touches is never
read, and a file that becomes a directory is nothing special: the name has a new value.

`TreeEditor.write` then edits each dirty directory once, children first. A directory that became
empty leaves its parent; only the root may be written empty. Nothing but oids needs to outlive the
commit: the next one starts with a new editor on the root that this one returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, cast

from fastio.errors import StreamError
from fastio.objects.kinds import SHA1, ObjectFormat, Oid
from fastio.objects.path_check import check_path
from fastio.objects.trees import (
    DIRECTORY,
    LoadTree,
    edit_tree,
    empty_tree_oid,
    entries,
    find_entry,
    is_directory,
    tree_delta,
)

StoreTree = Callable[[bytes, Oid | None, bytes | None], Oid]
CheckPath = Callable[[bytes, int], None]
Leaf = tuple[int, Oid]
Changes: TypeAlias = "dict[bytes, Leaf | Node | None]"


class Node:
    """One directory while it is edited."""

    __slots__ = ("base", "changes", "data", "mode", "previous")

    def __init__(
        self, base: Oid | None, previous: Oid | None = None, mode: int = DIRECTORY
    ) -> None:
        self.base = base
        self.mode = mode  # an old tree's odd permission bits stay as they were
        self.data: bytes | None = None  # the base's bytes, once they were needed
        self.changes: Changes = {}
        # What stood at this path before deleteall took it away: a delta base, nothing more.
        self.previous = previous

    def clone(self) -> Node:
        """Return an independent copy; only what is dirty is copied."""
        root = Node(self.base, self.previous, self.mode)
        waiting = [(self, root)]
        while waiting:
            source, copy = waiting.pop()
            copy.data = source.data
            for name, value in source.changes.items():
                if type(value) is Node:
                    child = Node(value.base, value.previous, value.mode)
                    waiting.append((value, child))
                    value = child
                copy.changes[name] = value
        return root


class TreeEditor:
    """Edits one tree by paths.

    Args:
        load_tree: Returns a tree's canonical bytes.
        store_tree: Is given a new tree's bytes, the oid of its old version and the delta against
            that (both may be None), and returns the new oid.
        root: The tree to start from, None for an empty one.
        object_format: The repository's hash algorithm.
        check: Raises StreamError for a path that must not enter a tree.
        ignore_case: Let look-ups match existing names in another case (``core.ignoreCase``).
    """

    def __init__(
        self,
        load_tree: LoadTree,
        store_tree: StoreTree,
        root: Oid | None,
        object_format: ObjectFormat = SHA1,
        *,
        check: CheckPath = check_path,
        ignore_case: bool = False,
    ) -> None:
        self._load, self._store, self._check = load_tree, store_tree, check
        self._oid_size = object_format.oid_size
        self._empty_oid = _empty_oid(object_format)
        self._ignore_case = ignore_case
        self._root = Node(root)

    # Reading

    def get(self, path: bytes) -> Leaf | None:
        """Return what stands at *path*, or None; a dirty directory is written for its oid.

        Raises:
            StreamError: *path* has an empty component behind an existing directory.
        """
        value = self._find(path)
        if type(value) is not Node:
            return cast("Leaf | None", value)
        if value is self._root:
            return DIRECTORY, self.write()
        oid = self._write_below(value)
        return None if oid is None else (value.mode, oid)

    def children(self, node: Node | Oid | None = None) -> Iterator[tuple[bytes, Leaf | Node]]:
        """Yield name and value of each entry in *node* (the root if None) as edited so far."""
        node = self._root if node is None else node
        if not isinstance(node, Node):
            node = Node(node)
        changes = node.changes
        for name, mode, oid in entries(self._data(node), self._oid_size):
            if name not in changes:
                yield name, (mode, Oid(oid))
        for name, value in list(changes.items()):
            if value is not None:
                yield name, value

    # Changes

    def set(self, path: bytes, mode: int, oid: Oid) -> None:
        """Put an entry at *path*, replacing what is there (M).

        Raises:
            StreamError: *path* may not enter a tree, or *mode* cannot be the root's.
        """
        if mode == DIRECTORY and oid == self._empty_oid and path:
            self.remove(path)
            return
        self._put(path, (mode, oid))

    def remove(self, path: bytes) -> bool:
        """Remove *path* with all below it (D); return whether anything was there."""
        return self._take(path) is not None

    def copy(self, source: bytes, destination: bytes) -> None:
        """Put a snapshot of *source* at *destination* (C).

        Raises:
            StreamError: *source* is missing, or *destination* may not enter a tree.
        """
        value = self._find(source) if source else self._whole()
        if type(value) is Node:
            if value.base is None or value.changes:
                value = value.clone()
            else:
                value = value.mode, value.base
        self._place(source, destination, value)

    def rename(self, source: bytes, destination: bytes) -> None:
        """Take *source* out of the tree, then put it at *destination* (R).

        Raises:
            StreamError: *source* is missing, or *destination* may not enter a tree.
        """
        value = self._take(source) if source else self._whole()
        if value is self._root:
            self.clear()
        self._place(source, destination, value)

    def clear(self) -> None:
        """Empty the tree (deleteall); its old version still serves as delta base."""
        self._root = Node(None, self._root.base or self._root.previous)

    def replace_root(self, oid: Oid | None) -> None:
        """Let the tree be *oid*, which is taken to exist."""
        self._root = Node(oid)

    # Writing

    def write(self) -> Oid:
        """Store every dirty directory and return the root's oid."""
        root = self._root
        oid = self._write_below(root)
        if oid is None:
            oid = root.base = self._store(b"", None, None)
        return oid

    def _write_below(self, top: Node) -> Oid | None:
        """Store *top* and what is dirty below it; return None if it is empty.

        Without recursion: a path may have more components than Python has stack.
        """
        order: list[tuple[Node, bytes, Node]] = [(top, b"", top)]
        for _, _, node in order:
            order += [
                (node, name, value)
                for name, value in node.changes.items()
                if type(value) is Node
            ]
        oid: Oid | None = None
        for parent, name, node in reversed(order):
            oid = self._write_one(node)
            if parent is not node:
                parent.changes[name] = None if oid is None else (node.mode, oid)
        return oid

    def _write_one(self, node: Node) -> Oid | None:
        """Store *node*, whose children are oids by now."""
        changes = node.changes
        if not changes:
            return node.base
        old = self._data(node)
        new, delta = edit_tree(old, cast("dict[bytes, Leaf | None]", changes), self._oid_size)
        node.changes = {}
        if new is old:
            return node.base
        base, previous = node.base, node.previous
        node.base, node.data, node.previous = None, new, None
        if not new:
            return None
        if base is None and previous is not None:
            previous_data = self._load(previous)
            if new == previous_data:
                node.base = previous
                return previous
            base, delta = previous, tree_delta(previous_data, new, self._oid_size)
        node.base = self._store(new, base, delta)
        return node.base

    # Paths

    def _data(self, node: Node) -> bytes:
        data = node.data
        if data is None:
            base = node.base
            data = b"" if base is None or base == self._empty_oid else self._load(base)
            node.data = data
        return data

    def _look_up(self, node: Node, name: bytes) -> Leaf | Node | None:
        if name in node.changes:
            return node.changes[name]
        return cast("Leaf | None", find_entry(self._data(node), name, self._oid_size))

    def _spelling(self, node: Node, name: bytes) -> bytes:
        """Return *name* as *node* spells it already, be it deleted in this commit."""
        wanted = name.lower()
        names = [known for known, _, _ in entries(self._data(node), self._oid_size)]
        return next((known for known in [*names, *node.changes] if known.lower() == wanted), name)

    def _child(self, node: Node, name: bytes) -> Node | None:
        """Return directory *name* of *node* ready for changes, or None if it is none."""
        value = self._look_up(node, name)
        if type(value) is Node:
            return value
        if value is None or not is_directory(value[0]):
            return None
        child = node.changes[name] = Node(value[1], None, value[0])
        return child

    def _find(self, path: bytes) -> Leaf | Node | None:
        """Return what stands at *path*; an emptied directory counts as nothing."""
        node: Leaf | Node | None = self._root
        if not path or path.startswith(b"/"):
            return node
        for name in path.split(b"/"):
            if type(node) is not Node:
                if node is None or not is_directory(node[0]):
                    return None
                node = Node(node[1])  # only looked at, so it stays out of the changes
            if not name:
                raise StreamError("Empty path component found in input")
            if self._ignore_case:
                name = self._spelling(node, name)
            node = self._look_up(node, name)
        return None if type(node) is Node and self._is_empty(node) else node

    def _whole(self) -> Leaf | Node:
        """Return the root as a thing to copy; an empty one is a tree of its own then."""
        if self._is_empty(self._root):
            return DIRECTORY, self._store(b"", None, None)
        return self._root

    def _take(self, path: bytes) -> Leaf | Node | None:
        """Remove *path* and return what stood there."""
        node = self._root
        if not path:
            self.clear()
            return node
        *parents, name = path.split(b"/")
        for parent in parents:
            if self._ignore_case:
                parent = self._spelling(node, parent)
            child = self._child(node, parent)
            if child is None:
                return None
            node = child
        if self._ignore_case:
            name = self._spelling(node, name)
        value = self._look_up(node, name)
        if value is None or (type(value) is Node and self._is_empty(value)):
            return None
        node.changes[name] = None
        return value

    def _place(self, source: bytes, destination: bytes, value: Leaf | Node | None) -> None:
        if value is None:
            shown = source.decode("utf-8", "backslashreplace")
            raise StreamError(f"path {shown} is not in the branch")
        self._put(destination, value)

    def _put(self, path: bytes, value: Leaf | Node) -> None:
        mode = value[0] if type(value) is tuple else DIRECTORY
        if not path:
            if not is_directory(mode):
                raise StreamError("the root of a tree can only be a directory")
            self._root = value if isinstance(value, Node) else Node(value[1])
            return
        self._check(path, mode)
        node = self._root
        *parents, name = path.split(b"/")
        for parent in parents:
            if self._ignore_case:
                parent = self._spelling(node, parent)
            child = self._child(node, parent)
            if child is None:
                child = node.changes[parent] = Node(None, self._previous(node, parent))
            node = child
        if self._ignore_case:
            name = self._spelling(node, name)
        node.changes[name] = value

    def _previous(self, node: Node, name: bytes) -> Oid | None:
        """Return the oid of directory *name* in what *node* was before deleteall."""
        if node.previous is None:
            return None
        found = find_entry(self._load(node.previous), name, self._oid_size)
        return Oid(found[1]) if found is not None and is_directory(found[0]) else None

    def _is_empty(self, top: Node) -> bool:
        """Tell whether the changes leave nothing of *top*."""
        order = [top]
        for node in order:
            if not node.changes:
                if node.base is not None:
                    return False
                continue
            for _, value in self.children(node):
                if type(value) is not Node:
                    return False
                order.append(value)
        return True


_EMPTY_OIDS: dict[str, Oid] = {}


def _empty_oid(object_format: ObjectFormat) -> Oid:
    """Hash the empty tree once, not for every commit."""
    oid = _EMPTY_OIDS.get(object_format.name)
    if oid is None:
        oid = _EMPTY_OIDS[object_format.name] = empty_tree_oid(object_format)
    return oid
