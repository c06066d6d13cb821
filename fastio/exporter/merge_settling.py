"""Where a ref points after ``--simplify-merges`` has dropped its commit.

There each commit stands for one that is kept, or for one beyond the walk, or for nothing: an only
parent stands in for a commit without changes of its own, and so on down. Of a merge that was
dropped all parents stand for the same in the end, once those are left out that the others lead to
anyway, and roots without changes.

Source: git-log(1), "History Simplification", ``--simplify-merges``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastio.objects.kinds import Oid

Parents = Mapping["Oid", Sequence["Oid"]]


class MergeSettler:
    """Finds what commits stand for.

    Args:
        kept: The commits that are left, children first, with their parents among them or beyond
            the walk.
        parents: All commits of the walk, with their parents as they were.
        heads_of: Gives those of some commits that no others of them lead to.
        first_parents: Whether only first parents were followed.
    """

    def __init__(
        self,
        kept: Parents,
        parents: Parents,
        heads_of: Callable[[Sequence[Oid]], list[Oid]],
        *,
        first_parents: bool = False,
    ) -> None:
        self._kept, self._parents, self._heads_of = kept, parents, heads_of
        self._first_parents = first_parents
        self._places = {oid: place for place, oid in enumerate(kept)}
        self._found: dict[Oid, Oid | None] = {}

    def settle(self, oid: Oid) -> Oid | None:
        """Return the commit to take for another: itself if it is kept, None for none at all."""
        if self._first_parents and len(self._parents.get(oid, ())) > 1:
            return oid  # its other parents are still there
        waiting = [oid]
        while waiting:
            one = waiting[-1]
            parents = self._parents.get(one, ())
            parents = parents[:1] if self._first_parents else parents
            missing = [parent for parent in parents if parent not in self._found]
            if self._is_final(one):
                self._found[one] = one
            elif missing:
                waiting += missing
                continue
            else:
                self._found[one] = self._stands_for(one, parents)
            waiting.pop()
        return self._found[oid]

    def _is_final(self, oid: Oid) -> bool:
        return oid in self._kept or oid not in self._parents

    def _stands_for(self, oid: Oid, parents: Sequence[Oid]) -> Oid | None:
        """Tell what a commit that was dropped stands for; that of its parents is known."""
        found = list(dict.fromkeys(map(self._found.__getitem__, parents)))
        ends = [end for end in found if end is not None]
        ends = [end for end in ends if not any(self._leads_to(other, end) for other in ends)]
        if len(ends) > 1:  # then some of them are beyond the walk
            ends = self._heads_of(ends)
        return oid if len(ends) > 1 else ends[0] if ends else None

    def _leads_to(self, start: Oid, end: Oid) -> bool:
        """Tell whether there is a way from one commit to another that is not the same."""
        last = self._places.get(end, len(self._places))
        waiting, seen = [start], {start}
        while waiting:
            for parent in self._kept.get(waiting.pop(), ()):
                if parent == end:
                    return True
                if parent not in seen and self._places.get(parent, last) < last:
                    seen.add(parent)
                    waiting.append(parent)
        return False
