"""Changed files that were rewritten (``-B``): taken apart into a deletion and an addition.

Both take part in renames. What is left of both afterwards is one change again, as before; so taking
a file apart only ever gives the new file another source, or its old content another place.
"""

from __future__ import annotations

from fastio.exporter._sides import changed_rows, new_side, old_side
from fastio.exporter.changes import ChangeTable
from fastio.exporter.diff_options import FULL_SCORE
from fastio.exporter.similarity import Side, Similarity

SMALLEST = 400  # bytes; below them, a file is not worth it
KINDS = 0o170000
REGULAR = 0o100000
SUBMODULE = 0o160000


def find_broken(
    table: ChangeTable, similarity: Similarity, scores: tuple[int, int]
) -> dict[int, bool]:
    """Find the changed files that are taken apart.

    Args:
        table: All changes.
        similarity: Compares files.
        scores: The dissimilarity that is enough, and the part of the old file that must be gone
            for it to count as deleted even if its path stays.

    Returns:
        Their rows. The value tells whether the old file does not count as deleted.
    """
    apart, stays = scores
    broken = {}
    for row in changed_rows(table):
        gone = _share_gone(old_side(table, row), new_side(table, row), similarity, apart)
        if gone is not None:
            broken[row] = gone < stays
    return broken


def _share_gone(old: Side, new: Side, similarity: Similarity, apart: int) -> int | None:
    """Return how much of a file is gone, of `FULL_SCORE`; None if it is to stay in one piece."""
    if SUBMODULE in (old.mode, new.mode):
        return None
    if (old.mode & KINDS == REGULAR) != (new.mode & KINDS == REGULAR):
        return FULL_SCORE
    if old.oid == new.oid:
        return None
    before, after = similarity.size(old), similarity.size(new)
    most = max(before, after)
    if most < SMALLEST or not before:
        return None
    copied, added = similarity.copied_and_added(old, new)
    copied = min(copied, before)
    if after < copied + added:  # CRs that were not counted
        added = max(after - copied, 0)
    removed = before - copied
    gone = removed * FULL_SCORE // before
    damage = (removed + added) * FULL_SCORE // most
    return gone if gone > apart or damage >= apart else None
