"""Frames between coordinator and workers: one msgpack array each.

    coordinator → worker   [kind, job, tasks]
    worker → coordinator   [DONE, job, results]
    worker → coordinator   [FAILED, job, reason]

The kind of a job is ENCODE, or a number from OTHER to LAST that the pool's user gives a meaning.
A job's number means nothing to the worker, which sends it back. The pipe's own framing (a length
before each message, by multiprocessing's Connection) says where a frame ends. Packed tasks and
results travel as they are; nothing that is larger ever does, it lies in the arena.
"""

from __future__ import annotations

from typing import NamedTuple

import msgpack  # type: ignore[import-untyped]

from workers.errors import MessageError

__all__ = [
    *("DONE", "ENCODE", "FAILED", "FRAME_OVERHEAD", "LAST", "OTHER"),
    *("Message", "pack", "unpack"),
]

ENCODE, DONE, FAILED = 0, 1, 2
OTHER, LAST = 3, 9

FRAME_OVERHEAD = 32
"""No frame is longer than its payload and this: length, array, two numbers, bytes header."""


class Message(NamedTuple):
    """One frame's content."""

    kind: int
    job: int
    payload: bytes
    """Packed tasks or results, or the reason of a failure in UTF-8."""


def pack(message: Message) -> bytes:
    """Return the frame of *message*."""
    packed: bytes = msgpack.packb(message, use_bin_type=True)
    return packed


def unpack(frame: bytes) -> Message:
    """Read one frame.

    Raises:
        MessageError: It is not a frame of ours.
    """
    try:
        kind, job, payload = msgpack.unpackb(frame, strict_map_key=True)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise MessageError(f"frame cannot be read: {error}") from None
    if [type(part) for part in (kind, job, payload)] != [int, int, bytes] or not 0 <= kind <= LAST:
        raise MessageError(f"frame of unknown kind {kind!r}")
    return Message(kind, job, payload)
