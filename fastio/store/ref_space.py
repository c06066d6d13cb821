"""Which names leave room for which: a ref can not stand where others have their directory.

``refs/heads/a`` and ``refs/heads/a/b`` exclude each other, in any ref backend. A name is asked
about in time that grows with its depth, not with the number of names.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache


class RefSpace:
    """Names of refs that stand beside one another, or are meant to.

    What stands directly in ``refs/heads`` and its like is no more than a name in a set: only a
    deeper one takes an entry for each directory.
    """

    def __init__(self, names: Iterable[bytes] = ()) -> None:
        self._names: set[bytes] = set()
        self._below: dict[bytes, dict[bytes, None]] = {}
        for name in names:
            self.add(name)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: bytes) -> bool:
        return name in self._names

    def add(self, name: bytes) -> None:
        """Take in that a ref has that name."""
        self._enter(name, directories(name))

    def claim(self, name: bytes) -> bytes | None:
        """Take in that a ref has that name, unless there is no room; return who leaves none."""
        above = directories(name)
        rival = self._rival(name, above)
        if rival is None:
            self._enter(name, above)
        return rival

    def _enter(self, name: bytes, above: tuple[bytes, ...]) -> None:
        self._names.add(name)
        for directory in above:
            below = self._below.get(directory)
            if below is None:
                self._below[directory] = {name: None}
            else:
                below[name] = None

    def remove(self, name: bytes) -> None:
        """Take in that no ref has that name (any more)."""
        self._names.discard(name)
        for directory in directories(name):
            names = self._below.get(directory, {})
            names.pop(name, None)
            if not names:
                self._below.pop(directory, None)

    def rival(self, name: bytes) -> bytes | None:
        """Return a name that leaves no room for *name*, if there is one."""
        return self._rival(name, directories(name))

    def _rival(self, name: bytes, above: tuple[bytes, ...]) -> bytes | None:
        for directory in above:
            if directory in self._names:
                return directory
        below = self._below.get(name)
        return next(iter(below)) if below else None


def directories(name: bytes) -> tuple[bytes, ...]:
    """Return what stands above a ref and might be a ref: not ``refs``, nor ``refs/heads``."""
    return _with_those_above(name.rpartition(b"/")[0])


@lru_cache(4096)  # thousands of refs mostly have few directories
def _with_those_above(directory: bytes) -> tuple[bytes, ...]:
    parts = directory.split(b"/") if directory else []
    first = 3 if parts[:1] == [b"refs"] else 1
    return tuple(b"/".join(parts[:count]) for count in range(first, len(parts) + 1))
