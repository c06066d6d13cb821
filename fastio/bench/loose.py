"""What it takes to write objects as loose ones, step by step, and into a pack.

The steps are those of `fastio.store.loose_writer` and `fastio.store.pack_writer`, taken with their
own functions, on the file system that is asked for. Both clocks are told: CPU for what the system
calls cost, and wall time, which has the waiting for a disk (fsync) as well.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from typing import TYPE_CHECKING

from fastio.bench.content import FULL, Content
from fastio.errors import FastioError
from fastio.objects.kinds import BLOB, SHA1, Oid
from fastio.records import record
from fastio.store.loose import loose_path
from fastio.store.new_files import create_temporary, give_name, remove, write_all
from fastio.store.objmap import ObjectMap
from fastio.store.pack_writer import PackWriter
from workers.codec import deflate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from fastio.store.config import Config

OBJECTS = 1000
_PACK = 1


@record
class Step:
    """A part of the work, for all objects together.

    Attributes:
        name: What is done.
        of_file: Whether it is there only because each object is a file.
        cpu: CPU seconds.
        wall: Seconds by the clock.
    """

    name: str
    of_file: bool
    cpu: float
    wall: float


@record
class LooseStudy:
    """What was measured.

    Attributes:
        objects: How many were written.
        size: Their bytes.
        directory: Where to.
        fsync: Whether loose objects are hardened.
        loose: The steps of writing loose objects.
        pack: Those of writing a pack.
    """

    objects: int
    size: int
    directory: str
    fsync: bool
    loose: tuple[Step, ...]
    pack: tuple[Step, ...]

    @property
    def file_share(self) -> float:
        """Which part of the time for loose objects is there only because each is a file."""
        of_files = sum(step.wall for step in self.loose if step.of_file)
        return of_files / sum(step.wall for step in self.loose)

    @property
    def file_share_of_cpu(self) -> float:
        """The same of the CPU."""
        of_files = sum(step.cpu for step in self.loose if step.of_file)
        return of_files / sum(step.cpu for step in self.loose)


class _Clocks:
    """Adds up what each step takes."""

    def __init__(self) -> None:
        self._spent: dict[str, tuple[float, float]] = {}
        self.start()

    def start(self) -> None:
        """Pass over what was since the last step."""
        self._cpu, self._wall = time.thread_time(), time.perf_counter()

    def end(self, name: str) -> None:
        """Account what was since the last step."""
        cpu, wall = time.thread_time(), time.perf_counter()
        before = self._spent.get(name, (0.0, 0.0))
        self._spent[name] = before[0] + cpu - self._cpu, before[1] + wall - self._wall
        self.start()

    def steps(self, of_files: tuple[str, ...] = ()) -> tuple[Step, ...]:
        """Return all steps, in the order in which they first came."""
        return tuple(
            Step(name, name in of_files, cpu, wall) for name, (cpu, wall) in self._spent.items()
        )


_OF_FILES = ("create", "name", "close", "remove the other name")


def study_loose(content: Content, config: Config, random: Random, work: str | None) -> LooseStudy:
    """Write a sample of *content* both ways and tell what each step took.

    Args:
        content: What to write: its full objects, as often as they are.
        config: Says what is hardened, and the levels.
        random: Chooses.
        work: Below which directory; None for the usual one for temporary files.

    Raises:
        FastioError: The directory cannot be written to.
    """
    bodies = list(_bodies(content, random))
    rules = config.fsync
    try:
        with tempfile.TemporaryDirectory(prefix="fastio-", dir=work) as place:
            directory = os.fsencode(place)
            loose = _write_loose(directory, bodies, config.loose_level, fsync=rules.loose_object)
            pack = _write_pack(directory, bodies, config)
    except OSError as error:
        place = error.filename or work or tempfile.gettempdir()
        raise FastioError(f"cannot write to '{place}': {error.strerror}") from error
    where = work or tempfile.gettempdir()
    size = sum(map(len, bodies))
    return LooseStudy(len(bodies), size, where, rules.loose_object, loose, pack)


def _bodies(content: Content, random: Random) -> Iterator[bytes]:
    """Choose objects in the proportion in which they are there; of large ones they are pieces."""
    payloads = content.payloads[FULL]
    weights = [one.weight for one in payloads]
    for payload in random.choices(payloads, weights, k=OBJECTS):
        yield payload.data


def _write_loose(
    directory: bytes, bodies: list[bytes], level: int, *, fsync: bool
) -> tuple[Step, ...]:
    for name in range(256):  # all of them are there in a repository of any size
        os.mkdir(b"%s/%02x" % (directory, name))
    clocks = _Clocks()
    for number, body in enumerate(bodies):
        path = loose_path(directory, _made_up(number))
        clocks.start()
        SHA1.hash_object(BLOB, body)
        clocks.end("hash")
        packed = deflate(b"blob %d\0%s" % (len(body), body), level)
        clocks.end("deflate")
        temporary, fd = create_temporary(os.path.dirname(path), b"tmp_obj_")
        clocks.end("create")
        write_all(fd, packed)
        clocks.end("write")
        if fsync:
            os.fsync(fd)
            clocks.end("fsync")
        give_name(temporary, path)
        clocks.end("name")
        os.close(fd)
        clocks.end("close")
        remove(temporary)
        clocks.end("remove the other name")
    return clocks.steps(_OF_FILES)


def _write_pack(directory: bytes, bodies: list[bytes], config: Config) -> tuple[Step, ...]:
    rules, level = config.fsync, config.pack_level
    clocks = _Clocks()
    writer = PackWriter(directory, SHA1, fsync=rules.pack, fsync_idx=rules.pack_metadata)
    known = ObjectMap(SHA1.oid_size)
    clocks.end("create")
    try:
        for number, body in enumerate(bodies):
            oid = _made_up(number)
            clocks.start()
            SHA1.hash_object(BLOB, body)
            clocks.end("hash")
            packed = deflate(body, level)
            clocks.end("deflate")
            offset = writer.append(BLOB, len(body), packed)
            known.insert(oid, pack=_PACK, offset=offset, kind=BLOB, crc=writer.last_crc)
            clocks.end("write")
        writer.finish(known, _PACK)
        clocks.end("complete")
    finally:
        writer.abort()
    return clocks.steps()


def _made_up(number: int) -> Oid:
    """An oid of its own for each object, since the same one may have been chosen twice."""
    return Oid(hashlib.sha1(b"%d" % number, usedforsecurity=False).digest())
