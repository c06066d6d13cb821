"""Which paths several path limits want, where comparing literal paths is not enough.

Plain paths are compared by the kernel (``_path_filter.pyx``); the rest is asked here, once for each
path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from fastio.records import record

# What stands at a path, and what is wanted of it, as in the kernel.
FILE, DIRECTORY, SUBMODULE = range(3)
NOTHING, PERHAPS, ALL = range(3)

_REMEMBERED = 1 << 16  # paths


@record
class Limit:
    """One limit.

    Attributes:
        text: The path or pattern, from the top.
        literal_size: How many of its first bytes have no wildcards.
        prefix_size: How many of them are the directory in which we were started.
        matches_rest: Compares what stands behind the literal bytes; None if nothing does.
        ignore_case: Whether case is ignored, behind the prefix.
        exclude: Whether it takes away.
    """

    text: bytes
    literal_size: int
    prefix_size: int
    matches_rest: Callable[[bytes], bool] | None
    ignore_case: bool = False
    exclude: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the limit is a path and nothing else."""
        return self.matches_rest is None and not (self.ignore_case or self.exclude)

    def covers(self, path: bytes, kind: int) -> bool:
        """Tell whether the limit is a path to what stands at *path*, or to a directory above."""
        above = self.text if self.text.endswith(b"/") or not self.text else self.text + b"/"
        if self._is_same(path, self.text):
            return True
        if kind != FILE:
            path += b"/"
        return self._is_same(path[: len(above)], above)

    def matches(self, path: bytes, kind: int) -> bool:
        """Tell whether a file or submodule is meant."""
        if self.covers(path, kind):
            return True
        head = self.text[: self.literal_size]
        return (
            self.matches_rest is not None
            and self._is_same(path[: len(head)], head)
            and self.matches_rest(path[len(head) :])
        )

    def may_match_below(self, directory: bytes) -> bool:
        """Tell whether anything below a directory may be meant."""
        below = directory + b"/"
        head = self.text if self.matches_rest is None else self.text[: self.literal_size]
        common = min(len(below), len(head))
        return self._is_same(below[:common], head[:common]) or self.covers(directory, DIRECTORY)

    def _is_same(self, path: bytes, text: bytes) -> bool:
        if not self.ignore_case:
            return path == text
        size = self.prefix_size
        return path[:size] == text[:size] and path[size:].lower() == text[size:].lower()


class Limits:
    """Several limits, which say together what is wanted."""

    def __init__(self, limits: Sequence[Limit]) -> None:
        self._wanted = [limit for limit in limits if not limit.exclude]
        self._unwanted = [limit for limit in limits if limit.exclude]
        self.wants = lru_cache(_REMEMBERED)(self._wants)

    def _wants(self, path: bytes, kind: int) -> int:
        if kind == DIRECTORY:
            return self._wants_directory(path)
        wanted = any(limit.matches(path, kind) for limit in self._wanted)
        unwanted = wanted and any(limit.matches(path, kind) for limit in self._unwanted)
        return ALL if wanted and not unwanted else NOTHING

    def _wants_directory(self, path: bytes) -> int:
        if any(limit.covers(path, DIRECTORY) for limit in self._unwanted):
            return NOTHING
        if not self._unwanted and any(limit.covers(path, DIRECTORY) for limit in self._wanted):
            return ALL
        return PERHAPS if any(limit.may_match_below(path) for limit in self._wanted) else NOTHING
