"""The codecs that a study compares: every library that is installed, at every level.

What ``--compression`` can choose is measured as an import does it, by `workers.codec`: tiny
payloads are written by our own code at every level but 0, small ones at levels 1 to 3. All others
are the bare libraries. LZ4 is no zlib stream and git could not read it: it is there to show what
can be had beyond zlib.
"""

from __future__ import annotations

import importlib
import zlib
from typing import TYPE_CHECKING

import lz4
import lz4.block
from isal import ISAL_VERSION, isal_zlib
from zlib_ng import zlib_ng

from fastio.records import record
from workers.codec import DEFAULT_LEVEL, deflate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LIBDEFLATE = "deflate"  # its binding's name on PyPI, and its module's
_ISAL, _ZLIB_NG = "ISA-L", "zlib-ng"


@record
class Codec:
    """One library at one level.

    Attributes:
        library: Its name.
        level: The library's own level.
        compress: Compresses a payload.
        choice: The value of ``--compression`` that takes it; None if there is none.
    """

    library: str
    level: int
    compress: Callable[[bytes], bytes]
    choice: int | None

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.library if self.library == "stored" else f"{self.library} {self.level}"


@record
class Codecs:
    """All there are.

    Attributes:
        all: In the order of tables.
        versions: Of the libraries, by name.
        left_out: Libraries that are not installed, each with what would install it.
    """

    all: tuple[Codec, ...]
    versions: dict[str, str]
    left_out: dict[str, str]

    @property
    def default(self) -> Codec:
        """What an import takes that is told nothing."""
        return next(codec for codec in self.all if codec.choice == DEFAULT_LEVEL)


def find_codecs() -> Codecs:
    """Find the codecs that are installed."""
    versions: dict[str, str] = {
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        _ZLIB_NG: str(zlib_ng.ZLIBNG_RUNTIME_VERSION),
        _ISAL: str(ISAL_VERSION),
    }
    left_out: dict[str, str] = {}
    found = [*_chosen(), *_bare()]
    try:
        libdeflate = importlib.import_module(LIBDEFLATE)
    except ImportError:
        left_out["libdeflate"] = f"{LIBDEFLATE} (fastio's extra 'bench' has it)"
    else:
        versions["libdeflate"] = f"{LIBDEFLATE} {libdeflate.__version__}"
        found += _levels("libdeflate", range(1, 13), libdeflate.zlib_compress)
    versions["lz4"] = str(lz4.library_version_string())
    return Codecs((*found, *_lz4()), versions, left_out)


def _chosen() -> Iterator[Codec]:
    """What an import can be told to take."""
    for level in range(10):
        library = "stored" if level == 0 else _ISAL if level <= 3 else _ZLIB_NG
        yield Codec(library, level, _at(level, deflate), level)


def _bare() -> Iterator[Codec]:
    yield from _levels(_ISAL, (0,), isal_zlib.compress)
    yield from _levels(_ZLIB_NG, range(1, 4), zlib_ng.compress)
    yield from _levels("zlib", range(1, 10), zlib.compress)


def _lz4() -> Iterator[Codec]:
    yield from _levels("lz4", (1,), lambda data, _level: lz4.block.compress(data))
    yield from _levels("lz4", (3, 9, 12), _lz4_high)


def _lz4_high(data: bytes, level: int) -> bytes:
    packed: bytes = lz4.block.compress(data, mode="high_compression", compression=level)
    return packed


def _levels(
    library: str, levels: Iterable[int], compress: Callable[[bytes, int], bytes]
) -> Iterator[Codec]:
    for level in levels:
        yield Codec(library, level, _at(level, compress), None)


def _at(level: int, compress: Callable[[bytes, int], bytes]) -> Callable[[bytes], bytes]:
    return lambda data: compress(data, level)
