"""Reading pack entries, deltas resolved.

An entry is a type and size in one variable-length number, for deltas a reference to the base,
and a deflated payload (gitformat-pack(5), "pack-*.pack files"). An ofs-delta's base lies so
many bytes before it in the same pack; a ref-delta names its base by oid.

Chains are walked with a loop, never by recursion. Nothing that a file says is believed before
it is seen: memory grows with the bytes that come out of the inflater, up to the size in the
entry's header, and a delta cannot make more than its copies and inserts could yield.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from isal import isal_zlib

from fastio.errors import CircularDeltaError, DeltaError, PackError
from fastio.objects.kinds import NAMES, OFS_DELTA, REF_DELTA, ObjectFormat, Oid
from fastio.records import record
from fastio.store.object_cache import ObjectCache
from workers.delta import apply_delta
from workers.errors import DeltaError as DamagedDelta

# The stub takes the class for an instance of it.
InflateError: type[Exception] = isal_zlib.error  # type: ignore[assignment]

HEADER_SIZE = 12  # "PACK", version, count
MAX_HEADER = 64  # type and size 10, distance 10 or oid 32
MAX_DELTA_SIZES = 20  # two numbers of at most 64 bits, seven of them a byte
MOST_SIZE = (1 << 62) - 1  # and one byte more, that is looked for, is no more than inflaters take
MIN_READ, MAX_READ = 256, 1 << 18
MAX_COPY = 1 << 22  # the most bytes that one byte of a delta can stand for


class Source(Protocol):
    """What entries are read from: a finished pack, or one that is still being written."""

    def read_at(self, offset: int, length: int) -> bytes | memoryview:
        """Return up to *length* bytes; fewer only at the end."""


@record
class EntryHeader:
    """The front of a pack entry.

    Attributes:
        offset: Where in the pack the entry begins.
        kind: Type number, perhaps OFS_DELTA or REF_DELTA.
        size: Bytes of the inflated payload.
        length: Bytes of the header itself, base reference included.
        base: Offset of an ofs-delta's base, oid of a ref-delta's, else None.
    """

    offset: int
    kind: int
    size: int
    length: int
    base: int | Oid | None


def entry_header(head: bytes | memoryview, offset: int, oid_size: int) -> EntryHeader:
    """Parse the header of an entry.

    Args:
        head: The first bytes of the entry.
        offset: Where in the pack it begins.
        oid_size: Bytes of an oid.
    """
    try:
        return _parse_header(head, offset, oid_size)
    except IndexError:
        raise PackError(f"pack entry at {offset} is cut short") from None


def _parse_header(head: bytes | memoryview, offset: int, oid_size: int) -> EntryHeader:
    byte, at = head[0], 1
    kind, size, shift = byte >> 4 & 7, byte & 15, 4
    while byte & 0x80:
        byte = head[at]
        size |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if size > MOST_SIZE:
            raise PackError(f"pack entry at {offset} has a size beyond 62 bits")
    if kind in NAMES:
        return EntryHeader(offset, kind, size, at, None)
    if kind == REF_DELTA:
        base = Oid(bytes(head[at : at + oid_size]))
        if len(base) < oid_size:
            raise PackError(f"pack entry at {offset} is cut short")
        return EntryHeader(offset, kind, size, at + oid_size, base)
    if kind != OFS_DELTA:
        raise PackError(f"pack entry at {offset} has the unknown type {kind}")
    byte, at = head[at], at + 1
    distance = byte & 0x7F
    while byte & 0x80:
        byte = head[at]
        distance = (distance + 1) << 7 | byte & 0x7F
        at += 1
    if not 0 < distance <= offset - HEADER_SIZE:
        raise PackError(f"pack entry at {offset} has its delta base outside of the pack")
    return EntryHeader(offset, kind, size, at, offset - distance)


def inflate_at(source: Source, offset: int, size: int) -> bytes:
    """Inflate a zlib stream of which only the beginning and the inflated size are known.

    Args:
        source: Where it lies.
        offset: Its first byte.
        size: Bytes that must come out, no more and no fewer.
    """
    inflated, is_complete = _inflate_some(
        source, offset, size + 1
    )  # one more shows what is too long
    if len(inflated) != size or not is_complete:
        raise PackError(f"deflated data at {offset} has not the promised {size} bytes")
    return inflated


def _inflate_some(source: Source, offset: int, room: int) -> tuple[bytes, bool]:
    """Inflate up to *room* bytes; tell also whether that is all, checksum compared."""
    inflater = isal_zlib.decompressobj()
    parts: list[bytes] = []
    piece: bytes | memoryview = b""
    position = offset
    # What deflate makes of so many bytes is seldom longer.
    reach = min(max(room + 64, MIN_READ), MAX_READ)
    try:
        while not inflater.eof and room:
            if not piece:
                piece = source.read_at(position, reach)
                position += len(piece)
                if not piece:
                    raise PackError(f"deflated data at {offset} is cut short")
            inflated = inflater.decompress(piece, room)
            parts.append(inflated)
            room -= len(inflated)
            piece = inflater.unconsumed_tail
    except InflateError as error:
        raise PackError(f"deflated data at {offset} is damaged: {error}") from None
    return parts[0] if len(parts) == 1 else b"".join(parts), inflater.eof


Resolver = Callable[[Oid], int | tuple[int, bytes]]
"""Finds a ref-delta's base: its offset in the same pack, or (type, content) from elsewhere."""


