"""Trees as canonical bytes: how to read them, edit them, and walk through them.

A tree stays ``bytes`` from one end of fastio to the other. Editing one directory is a single pass
over its bytes, which also yields the delta against the old version (see ``_trees.pyx``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fastio.errors import StreamError
from fastio.objects._trees import edit_tree, entries, find_entry, tree_delta
from fastio.objects.kinds import ObjectFormat, Oid

__all__ = [
    "DIRECTORY",
    "EXECUTABLE",
    "GITLINK",
    "REGULAR",
    "SYMLINK",
    "LoadTree",
    "edit_tree",
    "empty_tree_oid",
    "entries",
    "find_entry",
    "find_path",
    "is_directory",
    "tree_delta",
    "walk",
]

REGULAR, EXECUTABLE, SYMLINK = 0o100644, 0o100755, 0o120000
DIRECTORY, GITLINK = 0o040000, 0o160000

_EMPTY_TREES = {  # asked for at each start, and not worth one with OpenSSL
    "sha1": Oid(bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904")),
    "sha256": Oid(
        bytes.fromhex("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321")
    ),
}

LoadTree = Callable[[Oid], bytes]


def is_directory(mode: int) -> bool:
    """Tell whether *mode* is a directory's, whatever odd permission bits it carries."""
    return mode & 0o170000 == DIRECTORY


def empty_tree_oid(object_format: ObjectFormat) -> Oid:
    """Return the oid of the tree without entries."""
    return _EMPTY_TREES[object_format.name]


def find_path(
    load_tree: LoadTree, root: Oid, path: bytes, *, oid_size: int = 20
) -> tuple[int, Oid] | None:
    """Return mode and oid of what stands at *path* below *root*, None if nothing does.

    The root itself stands at the empty path.

    Raises:
        StreamError: *path* has an empty component behind an existing directory.
    """
    mode, oid = DIRECTORY, root
    if not path or path.startswith(b"/"):
        return mode, oid
    for name in path.split(b"/"):
        if not is_directory(mode):
            return None
        if not name:
            raise StreamError("Empty path component found in input")
        found = find_entry(load_tree(oid), name, oid_size)
        if found is None:
            return None
        mode, oid = found
    return mode, oid


def walk(load_tree: LoadTree, root: Oid, *, oid_size: int = 20) -> Iterator[tuple[bytes, int, Oid]]:
    """Yield ``(path, mode, oid)`` of all below *root* that is no directory, in tree order."""
    waiting = [(b"", DIRECTORY, root)]
    while waiting:
        path, mode, oid = waiting.pop()
        if not is_directory(mode):
            yield path, mode, oid
            continue
        prefix = path + b"/" if path else b""
        waiting.extend(
            (prefix + name, mode, child)
            for name, mode, child in reversed(entries(load_tree(oid), oid_size))
        )
