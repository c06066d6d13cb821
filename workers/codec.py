"""Zlib streams: which library deflates at which level, and inflating.

Levels are git's (``core.compression``, ``pack.compression``): 0 stores, 1 to 3 are ISA-L's, 4 to 9
zlib-ng's, -1 is the default. Measured on the files of git.git's history and on the deltas between
them (one core):

    ============ ============ ====== ============= ======
    level        blobs, MB/s  ratio  deltas, µs    ratio
    ============ ============ ====== ============= ======
    ISA-L 1      349          0.318  8.5           0.640
    ISA-L 2      338          0.314  8.5           0.636
    **ISA-L 3**  258          0.301  9.0           0.633
    zlib-ng 4    88           0.278  18.5          0.620
    zlib-ng 6    63           0.272  19.2          0.619
    zlib-ng 9    31           0.270  24.3          0.614
    zlib 6       33           0.271  22.1          0.614
    ============ ============ ====== ============= ======

The default is ISA-L 3: few blobs stay full, most become deltas, so its 37 µs more for a full blob
are a fiftieth of the work while full blobs are half of a pack; ``fastio bench codecs`` measures
what it is for other content (docs/codecs.md). What is small is written by our own code: up to 40
bytes at every level but 0, up to 1 KiB at levels 1 to 3.
"""

from __future__ import annotations

from isal import isal_zlib

from workers._codec import deflated, store
from workers.errors import CodecError

TYPE_CHECKING = False
if TYPE_CHECKING:  # not worth its import time
    from collections.abc import Callable

    from typing_extensions import Buffer

__all__ = ["DEFAULT_LEVEL", "TINY", "compressor", "crc32", "deflate", "inflate", "store"]

DEFAULT_LEVEL = 3
TINY = 40

crc32: Callable[[Buffer], int] = isal_zlib.crc32


def compressor(level: int) -> tuple[Callable[[Buffer, int], bytes], int] | None:
    """Return the function, and its level, that compresses at git's *level*; None: none does.

    Raises:
        CodecError: There is no such level.
    """
    if not -1 <= level <= 9:
        raise CodecError(f"there is no compression level {level}")
    if level == 0:
        return None
    if level <= 3:
        return isal_zlib.compress, DEFAULT_LEVEL if level == -1 else level
    from zlib_ng import zlib_ng  # noqa: PLC0415 - these levels are rare

    return zlib_ng.compress, level


def deflate(data: Buffer, level: int = -1) -> bytes:
    """Return *data* as a zlib stream, never longer than stored blocks would be.

    Raises:
        CodecError: There is no such level.
    """
    compress, own_level = compressor(level) or (None, 0)
    return deflated(compress, own_level, data)


def inflate(data: Buffer, size: int) -> bytes:
    """Return the *size* bytes that a zlib stream holds; bytes behind the stream are not looked at.

    Raises:
        CodecError: The stream is damaged, or holds more or less than *size* bytes.
    """
    stream = isal_zlib.decompressobj()
    try:
        content: bytes = stream.decompress(data, size + 1)
    except isal_zlib.error as error:  # type: ignore[misc]  # its stub says "an instance"
        raise CodecError(f"zlib stream is damaged: {error}") from None
    if len(content) != size:
        raise CodecError(f"zlib stream does not hold {size} bytes")
    if not stream.eof:
        raise CodecError("zlib stream is cut short")
    return content
