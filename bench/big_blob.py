"""Imports one blob of 4 GiB that is not held in memory, beside what its codec takes alone.

Both sides get `--big-file-threshold=16m`. The codec alone is SHA-1 and deflate over the same bytes
in one process, which does nothing else.

    python -m bench.big_blob --size 1G
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
from pathlib import Path

from bench.comparison import Bench
from bench.generate import big_blob, parse_size
from bench.sides import Stream
from workers.deflater import deflate_piece

PIECE = 1 << 20


def codec_alone(path: Path) -> float:
    """Hash and deflate a file; returns bytes a second."""
    start = time.perf_counter()
    digest = hashlib.sha1(usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
            deflate_piece(piece, b"", -1)
    return path.stat().st_size / (time.perf_counter() - start)


def keep_packed(repository: Path) -> None:
    """See to it that the few objects are not unpacked at the end."""
    command = ["git", "-C", str(repository), "config", "fastimport.unpackLimit", "1"]
    subprocess.run(command, check=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own options."""
    parser.add_argument("--size", type=parse_size, default="4G")
    parser.add_argument("--threshold", default="16m", metavar="SIZE")


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when the results differ."""
    bench = Bench("big_blob", __doc__, words, add_arguments)
    size, stream = bench.options.size, Stream(bench.work / "big.fe")
    with stream.path.open("wb") as out:
        big_blob(out, size=size, seed=1)
    threshold = f"--big-file-threshold={bench.options.threshold}"
    case = f"a blob of {size:,} bytes"
    pair = bench.import_both(case, stream, words=[threshold], prepare=keep_packed)
    pair.figures["MB/s"] = size / pair.fastio.best.wall / 1e6
    pair.figures["codec alone, MB/s"] = codec_alone(stream.path) / 1e6
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
