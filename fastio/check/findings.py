"""What was found: each kind with a count, and with the first places."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fastio.check.kinds import ERROR, KINDS, Kind
from fastio.errors import StreamError
from fastio.records import record
from fastio.stream.cures import cure_of


@record
class Place:
    """Where something was found.

    Attributes:
        error: What the strict reader would have said, or the like; with offset, command and line.
        commit: The commit that it is in, as people name it; empty if it is in none.
        branch: That commit's ref.
    """

    error: StreamError
    commit: str = ""
    branch: bytes = b""

    @property
    def cure(self) -> str:
        """What to do about it, or an empty text."""
        return KINDS[self.error.kind].cure or cure_of(self.error)


class Finding:
    """All that is of one kind.

    Attributes:
        name: The kind's stable name.
        kind: What `KINDS` has for it.
        count: How many there are.
        places: The first of them.
    """

    def __init__(self, name: str) -> None:
        self.name, self.kind = name, KINDS[name]
        self.count = 0
        self.places: list[Place] = []


class Findings:
    """Collects what is found, in memory that does not grow with it.

    Args:
        max_places: How many places are kept of each kind.
    """

    def __init__(self, max_places: int) -> None:
        self._max_places = max_places
        self._by_name: dict[str, Finding] = {}

    def __iter__(self) -> Iterator[Finding]:
        """Yield what there is, the graver first."""
        return (self._by_name[name] for name in KINDS if name in self._by_name)

    def add(self, name: str, place: Callable[[], Place]) -> None:
        """Count one more of a kind; *place* is asked for if it is among the first."""
        finding = self._by_name.get(name)
        if finding is None:
            finding = self._by_name[name] = Finding(name)
        finding.count += 1
        if finding.count <= self._max_places:
            finding.places.append(place())

    def count(self, severity: str = ERROR) -> int:
        """Return how many there are of one severity."""
        return sum(one.count for one in self if one.kind.severity == severity)


__all__ = ["Finding", "Findings", "Kind", "Place"]
