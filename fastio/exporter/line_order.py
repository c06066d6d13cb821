r"""The order of a commit's lines, where it takes more than sorting.

git's order is that of paths, a path standing behind all that it is the beginning of (``d/e``,
``d``; also ``abc``, ``ab``, ``a``), of renames and copies by their source. A rename or copy whose
source has been told of by then is told as what the file becomes, ``M``.

Importers take lines one by one, and one file is lost without a word, or the import ends, where that
order has a file go after a directory took its place, or be read after either took the other's:

* a file ``d`` becomes a directory: ``M … d/x`` stands before ``D d``, which deletes both; or before
  ``R d e`` or ``C d e``, which move or copy the new directory;
* a directory ``d`` becomes a file that was renamed or copied from a path before ``d/``: ``R a d``
  stands before ``R d/x e``, whose source is gone.

**The exception.** A line that puts a file somewhere is preceded by all lines that still need what
it displaces: before a file is put below a path, that path's deletion, its copies and then its
rename; before a file is put above paths, their copies and renames. Each of those is preceded by
what it displaces in turn. Where that goes in a circle, one line of it is told as ``M``: of ``R a
d/x`` and ``R d a/y``, which displace each other's sources, the first one, whose source is deleted
instead; of ``C d d/x`` and ``R d e``, the copy. All else stays in git's order, so nothing is moved
where git's order loses nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from fastio.exporter.changes import Change

Line = tuple[str, int]


def git_lines(changes: Sequence[Change]) -> list[Line]:
    """Tell which lines git writes, in its order: the first part of what is told above."""
    changes = [_told_as(change) for change in changes]
    lines: list[Line] = []
    told: set[bytes] = set()
    for number in _sorted(changes):
        change = changes[number]
        lines += _lines_of(change, number, told)
        told.add(change.path)
    return lines


def order_lines(changes: Sequence[Change]) -> list[Line]:
    """Tell which lines to write, and in which order.

    Args:
        changes: Those of a commit, in the order of paths.

    Returns:
        Letters and numbers of changes. ``D``: delete the change's source. ``R``, ``C``: rename or
        copy it to the change's path. ``M``: put the new side there.
    """
    return _Order(changes).lines


class _Order:
    def __init__(self, changes: Sequence[Change]) -> None:
        self._changes = [_told_as(change) for change in changes]
        self.lines: list[Line] = []
        self._told: set[bytes] = set()  # paths whose old content is not there any more
        self._open: set[int] = set()  # changes that wait for others
        self._done: set[int] = set()
        order = _sorted(self._changes)
        self._readers: dict[bytes, list[int]] = {}  # what needs a path's old content, or deletes it
        for number in order:
            if self._changes[number].status in "DRC":
                self._readers.setdefault(self._changes[number].source, []).append(number)
        self._sources = sorted(self._readers)
        for number in order:
            if number not in self._done:
                self._take(number)

    def _take(self, first: int) -> None:
        """Write a change's lines, and before them those of all that it displaces."""
        waiting = [(first, self._displaced(first))]
        self._open.add(first)
        while waiting:
            number, others = waiting[-1]
            other = self._next_needed(others)
            if other is None:
                waiting.pop()
                self._open.discard(number)
                self._done.add(number)
                self._write(number)
            elif other in self._open:
                if self._changes[other].source == self._changes[number].source:
                    continue  # a copy below its own source, which comes too late for that
                self.lines.append(("D", other))
                self._told.add(self._changes[other].source)
            else:
                self._open.add(other)
                waiting.append((other, self._displaced(other)))

    def _next_needed(self, numbers: Iterable[int]) -> int | None:
        for number in numbers:
            if number not in self._done and self._changes[number].source not in self._told:
                return number
        return None

    def _displaced(self, number: int) -> Iterator[int]:
        """Changes that must come before this one unless their source has been told of."""
        change = self._changes[number]
        if change.status == "R":
            yield from self._with_status(change.source, "C")
        if change.status == "D":
            return
        # A file's own source is read before the file is put where it displaces it.
        at = change.path.find(b"/")
        while at >= 0:
            readers = self._readers.get(change.path[:at], ())
            yield from (reader for reader in readers if reader != number)
            at = change.path.find(b"/", at + 1)
        below = change.path + b"/"
        for place in range(bisect_left(self._sources, below), len(self._sources)):
            if not self._sources[place].startswith(below):
                break
            # A deletion that comes late finds nothing, and does nothing.
            readers = self._with_status(self._sources[place], "RC")
            yield from (reader for reader in readers if reader != number)

    def _with_status(self, source: bytes, statuses: str) -> list[int]:
        readers = self._readers[source]
        return [number for number in readers if self._changes[number].status in statuses]

    def _write(self, number: int) -> None:
        change = self._changes[number]
        self.lines += _lines_of(change, number, self._told)
        self._told.add(change.path)
        if change.status == "R":
            self._told.add(change.source)


def _lines_of(change: Change, number: int, told: set[bytes]) -> list[Line]:
    """The lines of a change, when the old content of some paths is not there any more."""
    if change.status not in "RC" or change.source in told:
        return [("D" if change.status == "D" else "M", number)]
    same = (change.old_mode, change.old_oid) == (change.new_mode, change.new_oid)
    return [(change.status, number)] if same else [(change.status, number), ("M", number)]


def _told_as(change: Change) -> Change:
    """Tell a file that was found to come from its own path as one that stays there.

    Where trees are out of order, a file may seem to be gone and to be new at once.
    """
    if change.status not in "RC" or change.source != change.path:
        return change
    sides = (change.old_mode, change.new_mode, change.old_oid, change.new_oid)
    status = "U" if (sides[0], sides[2]) == (sides[1], sides[3]) else "M"
    return Change(status, change.path, change.path, *sides)


def _sorted(changes: Sequence[Change]) -> list[int]:
    """The numbers of all that is told of, in git's order."""
    numbers = (number for number, change in enumerate(changes) if change.status != "U")
    return sorted(numbers, key=lambda number: _place(changes[number]))


def _place(change: Change) -> tuple[str, bool]:
    return change.source.decode("latin-1") + "\u0100", change.status == "R"
