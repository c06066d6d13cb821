"""Which files a commit renames and copies (``-M``, ``-C``), as git finds them.

Destinations are the files that are new, sources those that are gone; with copies also what changed
was before, and what did not change at all. First files of equal content are paired, then, unless
copies are looked for, files whose name is unique on both sides, then the most similar ones.

A source may be used several times. In the end one of its uses is the rename, the last one in the
order of paths, unless the file still stands where it was: that is a use as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from fastio.exporter._sides import read_sides
from fastio.exporter.breaks import find_broken
from fastio.exporter.changes import ChangeTable
from fastio.exporter.diff_options import ALL_OR_NONE, FULL_SCORE, DiffOptions
from fastio.exporter.similarity import Side, Similarity
from fastio.objects.kinds import BLOB, FORMATS, Oid

MOST_OF_EQUAL_CONTENT = 100  # sources that are looked at for a destination
KINDS = 0o170000
REGULAR = 0o100000

EMPTY = {known.hash_object(BLOB, b"") for known in FORMATS.values()}

Pairs = dict[Side, Side]  # sources by their destinations


def finish_changes(table: ChangeTable, options: DiffOptions, similarity: Similarity) -> None:
    """Do all that options say between comparing two trees and telling what changed.

    Args:
        table: The changes; with ``options.harder``, all other files as well.
        options: What to do.
        similarity: Compares files.
    """
    scores = options.break_scores
    broken = {} if scores is None else find_broken(table, similarity, scores)
    told: list[tuple[str, int, int]] = []
    if options.renames:
        sources, destinations = read_sides(table, copies=options.copies, broken=broken)
        if not options.rename_empty:
            sources = [side for side in sources if side.oid not in EMPTY]
            destinations = [side for side in destinations if side.oid not in EMPTY]
        if sources and destinations:
            pairs = _Search(sources, destinations, options, similarity, bool(broken)).run()
            told = _tell_pairs(pairs, sources, broken)
    if broken and options.statuses:
        told += _rewritten(table, broken, told)
    if told or options.harder:
        table.pair(told)
    if options.statuses:
        _filter(table, options.statuses)


def _tell_pairs(
    pairs: Pairs, sources: list[Side], broken: dict[int, bool]
) -> list[tuple[str, int, int]]:
    """Tell renames from copies, in the order of paths."""
    if broken:
        ended_at = {side.row for side in pairs}
        for source in sources:
            if source.row in broken and source.row not in ended_at:
                source.uses += 1  # its two parts are one change again, so the file stays
    told = []
    for destination in sorted(pairs, key=_by_row):
        source = pairs[destination]
        if source.row != destination.row:  # else what was broken has found itself again
            source.uses -= 1
            told.append(("C" if source.uses else "R", source.row, destination.row))
    return told


def _rewritten(
    table: ChangeTable, broken: dict[int, bool], told: list[tuple[str, int, int]]
) -> list[tuple[str, int, int]]:
    """Give changes that stay broken a status of their own, for ``--diff-filter``."""
    renamed = {row for _, _, row in told}
    return [
        ("B", row, row)
        for row, is_whole in broken.items()
        if not is_whole and row not in renamed and table.row(row)[0] == "M"
    ]


class _Search:
    """One search for pairs; the steps are those of the module's docstring."""

    def __init__(
        self,
        sources: list[Side],
        destinations: list[Side],
        options: DiffOptions,
        similarity: Similarity,
        broken: bool,
    ) -> None:
        self._sources, self._destinations = sources, destinations
        self._options, self._similarity, self._broken = options, similarity, broken
        self._pairs: Pairs = {}

    def run(self) -> Pairs:
        """Find all pairs."""
        self._pair_equal_content()
        if self._options.minimum == FULL_SCORE:
            return self._pairs
        if not self._options.copies and not self._broken:
            self._drop_used()
            self._pair_equal_names()
            self._drop_used()
        self._destinations = [side for side in self._destinations if side not in self._pairs]
        if self._fit_limit():
            self._pair_similar()
        return self._pairs

    def _pair(self, source: Side, destination: Side) -> None:
        source.uses += 1
        self._pairs[destination] = source

    def _drop_used(self) -> None:
        self._sources = [side for side in self._sources if not side.uses]

    def _pair_equal_content(self) -> None:
        wanted = {side.oid for side in self._destinations}
        sources: defaultdict[Oid, list[Side]] = defaultdict(list)
        for side in self._sources:
            if side.oid in wanted:
                sources[side.oid].append(side)
        for destination in self._destinations:
            source = self._best_of_equal_content(destination, sources.get(destination.oid, ()))
            if source is not None:
                self._pair(source, destination)

    def _best_of_equal_content(self, destination: Side, sources: Iterable[Side]) -> Side | None:
        """Choose a source that is not used, and has the same name; else the first."""
        best, best_value = None, -1
        looked_at = 0
        for source in sources:
            if not _may_be_equal(source, destination):
                continue
            if source.uses and not self._options.copies:
                continue
            value = (not source.uses) + (source.name == destination.name)
            if value > best_value:
                best, best_value = source, value
                if value == 2:
                    break
            looked_at += 1
            if looked_at == MOST_OF_EQUAL_CONTENT:
                break
        return best

    def _pair_equal_names(self) -> None:
        """Pair files whose names are unique, if they are more similar than others need to be."""
        left = [side for side in self._destinations if side not in self._pairs]
        counts = Counter(side.name for side in left)
        destinations = {side.name: side for side in left if counts[side.name] == 1}
        counts = Counter(side.name for side in self._sources)
        minimum = self._options.minimum
        minimum += (FULL_SCORE - minimum) // 2
        for source in self._sources:
            destination = destinations.get(source.name) if counts[source.name] == 1 else None
            if (
                destination is not None
                and self._similarity.score(source, destination, minimum) >= minimum
            ):
                self._pair(source, destination)

    def _fit_limit(self) -> bool:
        """Leave unchanged files out if there are too many pairs; tell whether the rest are few."""
        most = self._options.limit**2
        if self._options.limit <= 0:
            return True
        count = len(self._destinations)
        if count * len(self._sources) <= most:
            return True
        if self._options.harder:
            self._sources = [side for side in self._sources if not side.unchanged]
            return count * len(self._sources) <= most
        return False

    def _pair_similar(self) -> None:
        minimum = self._options.minimum
        found = self._similarity.best_sources(self._destinations, self._sources, minimum)
        found.sort(key=_by_score)
        for reuse in (False, True) if self._options.copies else (False,):
            for _, _, number, place in found:
                destination, source = self._destinations[number], self._sources[place]
                if destination not in self._pairs and (reuse or not source.uses):
                    self._pair(source, destination)


def _by_row(side: Side) -> int:
    return side.row


def _by_score(candidate: tuple[int, bool, int, int]) -> tuple[int, bool]:
    return -candidate[0], not candidate[1]


def _may_be_equal(source: Side, destination: Side) -> bool:
    """Tell whether files of equal content are equal; of regular files the mode may differ."""
    if source.mode & KINDS == REGULAR == destination.mode & KINDS:
        return True
    return source.mode == destination.mode


def _filter(table: ChangeTable, statuses: frozenset[str]) -> None:
    """Keep the changes that ``--diff-filter`` lets through."""
    present = {table.row(number)[0] for number in range(len(table))}
    if ALL_OR_NONE not in statuses:
        table.keep("".join(statuses))
    elif not present & statuses:
        table.clear()
    if "B" in present:
        changed = range(len(table))
        table.pair(("M", row, row) for row in changed if table.row(row)[0] == "B")
