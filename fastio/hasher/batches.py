"""A group of files, as one process deals with it: read, hashed, and what is to be stored deflated.

A batch ends early at a file that needs more than that: a large one, one that git has to convert,
one that cannot be read. Whoever ordered the batch deals with that one and orders the rest again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.hasher.deflated import Deflated
from fastio.hasher.files import OUT_ROOM, FileReader
from fastio.hasher.rules import BY_GIT, IDENT, LINE_ENDS, MAYBE, NONE
from fastio.objects.collisions import refuse_collision
from fastio.objects.kinds import BLOB, Oid
from fastio.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fastio.hasher.keeper import Keeper
    from fastio.objects.kinds import ObjectFormat

    Claim = Callable[[list[Oid], int], list[int]]
    """Tells which of a turn's objects are to be deflated, as `Keeper.claim`."""
    Decide = Callable[["Group", int], None]
    """Settles the rules of a group from a file on: none of them is MAYBE any longer."""

NO_STORING, LOOSE, PACKED = range(3)
"""What becomes of a batch's objects."""

_NONES = bytes([NONE])
_DECIDED_BY_CR = bytes(rule in (LINE_ENDS, MAYBE) for rule in range(256))


@record
class Group:
    """Files to deal with.

    Attributes:
        names: As they are shown and told to git.
        paths: Where they are.
        rules: Which conversions there can be, a byte each (`fastio.hasher.rules`).
        storing: What becomes of the objects.
        turn: Groups before it.
    """

    names: list[bytes]
    paths: list[bytes]
    rules: bytearray
    storing: int
    turn: int


@record
class Outcome:
    """What became of the first files of a group.

    Attributes:
        oids: Their oids, one behind the other.
        count: How many they are.
        packed: What is to go into the pack.
    """

    oids: bytes
    count: int
    packed: list[Deflated]


def joined(outcomes: Iterable[Outcome]) -> Outcome:
    """Return what became of files in steps, as if it had been one."""
    oids, count, packed = list[bytes](), 0, list[Deflated]()
    for outcome in outcomes:
        oids.append(outcome.oids)
        count += outcome.count
        packed += outcome.packed
    return Outcome(b"".join(oids), count, packed)


def _leave_open(_group: Group, _first: int) -> None:
    """Who knows nothing of conversions has no rule to settle."""


def _claim_nothing(_oids: list[Oid], _turn: int) -> list[int]:
    return []


class BatchWorker:
    """Deals with groups; any thread may call :meth:`run`.

    Args:
        object_format: How objects are hashed.
        keeper: Where they are stored; None if they are not.

    Attributes:
        claim: The keeper's own, unless somebody else asks it for us.
        decide: Asks about a file that has a CR, and those behind it.
        out: Where contents are deflated to, each time anew; None for new memory each time.
    """

    out: memoryview | None = None

    def __init__(self, object_format: ObjectFormat, keeper: Keeper | None) -> None:
        self._format, self._keeper = object_format, keeper
        self.claim: Claim = _claim_nothing if keeper is None else keeper.claim
        self.decide: Decide = _leave_open
        self._idle: list[FileReader] = []  # each run takes one and brings it back

    def run(self, group: Group, first: int = 0) -> Outcome:
        """Deal with the files of *group* from number *first* on, as far as it goes."""
        return joined(self.steps(group, first))

    def steps(self, group: Group, first: int = 0) -> Iterator[Outcome]:
        """Do the same in steps, of so many files as are read at once."""
        try:
            reader = self._idle.pop()
        except IndexError:
            reader = FileReader()
        try:
            yield from self._steps(reader, group, first)
        finally:
            self._idle.append(reader)

    def _steps(self, reader: FileReader, group: Group, at: int) -> Iterator[Outcome]:
        while at < len(group.paths):
            end = group.rules.find(BY_GIT, at)
            count = reader.read(group.paths if end < 0 else group.paths[:end], at)
            usable = self._usable(reader, group, at)
            oids = self._oids(reader)[: usable * self._format.oid_size]
            refuse_collision()
            stored = group.storing != NO_STORING
            yield Outcome(oids, usable, self._store(reader, oids, group) if stored else [])
            at += usable
            if reader.refused or usable < count or at == end:
                break

    def _usable(self, reader: FileReader, group: Group, first: int) -> int:
        """How many files come before one that is converted."""
        those = bytes(group.rules[first : first + reader.count])
        if not those.strip(_NONES):
            return reader.count
        with_cr = reader.find_cr(those.translate(_DECIDED_BY_CR))
        if with_cr >= 0 and those[with_cr] == MAYBE:
            self.decide(group, first + with_cr)
            those = bytes(group.rules[first : first + reader.count])
            with_cr = reader.find_cr(those.translate(_DECIDED_BY_CR))
        usable = reader.count if with_cr < 0 else with_cr
        if BY_GIT in those[:usable]:
            usable = those.index(BY_GIT)
        for number in range(usable if IDENT in those else 0):
            if those[number] == IDENT and b"$Id" in reader.content(number):
                return number
        return usable

    def _oids(self, reader: FileReader) -> bytes:
        if self._format.name == "sha1":
            return reader.oids()
        hash_object = self._format.hash_object
        return b"".join(hash_object(BLOB, reader.content(n)) for n in range(reader.count))

    def _store(self, reader: FileReader, joined: bytes, group: Group) -> list[Deflated]:
        """Store what was read, or tell what is to go into the pack."""
        keeper, size = self._keeper, self._format.oid_size
        assert keeper is not None
        oids = [Oid(joined[start : start + size]) for start in range(0, len(joined), size)]
        if group.storing == PACKED:
            numbers = self.claim(oids, group.turn)
            return [self._deflated(reader, oids, numbers, keeper)] if numbers else []
        for number, oid in enumerate(oids):
            if not keeper.knows(oid):
                keeper.loose.write(oid, BLOB, reader.content(number))
        return []

    def _deflated(
        self, reader: FileReader, oids: list[Oid], numbers: list[int], keeper: Keeper
    ) -> Deflated:
        out = memoryview(bytearray(OUT_ROOM)) if self.out is None else self.out
        sizes, end = reader.deflate(numbers, keeper.compressor, out)
        return Deflated([oids[number] for number in numbers], sizes, out[:end])
