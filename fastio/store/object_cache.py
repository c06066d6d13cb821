"""Objects in memory that were read a moment ago: as delta bases, or because somebody asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

LIMIT = 32 << 20
# What an object costs beside its content: headers of Python's objects, table slot and links.
OVERHEAD = 300


class ObjectCache:
    """Types and contents by a key of the caller's choice, those unused for longest out first.

    Args:
        limit: Bytes to keep at most, overhead included.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit, self._used = limit, 0
        self._objects: OrderedDict[Hashable, tuple[int, bytes]] = OrderedDict()

    def get(self, key: Hashable) -> tuple[int, bytes] | None:
        """Return type and content, if they are still there."""
        found = self._objects.get(key)
        if found is not None:
            self._objects.move_to_end(key)
        return found

    def put(self, key: Hashable, kind: int, data: bytes) -> None:
        """Keep an object, unless it is so large that it would drive out most others."""
        size = len(data) + OVERHEAD
        if size > self._limit // 4 or key in self._objects:
            return
        self._objects[key] = kind, data
        self._used += size
        while self._used > self._limit:
            _, (_, oldest) = self._objects.popitem(last=False)
            self._used -= len(oldest) + OVERHEAD

    def clear(self) -> None:
        """Forget everything."""
        self._objects.clear()
        self._used = 0