def read_chain(
    source: Source,
    offset: int,
    object_format: ObjectFormat,
    *,
    resolve_ref_delta: Resolver | None = None,
    cache: ObjectCache | None = None,
) -> tuple[int, bytes]:
    """Read the object at *offset*, applying deltas from its full object upward.

    Args:
        source: The pack.
        offset: Where the entry begins.
        object_format: Tells the size of oids.
        resolve_ref_delta: Finds bases that are given by oid; None if there can be none.
        cache: Looked into for bases, and given what is read, by source and offset.

    Returns:
        Type and content.

    Raises:
        PackError: The pack is damaged.
    """
    deltas, base = walk_chain(source, offset, object_format, resolve_ref_delta, cache)
    if isinstance(base, EntryHeader):
        content = _payload(source, base)
        kind = base.kind
        if cache is not None:
            cache.put((source, base.offset), kind, content)
    else:
        kind, content = base
    for header in reversed(deltas):
        content = _apply(content, _payload(source, header), header.offset)
        if cache is not None:
            cache.put((source, header.offset), kind, content)
    return kind, content


def read_info(
    source: Source,
    offset: int,
    object_format: ObjectFormat,
    *,
    resolve_ref_delta: Resolver | None = None,
) -> tuple[int, int]:
    """Tell type and size of the object at *offset*, inflating next to nothing.

    Args and errors are those of `read_chain`.
    """
    deltas, base = walk_chain(source, offset, object_format, resolve_ref_delta, None)
    kind = base.kind if isinstance(base, EntryHeader) else base[0]
    if deltas:
        return kind, target_size(source, deltas[0])
    return kind, base.size if isinstance(base, EntryHeader) else len(base[1])


def walk_chain(
    source: Source,
    offset: int,
    object_format: ObjectFormat,
    resolve_ref_delta: Resolver | None,
    cache: ObjectCache | None,
) -> tuple[list[EntryHeader], EntryHeader | tuple[int, bytes]]:
    """Follow a chain down by its headers alone.

    Returns:
        The deltas, top one first, and what they stand on: a full entry or a known object.
    """
    deltas: list[EntryHeader] = []
    seen: set[int] = set()
    while True:
        found = None if cache is None else cache.get((source, offset))
        if found:
            return deltas, found
        head = source.read_at(offset, MAX_HEADER)
        header = entry_header(head, offset, object_format.oid_size)
        if header.base is None:
            return deltas, header
        deltas.append(header)
        seen.add(offset)
        base = _find_base(header.base, resolve_ref_delta)
        if not isinstance(base, int):
            return deltas, base
        if base in seen:
            raise CircularDeltaError(f"delta chain of the pack entry at {offset} is circular")
        offset = base


def _find_base(base: int | Oid, resolve_ref_delta: Resolver | None) -> int | tuple[int, bytes]:
    if isinstance(base, int):
        return base
    if resolve_ref_delta is None:
        raise PackError(f"ref-delta against {base.hex()} in a pack that should have none")
    return resolve_ref_delta(base)


def _apply(base: bytes, delta: bytes, offset: int) -> bytes:
    most = len(delta) * (min(len(base), MAX_COPY) + 1)
    try:
        return apply_delta(base, delta, max_size=most)
    except DamagedDelta as error:
        raise DeltaError(f"delta at {offset} is damaged: {error}") from None


def _payload(source: Source, header: EntryHeader) -> bytes:
    return inflate_at(source, header.offset + header.length, header.size)


def target_size(source: Source, header: EntryHeader) -> int:
    """Read the second size that a delta begins with (gitformat-pack(5))."""
    sizes, _ = _inflate_some(source, header.offset + header.length, MAX_DELTA_SIZES)
    numbers, shift = [0], 0
    for byte in sizes:
        numbers[-1] |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            numbers.append(0)
            shift = 0
    if len(numbers) < 3:
        raise DeltaError(f"delta at {header.offset} is cut short")
    if numbers[1] > MOST_SIZE:
        raise DeltaError(f"delta at {header.offset} promises more than 62 bits can count")
    return numbers[1]
