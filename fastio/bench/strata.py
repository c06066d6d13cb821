"""A sample of very many things of very different sizes, with bounded memory.

Sizes of files and objects differ by many powers of ten: a sample that gave every object the same
chance would hardly meet the few large ones, which are most of the bytes. So things are sorted into
strata (by what they are and by size), each stratum keeps a few at random (a reservoir), and each
thing that is chosen in the end stands for as many bytes as its stratum has for each byte chosen.
"""

from __future__ import annotations

import bisect
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from fastio.records import record

if TYPE_CHECKING:
    from random import Random

T = TypeVar("T")

PIECE = 1 << 16
"""The most bytes that are taken of one object: more of it would tell little more than another."""

BOUNDS = (40, 200, 1 << 10, 4 << 10, 16 << 10, PIECE)
"""The largest size of each size class but the last, which has no bound."""

ROOM = 2000  # things kept in a stratum


def size_class(size: int) -> int:
    """Return the number of the class that a size belongs to."""
    return bisect.bisect_left(BOUNDS, size)


def _level(size: int) -> int:
    """Return the stratum of a size: its class, and of the last, which has no bound, a part."""
    return size_class(size) if size <= PIECE else size.bit_length()


@record
class Chosen(Generic[T]):
    """Something of the sample.

    Attributes:
        item: It.
        weight: How many it stands for.
    """

    item: T
    weight: float


class Strata(Generic[T]):
    """Things sorted by kind and size, a few of each kept.

    Args:
        random: Chooses.
        room: How many are kept of each stratum.
    """

    def __init__(self, random: Random, room: int = ROOM) -> None:
        self._random, self._room = random, room
        self._strata: dict[tuple[Hashable, int], _Stratum[T]] = {}

    def add(self, kind: Hashable, size: int, item: T) -> None:
        """Add a thing of *size* bytes."""
        stratum = self._strata.setdefault((kind, _level(size)), _Stratum())
        stratum.count += 1
        stratum.size += size
        if len(stratum.kept) < self._room:
            stratum.kept.append((size, item))
        elif (place := self._random.randrange(stratum.count)) < self._room:
            stratum.kept[place] = size, item

    def choose(self, budget: int) -> Iterator[Chosen[T]]:
        """Choose things of about *budget* bytes together, some of every stratum.

        Half of the budget is shared out equally, the other half by what the strata have: many small
        things give figures for their size, the few large ones are most of what is estimated. Those
        that need less than their share leave more for the others.
        """
        left, size_left = budget, sum(one.size for one in self._strata.values())
        waiting = sorted(self._strata.values(), key=lambda one: one.kept_size)
        for number, stratum in enumerate(waiting):
            share = left / (len(waiting) - number)
            if size_left:
                share = (share + left * stratum.size / size_left) / 2
            chosen, taken = stratum.choose(self._random, share)
            left, size_left = max(left - taken, 0), size_left - stratum.size
            size = sum(size for size, _ in chosen)
            weight = stratum.size / size if size else stratum.count / len(chosen)
            for _, item in chosen:
                yield Chosen(item, weight)


class _Stratum(Generic[T]):
    def __init__(self) -> None:
        self.count = self.size = 0
        self.kept: list[tuple[int, T]] = []

    @property
    def kept_size(self) -> int:
        """Bytes that would be read if all that is kept was chosen."""
        return sum(min(size, PIECE) for size, _ in self.kept)

    def choose(self, random: Random, budget: float) -> tuple[list[tuple[int, T]], int]:
        """Choose one at least; return also how many bytes will be read of what is chosen."""
        order = random.sample(self.kept, len(self.kept))
        taken = 0
        for number, (size, _) in enumerate(order):
            if number and taken + min(size, PIECE) > budget:
                return order[:number], taken
            taken += min(size, PIECE)
        return order, taken
