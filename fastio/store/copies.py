"""Other copies of objects that were found damaged: in another pack, loose, or lent.

A delta is also read on another copy of one of its bases, where its own pack has that one damaged.
Nothing is believed here: what is read must have its oid.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator

from fastio.errors import ObjectError, PackError
from fastio.objects.kinds import ObjectFormat, Oid
from fastio.store.loose import read_loose
from fastio.store.pack_reader import PackFile

Reader = Callable[[], tuple[int, bytes] | None]


class Copies:
    """Finds copies.

    Args:
        places: Lists the packs that have an object, with the offset of its entry.
        directories: Lists where loose objects lie.
        object_format: Tells what an oid is.
    """

    def __init__(
        self,
        places: Callable[[Oid], Iterable[tuple[PackFile, int]]],
        directories: Callable[[], list[bytes]],
        object_format: ObjectFormat,
    ) -> None:
        self._places, self._directories, self._format = places, directories, object_format

    def find(self, oid: Oid) -> tuple[int, bytes] | None:
        """Read an object as (type, content); None if no copy is sound."""
        return self._first(oid, self._readers(oid)) or self._first(oid, self._rebuilders(oid))

    def _first(self, oid: Oid, readers: Iterable[Reader]) -> tuple[int, bytes] | None:
        for read in readers:
            try:
                found = read()
            except (ObjectError, PackError):
                continue
            if found is not None and self._format.hash_object(*found) == oid:
                return found
        return None

    def _readers(self, oid: Oid, *, but: PackFile | None = None) -> Iterator[Reader]:
        """What reads each copy, those in one pack left out."""
        for pack, offset in self._places(oid):
            if pack is not but:
                yield functools.partial(pack.read, offset)
        for directory in self._directories():
            yield functools.partial(read_loose, directory, oid)

    def _rebuilders(self, oid: Oid) -> Iterator[Reader]:
        """What reads the object's deltas on bases from elsewhere."""
        for pack, offset in self._places(oid):
            elsewhere = functools.partial(self._elsewhere, pack)
            yield functools.partial(pack.read_on_copies, offset, elsewhere)

    def _elsewhere(self, pack: PackFile, oid: Oid) -> tuple[int, bytes] | None:
        return self._first(oid, self._readers(oid, but=pack))
