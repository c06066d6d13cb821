"""Large objects that are stored as deltas: built in files without a name.

A delta may copy from anywhere in its base, so all of that must be at hand, and what it builds is
the next one's base. git makes deltas of files up to ``core.bigFileThreshold``, 512 MiB, and of
larger ones if that is set higher. What is large is therefore inflated into a temporary file, and
each step of the chain builds the next file from it: all are mapped, so that the system may take
their memory back. The directory is the one of ``TMPDIR``.

Where all of a chain is small, nothing of this is worth it: such objects are read as ever.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from fastio.errors import DeltaError, ObjectError
from fastio.store.entry_reader import (
    MAX_COPY,
    MAX_HEADER,
    EntryHeader,
    entry_header,
    target_size,
    walk_chain,
)
from fastio.store.large_objects import MOST_RATIO, PIECE, LargeObject, packed_pieces
from workers.delta import apply_delta_into
from workers.errors import DeltaError as DamagedDelta

if TYPE_CHECKING:
    from fastio.objects.kinds import ObjectFormat
    from fastio.store.entry_reader import Resolver, Source

# What a reader may hold several times over, of any object.
IN_MEMORY = 16 << 20

Room = bytearray | mmap.mmap


def large_delta(
    source: Source,
    offset: int,
    object_format: ObjectFormat,
    *,
    above: int,
    path: bytes,
    resolve_ref_delta: Resolver,
) -> LargeObject | None:
    """Open the delta at *offset* of a pack, if it builds more than *above* from what is large.

    Args:
        source: The pack.
        offset: Where the entry begins.
        object_format: Tells the size of oids.
        above: Bytes.
        path: The pack's file.
        resolve_ref_delta: Finds bases that are given by oid.
    """
    head = source.read_at(offset, MAX_HEADER)
    header = entry_header(head, offset, object_format.oid_size)
    if header.base is None or target_size(source, header) <= above:
        return None
    deltas, base = walk_chain(source, offset, object_format, resolve_ref_delta, None)
    if not isinstance(base, EntryHeader):
        return None
    sizes = [target_size(source, header) for header in deltas]
    if max(base.size, *sizes) <= IN_MEMORY:
        return None
    steps = list(zip(reversed(deltas), reversed(sizes), strict=True))
    if not _may_be(base, steps, os.path.getsize(path)):
        return None  # who reads it will say what is wrong
    return LargeObject(base.kind, sizes[0], _pieces(path, base, steps))


def _may_be(base: EntryHeader, steps: list[tuple[EntryHeader, int]], most: int) -> bool:
    """Tell whether a pack of so many bytes can hold what its headers promise."""
    size = base.size
    for header, target in steps:
        if target > header.size * (min(size, MAX_COPY) + 1):
            return False
        size = target
    return all(header.size // MOST_RATIO <= most for header in (base, *(step[0] for step in steps)))


def _pieces(
    path: bytes, base: EntryHeader, steps: list[tuple[EntryHeader, int]]
) -> Iterator[bytes]:
    """Build an object, step by step, and yield it."""
    try:
        content = _payload(path, base)
        for header, size in steps:
            target = _room(size)
            apply_delta_into(content, _payload(path, header), target)
            content = target
    except DamagedDelta as error:
        name = os.fsdecode(path)
        raise DeltaError(f"{name}: delta at {header.offset} is damaged: {error}") from None
    except OSError as error:
        raise ObjectError(f"no room for the bases of a large delta: {error}") from error
    for at in range(0, len(content), PIECE):
        yield bytes(content[at : at + PIECE])


def _payload(path: bytes, header: EntryHeader) -> Room:
    """Inflate what an entry holds."""
    pieces = packed_pieces(path, header.offset + header.length, header.size)
    if header.size <= IN_MEMORY:
        return bytearray().join(pieces)
    return _filled(pieces, header.size)


def _filled(pieces: Iterable[bytes], size: int) -> Room:
    room, at = _room(size), 0
    for piece in pieces:
        room[at : at + len(piece)] = piece
        at += len(piece)
    return room


def _room(size: int) -> Room:
    """Return room for so many bytes, in a file if they are many."""
    if size <= IN_MEMORY:
        return bytearray(size)
    import tempfile  # noqa: PLC0415 - it takes 5 ms, and such objects are rare

    with tempfile.TemporaryFile(prefix="fastio-") as file:
        # A disk that is full is told here, and not by a signal when the mapping is written to.
        os.posix_fallocate(file.fileno(), 0, size)
        return mmap.mmap(file.fileno(), size)
