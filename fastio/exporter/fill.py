"""Filling the holes of records, in the order of the stream: the coordinator's part of each commit.

Here blobs and commits get their marks. What comes out is text that needs nothing but the records of
those blobs that are new, each at its place.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from fastio.exporter._fill import Filled, Filler

__all__ = ["ROW_SIZE", "Filled", "Filler", "new_blobs"]

_NEW_BLOB = struct.Struct("=qQ32s")
ROW_SIZE = _NEW_BLOB.size


def new_blobs(packed: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the rows of `Filled.blobs`, each a blob that has to be written.

    That is its position in the text, its mark, and its oid in 32 bytes, of which a SHA-1 fills the
    first 20.
    """
    yield from _NEW_BLOB.iter_unpack(packed)
