"""Notes: entries named after the commits they annotate, spread over a fan-out of directories.

The path of a note is its commit's hex oid with a slash behind each of the first *f* pairs of
digits. The fan-out *f* depends on the number of notes, and git changes it at the end of the commit
that crosses a limit: every note in the tree then moves. What is no note is never moved.

We count every note that moves. git 2.55 misses those that move into a directory which was there
before, and then loses track of the layout; that is not worth copying.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fastio.objects.kinds import ObjectFormat, Oid
from fastio.objects.tree_edit import TreeEditor
from fastio.objects.tree_nodes import Leaf, Node
from fastio.objects.trees import REGULAR, is_directory

_PAIRS = re.compile(rb"(?:[0-9a-fA-F]{2})+")


def fan_out(count: int) -> int:
    """Return how many directories a note's path has when there are *count* notes."""
    levels = 0
    while count > 0xFF:
        count >>= 8
        levels += 1
    return levels


def note_path(commit_hex: bytes, levels: int) -> bytes:
    """Return the path of the note for a commit, given its hex oid, below *levels* directories."""
    pairs = [commit_hex[2 * level : 2 * level + 2] for level in range(levels)]
    return b"/".join([*pairs, commit_hex[2 * levels :]])


class NoteEditor:
    """Sets notes during one commit.

    The note count belongs to the branch and outlives the commit: take it from `count` afterwards.
    Set it to 0 when deleteall empties the tree; nothing else resets it. A count of 0 (or None)
    means unknown: the first note then counts those that the tree holds. With a count up to 255
    the editor may be made as late as the first note; above that it must see the whole commit,
    for git also rearranges what a commit writes by M after deleteall.

    Args:
        editor: The branch's tree.
        object_format: The repository's hash algorithm.
        count: The branch's note count as the last commit left it.
    """

    def __init__(
        self, editor: TreeEditor, object_format: ObjectFormat, count: int | None = None
    ) -> None:
        self._editor = editor
        self._hex_size = 2 * object_format.oid_size
        self.count = count or 0
        self._levels = fan_out(self.count)  # the layout in force when the commit began

    def set(self, commit_oid: Oid, blob_oid: Oid | None) -> None:
        """Set the note for *commit_oid*, or remove it if *blob_oid* is None."""
        if self.count == 0 and self._levels == 0:
            self.count = sum(1 for _ in self._notes())
            self._levels = fan_out(self.count)
        commit_hex = commit_oid.hex().encode()
        if self._editor.remove(note_path(commit_hex, self._levels)) and self.count:
            self.count -= 1
        if blob_oid is not None:
            self.count += 1
            self._editor.set(note_path(commit_hex, fan_out(self.count)), REGULAR, blob_oid)

    def finish_commit(self) -> None:
        """Move all notes if the commit changed their fan-out; call before the tree is written."""
        levels = fan_out(self.count)
        if levels == self._levels:
            return
        self.count = 0
        for path, commit_hex in list(self._notes()):
            self.count += 1
            wanted = note_path(commit_hex, levels)
            if wanted != path:
                self._editor.rename(path, wanted)
        self._levels = fan_out(self.count)

    def _notes(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield path and hex oid of each note, in whatever layout it stands.

        Directories whose names cannot be part of a note's path are not entered.
        """
        waiting: list[tuple[bytes, bytes, Node | Oid | None]] = [(b"", b"", None)]
        while waiting:
            path, digits, directory = waiting.pop()
            for name, value in self._editor.children(directory):
                found = digits + name
                if len(found) > self._hex_size or not _PAIRS.fullmatch(name):
                    continue
                if len(found) == self._hex_size:
                    yield path + name, found
                elif (below := _directory(value)) is not None:
                    waiting.append((path + name + b"/", found, below))


def _directory(value: Leaf | Node) -> Node | Oid | None:
    if isinstance(value, Node):
        return value
    return value[1] if is_directory(value[0]) else None
