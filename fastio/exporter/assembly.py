"""Putting the stream together: text and blobs' records, in order, whenever they become ready.

Blobs are numbered in the order of the stream. Text is there as soon as it was filled; records are
written by workers, in any order, to segments of the arena. What is ready up to the first blob that
is not can be taken and written, after which the segments that were used up are free again. A blob
that is to be dealt with by the caller when its turn comes has a state of the caller's own.
"""

from __future__ import annotations

from fastio.exporter._assembly import Assembly

__all__ = ["OTHER", "PLACED", "WAITING", "Assembly"]

WAITING, PLACED, OTHER = range(3)
