"""A branch's tree during one commit: what fast-import's M, D, C, R and deleteall do to it.

Nothing but the root's oid needs to outlive the commit: the next one starts with a new editor on
the root that the last one returned. A directory that becomes empty leaves its parent; only the
root may be written empty.
"""

from __future__ import annotations

from collections.abc import Callable

from fastio.errors import StreamError
from fastio.objects.kinds import SHA1, ObjectFormat, Oid
from fastio.objects.path_check import check_path
from fastio.objects.tree_nodes import Leaf, Node, NodeTree, StoreTree
from fastio.objects.trees import DIRECTORY, LoadTree, is_directory

CheckPath = Callable[[bytes, int], None]


class TreeEditor(NodeTree):
    """Edits one tree by paths.

    Args:
        load_tree: Returns a tree's canonical bytes.
        store_tree: Is given a new tree's bytes, the oid of its old version and the delta against
            that (None both of them if there is no such version), and returns the new oid.
        root: The tree to start from, None for an empty one.
        object_format: The repository's hash algorithm.
        check: Raises StreamError for a path that must not enter a tree.
    """

    def __init__(
        self,
        load_tree: LoadTree,
        store_tree: StoreTree,
        root: Oid | None,
        object_format: ObjectFormat = SHA1,
        *,
        check: CheckPath = check_path,
    ) -> None:
        super().__init__(load_tree, store_tree, root, object_format)
        self._check = check

    def get(self, path: bytes) -> Leaf | None:
        """Return what stands at *path*, or None; a dirty directory is written for its oid.

        Raises:
            StreamError: *path* has an empty component behind an existing directory.
        """
        value = self._find(path)
        if type(value) is not Node:
            return value
        if value is self._root:
            return DIRECTORY, self.write()
        oid = self._write_below(value)
        return None if oid is None else (value.mode, oid)

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
                raise StreamError("Empty path component found in input", kind="empty-component")
            node = self._look_up(node, name)
        return None if type(node) is Node and self._is_empty(node) else node

    def _whole(self) -> Leaf | Node:
        """Return the root as a thing to copy; an empty one is a tree of its own then."""
        if self._is_empty(self._root):
            return DIRECTORY, self._store(b"", None, None)
        return self._root

    def _take(self, path: bytes) -> Leaf | Node | None:
        """Remove *path* and return what stood there."""
        above = node = self._root
        if not path:
            self.clear()
            return node
        *parents, name = path.split(b"/")
        for parent in parents:
            child = self._child(node, parent)
            if child is None:
                # git takes it for a change of the directory above if there is a file.
                above.touched |= above is not node and self._look_up(node, parent) is not None
                return None
            above, node = node, child
        value = self._look_up(node, name)
        if value is None or (type(value) is Node and self._is_empty(value)):
            return None
        node.change(name, None)
        return value

    def _place(self, source: bytes, destination: bytes, value: Leaf | Node | None) -> None:
        if value is None:
            shown = source.decode("utf-8", "backslashreplace")
            raise StreamError(f"path {shown} is not in the branch", kind="absent-source")
        self._put(destination, value)

    def _put(self, path: bytes, value: Leaf | Node) -> None:
        mode = value[0] if type(value) is tuple else DIRECTORY
        if not path:
            if not is_directory(mode):
                raise StreamError("the root of a tree can only be a directory", kind="root")
            self._root = value if isinstance(value, Node) else Node(value[1])
            return
        self._check(path, mode)
        node = self._root
        *parents, name = path.split(b"/")
        for parent in parents:
            child = self._child(node, parent)
            if child is None:
                child = Node(None, self._previous(node, parent))
                node.change(parent, child)
            elif child.mode != DIRECTORY and self._is_empty(child):
                child.mode = DIRECTORY  # for git it is gone already, and comes anew
            node = child
        node.change(name, value)
        node.touched |= is_directory(mode)  # for git that is a change, whatever was there
