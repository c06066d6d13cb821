"""The pack index (idx): written for a pack that is complete, and read where packs exist.

Layout, every number big-endian, objects in oid order (gitformat-pack(5), "pack-*.idx files"):

* version 2: magic, version, fan-out (256 running counts by the oid's first byte), oids, crc32 of
  each entry, offsets in 4 bytes, the offsets that need 8 (the 4-byte one has the top bit set and
  says which), pack trailer, checksum of all before.
* version 1: fan-out, pairs of 4-byte offset and oid, pack trailer, checksum.

The writer sorts entry ids (4 bytes an object) in C and makes the sections a piece at a time, so it
never holds an idx in memory. The reader checks sizes and fan-out once when it opens a file, after
which no look-up can leave the mapping, whatever the rest of the file says.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fastio.errors import PackError
from fastio.store._idx import IndexView, SortedIds
from fastio.store._mapping import map_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastio.objects.kinds import ObjectFormat

__all__ = ["IndexView", "PackIndex", "SortedIds", "index_pieces"]

MAGIC_V2 = b"\377tOc\0\0\0\2"
PIECE = 1 << 16  # objects a piece; 1.3 MB of SHA-1 oids
MAX_SMALL_OFFSET = 0x7FFFFFFF


def index_pieces(
    ids: SortedIds, pack_trailer: bytes, object_format: ObjectFormat, *, version: int = 2
) -> Iterator[bytes]:
    """Make an idx, piece by piece.

    Args:
        ids: The pack's objects.
        pack_trailer: Checksum at the end of the pack.
        object_format: Hash algorithm of oids and checksums.
        version: 1 or 2. An entry past 2 GiB makes the idx a version 2 in any case, as git does.

    Yields:
        Pieces that make up the file when written behind each other.

    Raises:
        PackError: There is no such version.
    """
    if version not in (1, 2):
        raise PackError(f"pack index version {version} cannot be written")
    checksum = object_format.new()
    if version == 1 and ids.last_offset <= MAX_SMALL_OFFSET:
        sections = _sections_v1(ids)
    else:
        sections = _sections_v2(ids)
    for section in sections:
        checksum.update(section)
        yield section
    checksum.update(pack_trailer)
    yield pack_trailer + checksum.digest()


def _sections_v1(ids: SortedIds) -> Iterator[bytes]:
    yield ids.fan_out()
    for start in range(0, len(ids), PIECE):
        yield ids.names(start, start + PIECE, with_offsets=True)


def _sections_v2(ids: SortedIds) -> Iterator[bytes]:
    yield MAGIC_V2 + ids.fan_out()
    starts = range(0, len(ids), PIECE)
    for start in starts:
        yield ids.names(start, start + PIECE)
    for start in starts:
        yield ids.crcs(start, start + PIECE)
    large = bytearray()
    for start in starts:
        section, more = ids.offsets(start, start + PIECE, len(large) // 8)
        large += more
        yield section
    yield bytes(large)


class PackIndex(IndexView):
    """An idx file of either version, mapped into memory.

    Raises:
        PackError: The file cannot be read or is no idx of this object format. Look-ups raise it
            too, where an entry says what cannot be.
    """

    def __init__(self, path: bytes | str, object_format: ObjectFormat) -> None:
        self.path = os.fsencode(path)
        self.object_format = object_format
        name = os.fsdecode(path)
        try:
            with open(path, "rb") as file:
                content = map_file(file.fileno())
        except (OSError, ValueError, MemoryError) as error:  # ValueError: an empty file
            raise PackError(f"cannot read pack index {name}: {error}") from error
        try:
            super().__init__(content, object_format.oid_size)
        except PackError as error:
            raise PackError(f"{name}: {error}") from None

    def verify(self) -> None:
        """Compare the checksum at the end of the file with its content.

        Raises:
            PackError: They differ, or the file is gone.
        """
        name = os.fsdecode(self.path)
        try:
            with open(self.path, "rb") as file:
                content = file.read()
        except OSError as error:
            raise PackError(f"cannot read pack index {name}: {error}") from error
        checksum = self.object_format.new()
        checksum.update(memoryview(content)[: -self.object_format.oid_size])
        if checksum.digest() != content[-self.object_format.oid_size :]:
            raise PackError(f"{name}: the checksum does not fit the content")

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Walk all objects in oid order.

        Yields:
            An oid and the offset of its entry in the pack.
        """
        for position in range(len(self)):
            yield self.oid_at(position), self.offset_at(position)
