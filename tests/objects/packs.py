"""A plain writer of tiny packs."""

from __future__ import annotations

import hashlib
import zlib


def pack(entries: list[tuple[int, bytes, int]]) -> bytes:
    """A pack of (kind, inflated content, index distance to the ofs-delta's base or 0)."""
    data = b"PACK" + (2).to_bytes(4, "big") + len(entries).to_bytes(4, "big")
    offsets: list[int] = []
    for kind, content, back in entries:
        offsets.append(len(data))
        size = len(content)
        header = [kind << 4 | size & 15]
        size >>= 4
        while size:
            header[-1] |= 0x80
            header.append(size & 0x7F)
            size >>= 7
        data += bytes(header)
        if back:
            data += distance(offsets[-1] - offsets[-1 - back])
        data += zlib.compress(content)
    return data + hashlib.sha1(data).digest()


def distance(value: int) -> bytes:
    groups = [value & 0x7F]
    while value := value >> 7:
        value -= 1
        groups.append(value & 0x7F | 0x80)
    return bytes(reversed(groups))
