"""Packs with their idx, entry by entry as no git would write them."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from fastio.objects.kinds import BLOB, COMMIT, OFS_DELTA, REF_DELTA, TREE

__all__ = [
    "BLOB",
    "COMMIT",
    "OFS_DELTA",
    "REF_DELTA",
    "TREE",
    "Entry",
    "number",
    "pack_of",
    "write_pack",
]


@dataclass(slots=True)
class Entry:
    """One entry.

    Attributes:
        oid: What the idx says it is.
        kind: Of the entry.
        content: What is deflated.
        base: What stands between header and deflated content: a base's oid or distance.
        size: What the header says; None for the truth.
        deflated: Takes the place of the deflated content.
    """

    oid: str
    kind: int
    content: bytes = b""
    base: bytes = b""
    size: int | None = None
    deflated: bytes | None = None

    def bytes(self) -> bytes:
        """Return it as it stands in a pack."""
        size = len(self.content) if self.size is None else self.size
        head = [self.kind << 4 | size & 15]
        size >>= 4
        while size:
            head[-1] |= 0x80
            head.append(size & 0x7F)
            size >>= 7
        packed = zlib.compress(self.content) if self.deflated is None else self.deflated
        return bytes(head) + self.base + packed


def pack_of(entries: list[Entry], *, offsets: dict[str, int] | None = None) -> tuple[bytes, bytes]:
    """Return a pack and its idx; *offsets* are told by the idx instead of the true ones."""
    pack = b"PACK" + (2).to_bytes(4, "big") + len(entries).to_bytes(4, "big")
    rows = []
    for entry in entries:
        text = entry.bytes()
        offset = (offsets or {}).get(entry.oid, len(pack))
        rows.append((bytes.fromhex(entry.oid), zlib.crc32(text), offset))
        pack += text
    trailer = hashlib.sha1(pack).digest()
    return pack + trailer, _idx(sorted(rows), trailer)


def write_pack(
    directory: Path,
    entries: list[Entry],
    *,
    name: str = "pack-1",
    offsets: dict[str, int] | None = None,
) -> None:
    """Write a pack and its idx; see `pack_of`."""
    pack, idx = pack_of(entries, offsets=offsets)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.pack").write_bytes(pack)
    (directory / f"{name}.idx").write_bytes(idx)


def _idx(rows: list[tuple[bytes, int, int]], trailer: bytes) -> bytes:
    counts = [sum(row[0][0] <= first for row in rows) for first in range(256)]
    large = [offset for _, _, offset in rows if offset >= 1 << 31]
    places = [1 << 31 | large.index(at) if at >= 1 << 31 else at for _, _, at in rows]
    idx = b"\xfftOc" + (2).to_bytes(4, "big") + b"".join(one.to_bytes(4, "big") for one in counts)
    idx += b"".join(oid for oid, _, _ in rows)
    idx += b"".join(crc.to_bytes(4, "big") for _, crc, _ in rows)
    idx += b"".join(place.to_bytes(4, "big") for place in places)
    idx += b"".join(offset.to_bytes(8, "big") for offset in large) + trailer
    return idx + hashlib.sha1(idx).digest()


def number(value: int) -> bytes:
    """A size as deltas begin with."""
    groups = [value & 0x7F]
    while value := value >> 7:
        groups[-1] |= 0x80
        groups.append(value & 0x7F)
    return bytes(groups)
