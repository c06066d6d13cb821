"""The directories that a commit touches, as nodes that collect changes.

A node knows the oid of its directory's old version, reads the bytes when a look-up first needs
them, and holds changes by name: None (removed), ``(mode, oid)``, or a child node. So a directory
that nobody touches is never read, and a file that becomes a directory is nothing special: the name
has a new value. Writing edits each dirty directory once, children first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias, cast, final

from fastio.objects.kinds import ObjectFormat, Oid
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
Leaf = tuple[int, Oid]
Changes: TypeAlias = "dict[bytes, Leaf | Node | None]"

_empty_oid = cache(empty_tree_oid)  # an editor is made for every commit


@final
class Node:
    """One directory while it is edited."""

    __slots__ = ("base", "changes", "data", "mode", "previous", "touched")

    def __init__(
        self, base: Oid | None, previous: Oid | None = None, mode: int = DIRECTORY
    ) -> None:
        self.base = base
        self.mode = mode  # an old tree's odd permission bits stay as they were
        self.data: bytes | None = None  # the base's bytes, once they were needed
        self.changes: Changes = {}
        # What this commit took away from this path earlier on: a delta base, nothing more.
        self.previous = previous
        # Whether something in here was another way meanwhile, even if it no longer is.
        self.touched = False

    def change(self, name: bytes, value: Leaf | Node | None) -> None:
        """Put *value* in the place of what is called *name*."""
        self.touched |= name in self.changes and self.changes[name] != value
        self.changes[name] = value

    def clone(self) -> Node:
        """Return an independent copy; only what is dirty is copied."""
        root = Node(self.base, self.previous, self.mode)
        waiting = [(self, root)]
        while waiting:
            source, copy = waiting.pop()
            copy.data, copy.touched = source.data, source.touched
            for name, value in source.changes.items():
                if type(value) is Node:
                    child = Node(value.base, value.previous, value.mode)
                    waiting.append((value, child))
                    value = child
                copy.changes[name] = value
        return root


class NodeTree:
    """A root node, and how nodes below it are found, listed and written.

    Args:
        load_tree: Returns a tree's canonical bytes.
        store_tree: Is given a new tree's bytes, the oid of its old version and the delta against
            that (None both of them if there is no such version), and returns the new oid.
        root: The tree to start from, None for an empty one.
        object_format: The repository's hash algorithm.
    """

    def __init__(
        self,
        load_tree: LoadTree,
        store_tree: StoreTree,
        root: Oid | None,
        object_format: ObjectFormat,
    ) -> None:
        self._load, self._store = load_tree, store_tree
        self._oid_size = object_format.oid_size
        self._empty_oid = _empty_oid(object_format)
        self._root = Node(root)

    def children(self, node: Node | Oid | None = None) -> Iterator[tuple[bytes, Leaf | Node]]:
        """Yield name and value of each entry in *node* (the root if None) as edited so far."""
        node = self._root if node is None else node
        if not isinstance(node, Node):
            node = Node(node)
        changes = dict(node.changes)
        changed = set(changes)
        for name, mode, oid in entries(self._data(node), self._oid_size):
            if name in changed:
                changed.remove(name)  # of several called so, the first one is meant
            else:
                yield name, (mode, oid)
        for name, value in changes.items():
            if value is not None:
                yield name, value

    def write(self) -> Oid:
        """Store every dirty directory and return the root's oid; editing may go on."""
        oid = self._write_below(self._root)
        if oid is None:
            oid = self._root.base = self._store(b"", None, None)
        return oid

    def _write_below(self, top: Node) -> Oid | None:
        """Store *top* and what is dirty below it; return None if it is empty.

        Children come before their parent, and those of one directory in order of their names.
        Without recursion: a path may have more components than Python has stack.
        """
        order: list[tuple[Node, bytes, Node]] = []
        waiting = [(top, b"", top)]
        while waiting:
            parent, name, node = waiting.pop()
            order.append((parent, name, node))
            below = [name for name, value in node.changes.items() if type(value) is Node]
            waiting += [(node, name, cast("Node", node.changes[name])) for name in sorted(below)]
        oid: Oid | None = None
        for parent, name, node in reversed(order):
            parent.touched |= node.touched
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
        leaves = cast("dict[bytes, Leaf | None]", changes)
        new, delta = edit_tree(old, leaves, self._oid_size, touched=node.touched)
        node.changes, node.touched = {}, False
        if new is old and new:
            return node.base
        base, previous = node.base, node.previous
        node.base, node.data, node.previous = None, new, base or previous
        if not new:
            return None
        node.previous = None
        if base is None and previous is not None:
            previous_data = self._read(previous)
            if new == previous_data:
                node.base = previous
                return previous
            base, delta = previous, tree_delta(previous_data, new, self._oid_size)
        node.base = self._store(new, None if delta is None else base, delta)
        return node.base

    def _read(self, oid: Oid | None) -> bytes:
        """Load a tree, but not the empty one: that need not exist."""
        return b"" if oid is None or oid == self._empty_oid else self._load(oid)

    def _data(self, node: Node) -> bytes:
        data = node.data
        if data is None:
            data = node.data = self._read(node.base)
        return data

    def _look_up(self, node: Node, name: bytes) -> Leaf | Node | None:
        if name in node.changes:
            return node.changes[name]
        return find_entry(self._data(node), name, self._oid_size)

    def _child(self, node: Node, name: bytes) -> Node | None:
        """Return directory *name* of *node* ready for changes, or None if it is none."""
        value = self._look_up(node, name)
        if type(value) is Node:
            return value
        if value is None or not is_directory(value[0]):
            return None
        child = node.changes[name] = Node(value[1], None, value[0])
        return child

    def _previous(self, node: Node, name: bytes) -> Oid | None:
        """Return the oid of the directory called *name* that this commit took away, if any."""
        if node.previous is not None:
            data = self._read(node.previous)
        elif name in node.changes:
            data = self._data(node)
        else:
            return None
        found = find_entry(data, name, self._oid_size)
        return found[1] if found is not None and is_directory(found[0]) else None

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
