"""The pack index (idx): written for a pack that is complete, and read where packs exist.

Layout, every number big-endian, objects in oid order (gitformat-pack(5), "pack-*.idx files"):

* version 2: magic, version, fan-out (256 running counts by the oid's first byte), oids, crc32 of
  each entry, offsets in 4 bytes, the offsets that need 8 (the 4-byte one has the top bit set and
  says which), pack trailer, checksum of all before.
* version 1: fan-out, pairs of 4-byte offset and oid, pack trailer, checksum.

The writer sorts entry ids (4 bytes an object) in C and makes the sections a piece at a time, all of
them side by side, so that it visits every entry once and never holds an idx in memory. The file is
read back for its checksum.

The reader checks sizes and fan-out once when it opens a file, after which no look-up can leave the
mapping, whatever the rest of the file says.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from fastio.errors import PackError
from fastio.store._idx import IndexView, SortedIds
from fastio.store._mapping import map_file
from fastio.store.new_files import write_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastio.objects.kinds import ObjectFormat

__all__ = ["IndexView", "PackIndex", "SortedIds", "write_index"]

MAGIC_V2 = b"\377tOc\0\0\0\2"
PIECE = 1 << 14  # objects a piece
READ_PIECE = 1 << 20  # bytes
MAX_SMALL_OFFSET = 0x7FFFFFFF


def write_index(
    fd: int,
    ids: SortedIds,
    pack_trailer: bytes,
    object_format: ObjectFormat,
    *,
    version: int = 2,
) -> None:
    """Write an idx.

    Args:
        fd: An empty file, open to be written and read.
        ids: The pack's objects, none taken yet.
        pack_trailer: Checksum at the end of the pack.
        object_format: Hash algorithm of oids and checksums.
        version: 1 or 2. An entry past 2 GiB makes the idx a version 2 in any case, as git does.

    Raises:
        PackError: There is no such version.
        OSError: The file system refuses.
    """
    if version not in (1, 2):
        raise PackError(f"pack index version {version} cannot be written")
    if version == 1 and ids.last_offset <= MAX_SMALL_OFFSET:
        _write_v1(fd, ids, object_format.oid_size)
    else:
        _write_v2(fd, ids, object_format.oid_size)
    checksum, size = object_format.new(), 0
    while piece := os.pread(fd, READ_PIECE, size):
        checksum.update(piece)
        size += len(piece)
    checksum.update(pack_trailer)
    write_at(fd, pack_trailer + checksum.digest(), size)


def _write_v1(fd: int, ids: SortedIds, oid_size: int) -> None:
    pairs, at = ids.fan_out(), 0
    while pairs:
        write_at(fd, pairs, at)
        at += len(pairs)
        names, _, offsets, _ = ids.take(PIECE)
        pairs = b"".join(
            offsets[4 * number : 4 * number + 4]
            + names[oid_size * number : oid_size * (number + 1)]
            for number in range(len(offsets) // 4)
        )


def _write_v2(fd: int, ids: SortedIds, oid_size: int) -> None:
    header, count = MAGIC_V2 + ids.fan_out(), len(ids)
    write_at(fd, header, 0)
    # Where the sections go on: oids, crcs, offsets, large offsets.
    at = [*itertools.accumulate((len(header), oid_size * count, 4 * count, 4 * count))]
    while any(pieces := ids.take(PIECE)):
        for section, piece in enumerate(pieces):
            write_at(fd, piece, at[section])
            at[section] += len(piece)


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
