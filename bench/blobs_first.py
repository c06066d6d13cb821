"""Imports histories in which all blobs come first, then all commits, as cvs2git writes them.

Each stream is put into that order first: two passes over the file, nothing is kept in memory.

    python -m bench.blobs_first dump.fe
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bench.comparison import Bench
from bench.sides import Stream

PIECE = 1 << 20
OF_A_BLOB = (b"blob\n", b"mark ", b"original-oid ", b"data ")


def reorder(source: BinaryIO, out: BinaryIO) -> None:
    """Write the blobs of a stream, then all else; each in the order in which it came."""
    for wanted in (True, False):
        source.seek(0)
        for in_blob, size, line in walk(source):
            if in_blob == wanted:
                out.write(line)
                copy(source, out, size)
            else:
                source.seek(size, 1)


def walk(source: BinaryIO) -> Iterator[tuple[bool, int, bytes]]:
    """Yield each line, whether it is a blob's, and how many bytes of data stand behind it."""
    in_blob = False
    for line in iter(source.readline, b""):
        in_blob = line == b"blob\n" or (in_blob and (line == b"\n" or line.startswith(OF_A_BLOB)))
        if line.startswith(b"data <<"):
            sys.exit("a stream with delimited data cannot be reordered")
        yield in_blob, int(line[5:]) if line.startswith(b"data ") else 0, line


def copy(source: BinaryIO, out: BinaryIO, size: int) -> None:
    """Copy so many bytes."""
    while size:
        piece = source.read(min(size, PIECE))
        if not piece:
            sys.exit("the stream ends within data")
        out.write(piece)
        size -= len(piece)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own argument."""
    parser.add_argument("streams", type=Path, nargs="+", help="plain, not compressed")


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when any result differs."""
    bench = Bench("blobs_first", __doc__, words, add_arguments)
    for path in bench.options.streams:
        stream = Stream(bench.work / path.name)
        with path.open("rb") as source, stream.path.open("wb") as out:
            reorder(source, out)
        bench.import_both(path.name, stream)
        stream.path.unlink()
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
