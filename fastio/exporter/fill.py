"""Filling the holes of records, in the order of the stream: the coordinator's part of each commit.

Here blobs and commits get their marks. What comes out is text that needs nothing but the records of
those blobs that are new, each at its place.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from fastio.exporter._fill import Filled, Filler

__all__ = ["ROW_SIZE", "Filled", "Filler", "NewBlob", "new_blobs"]

_NEW_BLOB = struct.Struct("=qQ32s")
ROW_SIZE = _NEW_BLOB.size


class NewBlob(NamedTuple):
    """A blob that has to be written: a row of `Filled.blobs`."""

    position: int
    mark: int
    oid: bytes
    """32 bytes, of which a SHA-1 fills the first 20."""


def new_blobs(packed: bytes) -> list[NewBlob]:
    """Return the rows of `Filled.blobs`."""
    return [NewBlob(*fields) for fields in _NEW_BLOB.iter_unpack(packed)]
