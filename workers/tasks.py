"""The tasks that workers do, and their packed form.

A task names everything it needs, as places in the shared arena: the object, the delta base, room
for the payload. So any worker can do any task, and doing one twice does no harm. Batches are rows
of C structs (``_tasks.pxd``), native byte order, 64 bytes a task and 56 a result.

Encoding depends on nothing but its inputs: the payload is the same whoever makes it.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from workers import _codec, _tasks

TYPE_CHECKING = False
if TYPE_CHECKING:  # not worth its import time
    from typing_extensions import Buffer

__all__ = [
    "DELTA",
    "FAILED",
    "FULL",
    "RESULT_SIZE",
    "TASK_SIZE",
    "Result",
    "Settings",
    "Task",
    "deflate_bound",
    "encode",
    "unpack_results",
]

FULL, DELTA, FAILED = 0, 1, -1

_TASK = struct.Struct("=8q")
_RESULT = struct.Struct("=2qiI32s")
TASK_SIZE = _TASK.size
RESULT_SIZE = _RESULT.size


class Settings(NamedTuple):
    """What is the same for all tasks of a run."""

    object_format: str = "sha1"
    """``sha1`` or ``sha256``: what oids are made with."""
    level: int = -1
    """Compression level, as in git's ``pack.compression``."""


class Task(NamedTuple):
    """Encode one object; offsets and sizes are bytes of the arena."""

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


def unpack_results(results: bytes) -> list[Result]:
    """Return the results that :func:`encode` packed."""
    return [Result(*fields) for fields in _RESULT.iter_unpack(results)]


def encode(arena: Buffer, tasks: bytes, settings: Settings) -> bytes:
    """Hash, deltify and deflate objects that lie in the arena.

    Args:
        arena: All of the arena, writable.
        tasks: Packed tasks.
        settings: Object format and level.

    Returns:
        Packed results, one a task; the payloads lie where the tasks said.

    Raises:
        TaskError: A task names bytes outside the arena or an unknown type, or the batch is cut.
        CodecError: There is no such level.
    """
    return _tasks.encode(arena, tasks, settings)


def deflate_bound(size: int) -> int:
    """Return the room that the payload of *size* bytes needs at most: stored zlib blocks."""
    return _codec.deflate_bound(size)
