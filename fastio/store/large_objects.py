"""Objects too large to hold: inflated piece by piece, for who passes them on.

Only what is stored whole can be read like this. A delta needs all of its base at hand: see
`fastio.store.large_deltas`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from isal import isal_zlib

from fastio.errors import ObjectError, PackError
from fastio.objects.kinds import NAMES
from fastio.records import record
from fastio.store.entry_reader import MAX_HEADER, InflateError, entry_header
from fastio.store.loose import loose_header, loose_path

if TYPE_CHECKING:
    from fastio.objects.kinds import ObjectFormat, Oid
    from fastio.store.entry_reader import Source

PIECE = 1 << 18
MOST_RATIO = 1032  # bytes that deflate can make of one


@record
class LargeObject:
    """An object of which only the beginning was looked at.

    Attributes:
        kind: Its type.
        size: Bytes of its content.
        pieces: The content, to be gone through once. Raises PackError (ObjectError for a loose
            object) where it is damaged: only then is it noticed.
    """

    kind: int
    size: int
    pieces: Iterator[bytes]


Opened = tuple[int, bytes] | LargeObject
"""An object's type and content, or a large object."""


def large_entry(
    source: Source,
    offset: int,
    object_format: ObjectFormat,
    *,
    above: int,
    path: bytes | None = None,
) -> LargeObject | None:
    """Open the object at *offset* of a pack if it is stored whole and larger than *above*.

    Args:
        source: The pack.
        offset: Where the entry begins.
        object_format: Tells the size of oids.
        above: Bytes.
        path: The pack's file, to read the content from; None to ask *source* for it. What is read
            of a mapping stays in memory.
    """
    head = source.read_at(offset, MAX_HEADER)
    header = entry_header(head, offset, object_format.oid_size)
    if header.base is not None or header.size <= above:
        return None
    start = offset + header.length
    if path is None:
        pieces = inflated_pieces(source, start, header.size)
    else:
        pieces = packed_pieces(path, start, header.size)
    return LargeObject(header.kind, header.size, pieces)


def large_loose(directory: bytes, oid: Oid, *, above: int) -> LargeObject | None:
    """Open a loose object if there is one and it is larger than *above*."""
    found = loose_header(directory, oid)
    if found is None or found[1] <= above:
        return None
    kind, size, start = found
    if size // MOST_RATIO > os.path.getsize(loose_path(directory, oid)):
        raise ObjectError(f"loose object {oid.hex()} is too short for the promised {size} bytes")
    return LargeObject(kind, size, _loose_pieces(directory, oid, start=start, size=size))


def inflated_pieces(source: Source, offset: int, size: int) -> Iterator[bytes]:
    """Inflate a zlib stream of *size* inflated bytes, none of them kept.

    Args:
        source: Where it lies.
        offset: Its first byte.
        size: Bytes that must come out, no more and no fewer.
    """
    inflater, position, left = isal_zlib.decompressobj(), offset, size
    packed: bytes | memoryview = b""
    while not inflater.eof and left >= 0:
        if not packed:
            packed = source.read_at(position, PIECE)
            position += len(packed)
            if not packed:
                break
        try:
            piece = inflater.decompress(packed, PIECE)
        except InflateError as error:
            raise PackError(f"deflated data at {offset} is damaged: {error}") from None
        packed = inflater.unconsumed_tail
        left -= len(piece)
        if piece and left >= 0:
            yield piece
    if left or not inflater.eof:
        raise PackError(f"deflated data at {offset} has not the promised {size} bytes")


def verified(opened: LargeObject, oid: Oid, object_format: ObjectFormat) -> LargeObject:
    """Return the same object, whose pieces end with an ObjectError if they have another oid."""

    def pieces() -> Iterator[bytes]:
        state = object_format.new(b"%s %d\0" % (NAMES[opened.kind], opened.size))
        for piece in opened.pieces:
            state.update(piece)
            yield piece
        if state.digest() != oid:
            raise ObjectError(f"object {oid.hex()} is damaged: its content has another oid")

    return LargeObject(opened.kind, opened.size, pieces())


class _File:
    """A file as a source."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def read_at(self, offset: int, length: int) -> bytes:
        return os.pread(self._fd, length, offset)


def packed_pieces(path: bytes, start: int, size: int) -> Iterator[bytes]:
    """Inflate what lies in a pack, read from its file."""
    name = os.fsdecode(path)
    try:
        with open(path, "rb", buffering=0) as file:
            yield from inflated_pieces(_File(file.fileno()), start, size)
    except OSError as error:
        raise PackError(f"{name} cannot be read: {error}") from error
    except PackError as error:
        raise PackError(f"{name}: {error}") from None


def _loose_pieces(directory: bytes, oid: Oid, *, start: int, size: int) -> Iterator[bytes]:
    """Inflate a loose object; *start* is where behind its header the content begins."""
    try:
        with open(loose_path(directory, oid), "rb", buffering=0) as file:
            pieces = inflated_pieces(_File(file.fileno()), 0, start + size)
            yield next(pieces)[start:]
            yield from pieces
    except (OSError, PackError) as error:
        raise ObjectError(f"loose object {oid.hex()} cannot be read: {error}") from error
