"""Blobs on their way into the pack, all that were deflated at once."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from fastio.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastio.objects.kinds import Oid


@record
class Deflated:
    """Blobs, and what they became.

    Attributes:
        oids: Which.
        sizes: For each its size and that of what it became, as two numbers of 64 bits.
        payloads: What they became, one behind the other.
    """

    oids: list[Oid]
    sizes: bytes
    payloads: bytes | memoryview

    def each(self) -> Iterator[tuple[Oid, int, bytes]]:
        """Yield each one's oid, size and what it became."""
        at = 0
        rows = struct.iter_unpack("=2q", self.sizes)
        for oid, (size, packed_size) in zip(self.oids, rows, strict=True):
            yield oid, size, bytes(self.payloads[at : at + packed_size])
            at += packed_size
