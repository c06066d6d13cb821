"""One zlib stream made by several threads, for bytes that never lie in memory all at once.

The bytes are cut into pieces of a fixed size. Each is deflated by itself and ends at a whole byte
(a "sync flush"), with the last 32 KiB before it as dictionary, so that cutting costs no size. One
behind the other they are a zlib stream, the same for any number of threads. The libraries and
levels are those of `workers.codec`; like hashlib, these libraries let other threads run.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from isal import isal_zlib

from workers.codec import DEFAULT_LEVEL
from workers.errors import CodecError

TYPE_CHECKING = False
if TYPE_CHECKING:  # not worth its import time
    from collections.abc import Callable

    from typing_extensions import Buffer

__all__ = ["PIECE", "ParallelDeflater", "deflate_piece"]

PIECE = 1 << 19
"""Bytes deflated at once: smaller ones gain nothing, larger ones only take memory."""

_WINDOW = 1 << 15  # how far a match can reach back
_RAW = -15  # no header and no checksum around what is deflated
_HEADER = b"\x78\x9c"
_LAST_BLOCK = b"\x03\x00"  # is empty


def deflate_piece(data: Buffer, dictionary: Buffer, level: int) -> bytes:
    """Deflate part of a stream, up to a whole byte.

    Args:
        data: The part.
        dictionary: What came right before it in the stream, 32 KiB at most.
        level: Compression level, as in git's ``pack.compression``.

    Raises:
        CodecError: There is no such level.
    """
    if not -1 <= level <= 9:
        raise CodecError(f"there is no compression level {level}")
    if 1 <= level <= 3 or level == -1:
        own_level = DEFAULT_LEVEL if level == -1 else level
        stream = isal_zlib.compressobj(own_level, wbits=_RAW, zdict=dictionary)
        return stream.compress(data) + stream.flush(isal_zlib.Z_SYNC_FLUSH)
    from zlib_ng import zlib_ng  # noqa: PLC0415 - these levels are rare

    other = zlib_ng.compressobj(level, wbits=_RAW, zdict=dictionary)
    return other.compress(data) + other.flush(zlib_ng.Z_SYNC_FLUSH)


class ParallelDeflater:
    """Deflates one zlib stream in threads, and reads it once more in another, to hash it.

    Threads live until :meth:`finish` or :meth:`close`, so that nobody forks among them without
    need. They take no lock but those of their own queues.

    Args:
        level: Compression level.
        threads: How many deflate.
        look: Is called with each piece, in order, in a thread of its own.
        put: Is called with what is ready of the output, in order, in the caller's thread.
    """

    def __init__(
        self,
        level: int,
        threads: int,
        look: Callable[[bytearray], None],
        put: Callable[[bytes], None],
    ) -> None:
        self._level, self._look, self._put = level, look, put
        self._deflating = ThreadPoolExecutor(threads)
        self._looking = ThreadPoolExecutor(1)
        self._most = threads + 2  # pieces in memory: one for each thread, and some to go on with
        self._under_way: deque[tuple[Future[bytes], Future[None]]] = deque()
        self._piece, self._window = bytearray(), b""
        self._adler = 1
        put(_HEADER)

    def write(self, data: Buffer) -> None:
        """Take the next bytes; they are copied.

        Whatever *look* and *put* raise comes out here or in :meth:`finish`.

        Raises:
            RuntimeError: No thread can be started.
        """
        rest = memoryview(data)
        while rest:
            count = PIECE - len(self._piece)
            self._piece += rest[:count]
            rest = rest[count:]
            if len(self._piece) == PIECE:
                self._submit()

    def finish(self) -> None:
        """Put the end of the stream, and end the threads.

        Raises:
            RuntimeError: No thread can be started.
        """
        if self._piece:
            self._submit()
        while self._under_way:
            self._take()
        self._put(_LAST_BLOCK + self._adler.to_bytes(4, "big"))
        self.close()

    def close(self) -> None:
        """End the threads, whatever is left to do."""
        for each in (self._deflating, self._looking):
            each.shutdown(cancel_futures=True)

    def _submit(self) -> None:
        if len(self._under_way) == self._most:
            self._take()
        piece, self._piece = self._piece, bytearray()
        deflated = self._deflating.submit(deflate_piece, piece, self._window, self._level)
        self._under_way.append((deflated, self._looking.submit(self._look_at, piece)))
        self._window = bytes(piece[-_WINDOW:])

    def _take(self) -> None:
        """Wait for the oldest piece."""
        deflated, looked_at = self._under_way.popleft()
        looked_at.result()
        self._put(deflated.result())

    def _look_at(self, piece: bytearray) -> None:
        self._look(piece)
        self._adler = isal_zlib.adler32(piece, self._adler)
