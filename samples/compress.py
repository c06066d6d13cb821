"""Packs a stream into an LZ4 frame, which `fastio import` reads as it is.

A stream is ten to a hundred times larger than the pack it becomes; LZ4 makes it cheap to keep:

    git fast-export --all | python samples/compress.py > history.fe.lz4
    fastio -C new.git import < history.fe.lz4
"""

from __future__ import annotations

import shutil
import sys

import lz4.frame


def main() -> None:
    """Copy stdin to stdout through the compressor."""
    with lz4.frame.open(sys.stdout.buffer, "wb") as frame:
        shutil.copyfileobj(sys.stdin.buffer, frame, length=1 << 20)


if __name__ == "__main__":
    main()
