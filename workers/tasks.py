"""The tasks that workers do, and their packed form.

A task names everything it needs, as places in the shared arena: the object, the delta base (both
may lie in its annex), room for the payload. So any worker can do any task, and doing one twice does
no harm. Batches are rows of C structs (``_tasks.pxd``), native byte order, 64 bytes a task and 56 a
result.

Encoding depends on nothing but its inputs: the payload is the same whoever makes it.
"""

from __future__ import annotations

from workers import _codec, _tasks

TYPE_CHECKING = False
if TYPE_CHECKING:  # not worth its import time
    from workers.arena import Arena

__all__ = ["Settings", "deflate_bound", "encode"]


class Settings:
    """What is the same for all tasks of a run.

    Args:
        object_format: ``sha1`` or ``sha256``: what oids are made with.
        level: Compression level, as in git's ``pack.compression``.
    """

    __slots__ = ("level", "object_format")

    def __init__(self, *, object_format: str = "sha1", level: int = -1) -> None:
        self.object_format, self.level = object_format, level


def encode(arena: Arena, tasks: bytes, settings: Settings) -> bytes:
    """Hash, deltify and deflate objects that lie in the arena or its annex.

    Args:
        arena: Where the tasks' bytes lie and the payloads go.
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
