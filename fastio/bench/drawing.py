"""Objects of a repository drawn at random: out of all its packs, and loose ones.

Every object has a number: those of packs in the order of packs and idx, then loose ones by
directory and name. Numbers are drawn, so that nothing is held of the objects that are not.
"""

from __future__ import annotations

import itertools
import os
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from fastio.errors import FastioError
from fastio.objects.kinds import BLOB, TREE, Oid
from fastio.records import record
from fastio.store.loose import loose_header
from fastio.store.objects import ObjectStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from fastio.store.pack_reader import PackFile


@record
class Drawn:
    """An object that was drawn.

    Attributes:
        oid: Its oid.
        kind: Its type, also of a delta.
        size: Bytes of what is deflated: of the delta, if it is one.
        pack: Where it is; None for a loose one.
        offset: Where in the pack.
        base: Its delta base, by offset or oid; None if it is stored whole.
    """

    oid: Oid
    kind: int
    size: int
    pack: PackFile | None = None
    offset: int = 0
    base: int | Oid | None = None

    @property
    def is_delta(self) -> bool:
        """Whether an import would make a delta of it."""
        return self.base is not None and self.kind in (BLOB, TREE)

    @property
    def is_loose_blob(self) -> bool:
        """Whether only git's log can tell of a version before it."""
        return self.pack is None and self.kind == BLOB


class Urn:
    """All objects of a repository, to draw from.

    Args:
        store: The repository's objects.

    Raises:
        FastioError: There are more packs than can be open, or a directory cannot be read.

    Attributes:
        count: How many objects there are.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        packs = store.open_packs()
        if packs is None:
            raise FastioError("there are too many packs to look into: 'git repack -ad' joins them")
        self._packs = sorted(packs, key=lambda pack: pack.path)
        self._folders = [folder for each in store.object_directories() for folder in _fan_out(each)]
        counts = [len(pack) for pack in self._packs]
        counts += [len(_loose_names(folder)) for folder in self._folders]
        self._starts = [0, *itertools.accumulate(counts)]
        self.count = self._starts.pop()

    def draw(self, random: Random, most: int) -> Iterator[Drawn]:
        """Draw *most* different objects, or all if there are no more.

        Raises:
            ObjectError, PackError: The header of one is damaged.
        """
        places = sorted(random.sample(range(self.count), min(most, self.count)))
        for source, numbers in itertools.groupby(places, self._source_of):
            positions = [number - self._starts[source] for number in numbers]
            if source < len(self._packs):
                yield from self._packed(self._packs[source], positions)
            else:
                yield from self._loose(self._folders[source - len(self._packs)], positions)

    def _source_of(self, number: int) -> int:
        return bisect_right(self._starts, number) - 1

    def _packed(self, pack: PackFile, positions: list[int]) -> Iterator[Drawn]:
        for position in positions:
            oid, offset = Oid(pack.index.oid_at(position)), pack.index.offset_at(position)
            header = pack.header(offset)
            kind = header.kind if header.base is None else pack.info(offset)[0]
            yield Drawn(oid, kind, header.size, pack, offset, header.base)

    def _loose(self, folder: bytes, positions: list[int]) -> Iterator[Drawn]:
        directory, front = os.path.split(folder)
        names = _loose_names(folder)
        for position in positions:
            if position >= len(names):  # some have gone meanwhile
                return
            oid = Oid(bytes.fromhex((front + names[position]).decode()))
            header = loose_header(directory, oid)
            if header is not None:
                yield Drawn(oid, header[0], header[1])


def _fan_out(directory: bytes) -> list[bytes]:
    """List the directories of loose objects that there are."""
    try:
        names = os.listdir(directory)
    except OSError as error:
        raise FastioError(f"cannot read {os.fsdecode(directory)}: {error.strerror}") from error
    return [
        os.path.join(directory, name)
        for name in sorted(names)
        if re.fullmatch(b"[0-9a-f]{2}", name)
    ]


def _loose_names(folder: bytes) -> list[bytes]:
    """List the loose objects of a directory, in order."""
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise FastioError(f"cannot read {os.fsdecode(folder)}: {error.strerror}") from error
    return sorted(name for name in names if re.fullmatch(b"[0-9a-f]{38}|[0-9a-f]{62}", name))
