"""Deflating in pieces, by the same libraries and levels as `workers.codec`."""

from __future__ import annotations

from isal import isal_zlib

from workers.codec import DEFAULT_LEVEL
from workers.errors import CodecError

TYPE_CHECKING = False
if TYPE_CHECKING:  # not worth its import time
    from typing import Protocol

    from typing_extensions import Buffer

    class _Stream(Protocol):
        def compress(self, data: Buffer, /) -> bytes: ...
        def flush(self) -> bytes: ...


class Deflater:
    """One zlib stream, for bytes that never lie in memory all at once.

    Args:
        level: Compression level, as in git's ``pack.compression``.

    Raises:
        CodecError: There is no such level.
    """

    def __init__(self, level: int) -> None:
        self._stream = _open(level)

    def compress(self, data: Buffer) -> bytes:
        """Take the next bytes in; returns what is ready of the output."""
        return self._stream.compress(data)

    def flush(self) -> bytes:
        """End the stream; returns the rest of the output."""
        return self._stream.flush()


def _open(level: int) -> _Stream:
    if not -1 <= level <= 9:
        raise CodecError(f"there is no compression level {level}")
    stream: _Stream
    if 1 <= level <= 3 or level == -1:
        stream = isal_zlib.compressobj(DEFAULT_LEVEL if level == -1 else level)
    else:
        from zlib_ng import zlib_ng  # noqa: PLC0415 - these levels are rare

        stream = zlib_ng.compressobj(level)
    return stream
