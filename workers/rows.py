"""The packed rows of `workers.tasks`, field by field.

Kernels read and write them as C structs (``_tasks.pxd``); this is for tests and for whoever looks.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

__all__ = [
    "DELTA",
    "FAILED",
    "FULL",
    "NO_OID",
    "RESULT_SIZE",
    "TASK_SIZE",
    "Result",
    "Task",
    "split_tasks",
    "unpack_results",
]

FULL, DELTA, FAILED = 0, 1, -1
NO_OID = 1

_TASK = struct.Struct("=7q2i")
_RESULT = struct.Struct("=2qiI32s")
TASK_SIZE = _TASK.size
RESULT_SIZE = _RESULT.size


class Task(NamedTuple):
    """Encode one object; offsets and sizes are bytes of the arena, or of its annex behind it."""

    raw_offset: int
    raw_size: int
    base_offset: int
    """-1 when there is no delta base."""
    base_size: int
    out_offset: int
    out_capacity: int
    max_delta: int
    """Longest inflated delta worth having."""
    kind: int
    """Git's number for the object type, 1 to 4."""
    flags: int = 0
    """NO_OID when the caller knows the oid already: the result's is left zero."""

    def pack(self) -> bytes:
        """Return the C struct."""
        return _TASK.pack(*self)


class Result(NamedTuple):
    """What became of one object."""

    packed_size: int
    inflated_size: int
    """Of the payload: the object's size, or its delta's."""
    form: int
    """FULL, DELTA, or FAILED when the payload does not fit its room."""
    crc: int
    """CRC-32 of the payload."""
    oid: bytes
    """32 bytes, of which a SHA-1 fills the first 20."""


def split_tasks(packed: bytes) -> list[bytes]:
    """Return packed tasks one by one."""
    return [packed[start : start + TASK_SIZE] for start in range(0, len(packed), TASK_SIZE)]


def unpack_results(results: bytes) -> list[Result]:
    """Return the results that `workers.tasks.encode` packed."""
    return [Result(*fields) for fields in _RESULT.iter_unpack(results)]
