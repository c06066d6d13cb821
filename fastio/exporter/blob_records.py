"""Records of blobs, as they stand in the stream, written to the arena.

A job names a segment of the arena and some blobs with their marks:

    i64 offset of the segment | i64 its bytes | for each blob: u64 mark, oid in 32 bytes

As many records as fit are written, in order; what is left the coordinator gives out again. The
result tells

    u32 records written | u32 end | i64 bytes | for each record: i64 offset, i64 bytes | reason

where the end is DONE, FULL (what is left did not fit), LARGER (nothing did; the first needs a
segment of so many bytes) or FAILED (the blob behind those that were written cannot be read, for the
reason that stands last). A record's offset is one of the arena.
"""

from __future__ import annotations

import struct
import sys
from typing import TYPE_CHECKING

from fastio.exporter._blob_records import head_of, write_blobs
from fastio.records import record

if TYPE_CHECKING:
    from workers.arena import Arena

__all__ = [
    "DONE",
    "FAILED",
    "FULL",
    "LARGER",
    "PLACE_SIZE",
    "ROW_SIZE",
    "Outcome",
    "blamed_blob",
    "head_of",
    "pack_job",
    "unpack_outcome",
    "write_blobs",
]

DONE, FULL, LARGER, FAILED = range(4)
ROW_SIZE = struct.calcsize("=Q32s")
PLACE_SIZE = struct.calcsize("=2q")

_JOB_HEAD = struct.Struct("=2q")
_RESULT_HEAD = struct.Struct("=2Iq")


@record
class Outcome:
    """What became of a job."""

    done: int
    end: int
    room: int
    places: bytes
    reason: bytes


def pack_job(segment: int, room: int, rows: bytes) -> bytes:
    """Return the job of writing *rows* of blobs to a segment."""
    return _JOB_HEAD.pack(segment, room) + rows


def unpack_outcome(results: bytes) -> Outcome:
    """Read what `write_blobs` returned."""
    done, end, room = _RESULT_HEAD.unpack_from(results)
    places = _RESULT_HEAD.size + done * PLACE_SIZE
    return Outcome(done, end, room, results[_RESULT_HEAD.size : places], results[places:])


def blamed_blob(arena: Arena, job: bytes) -> bytes:
    """Return the oid, in 32 bytes, of the blob that was being read when a worker died of *job*.

    Its number among the job's stands at the beginning of the segment.
    """
    segment, _ = _JOB_HEAD.unpack_from(job)
    number = int.from_bytes(arena.view[segment : segment + 8], sys.byteorder)
    end = _JOB_HEAD.size + (number + 1) * ROW_SIZE
    return job[end - 32 : end] or job[-32:]
