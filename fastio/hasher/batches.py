"""A group of files, as one thread deals with it: read, hashed, and what is to be stored deflated.

A batch ends early at a file that needs more than that: a large one, one that git has to convert,
one that cannot be read. Whoever ordered the batch deals with that one and orders the rest again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.hasher.conversions import BY_GIT, IDENT, LINE_ENDS, MAYBE, NONE
from fastio.hasher.files import FileReader
from fastio.objects.collisions import refuse_collision
from fastio.objects.kinds import BLOB, Oid
from fastio.records import record

if TYPE_CHECKING:
    from fastio.hasher.keeper import Keeper
    from fastio.objects.kinds import ObjectFormat

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
        rules: Which conversions there can be, a byte each (`fastio.hasher.conversions`).
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
        packed: What is to go into the pack: oid, size, and deflated content.
    """

    oids: bytes
    count: int
    packed: list[tuple[Oid, int, bytes]]


class BatchWorker:
    """Deals with groups; any thread may call :meth:`run`.

    Args:
        object_format: How objects are hashed.
        keeper: Where they are stored; None if they are not.
    """

    def __init__(self, object_format: ObjectFormat, keeper: Keeper | None) -> None:
        self._format, self._keeper = object_format, keeper
        self._idle: list[FileReader] = []  # each run takes one and brings it back

    def run(self, group: Group, first: int = 0) -> Outcome:
        """Deal with the files of *group* from number *first* on, as far as it goes."""
        try:
            reader = self._idle.pop()
        except IndexError:
            reader = FileReader()
        try:
            return self._run(reader, group, first)
        finally:
            self._idle.append(reader)

    def _run(self, reader: FileReader, group: Group, first: int) -> Outcome:
        oids, packed = [], list[tuple[Oid, int, bytes]]()
        end = group.rules.find(BY_GIT, first)
        paths = group.paths if end < 0 else group.paths[:end]
        at = first
        while at < len(paths):
            count = reader.read(paths, at)
            usable = self._usable(reader, group.rules, at)
            oids.append(self._oids(reader)[: usable * self._format.oid_size])
            refuse_collision()
            if group.storing != NO_STORING:
                self._store(reader, oids[-1], group, packed)
            at += usable
            if reader.refused or usable < count:
                break
        return Outcome(b"".join(oids), at - first, packed)

    def _usable(self, reader: FileReader, rules: bytearray, first: int) -> int:
        """How many files come before one that is converted."""
        those = bytes(rules[first : first + reader.count])
        if not those.strip(_NONES):
            return reader.count
        with_cr = reader.find_cr(those.translate(_DECIDED_BY_CR))
        usable = reader.count if with_cr < 0 else with_cr
        for number in range(usable if IDENT in those else 0):
            if those[number] == IDENT and b"$Id" in reader.content(number):
                return number
        return usable

    def _oids(self, reader: FileReader) -> bytes:
        if self._format.name == "sha1":
            return reader.oids()
        hash_object = self._format.hash_object
        return b"".join(hash_object(BLOB, reader.content(n)) for n in range(reader.count))

    def _store(
        self,
        reader: FileReader,
        joined: bytes,
        group: Group,
        packed: list[tuple[Oid, int, bytes]],
    ) -> None:
        keeper, size = self._keeper, self._format.oid_size
        assert keeper is not None
        oids = [Oid(joined[start : start + size]) for start in range(0, len(joined), size)]
        if group.storing == LOOSE:
            for number, oid in enumerate(oids):
                if not keeper.knows(oid):
                    keeper.loose.write(oid, BLOB, reader.content(number))
            return
        packed += reader.deflated(oids, keeper.claim(oids, group.turn), keeper.compressor)
