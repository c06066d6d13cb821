"""Imports millions of blobs of four bytes: what an object costs when its content costs nothing.

Besides the table, each line has the microseconds that an object takes, and the bytes that the
object map takes for it, as fastio states them. bench/out/tiny_blobs.png shows time against count.

    python -m bench.tiny_blobs                        # 2^20, 2^22 and 2^24
    python -m bench.tiny_blobs --counts 65536 262144
"""

from __future__ import annotations

import argparse
import re
import sys

from bench.comparison import Bench
from bench.generate import tiny_blobs
from bench.pairs import Pair
from bench.plot import draw
from bench.sides import OUT, Stream


def measure(bench: Bench, count: int) -> Pair:
    """Import *count* blobs with both."""
    stream = Stream(bench.work / "tiny.fe")
    with stream.path.open("wb") as out:
        tiny_blobs(out, count=count)
    pair = bench.import_both(f"{count:,} blobs", stream, size=count)
    found = re.search(r"([\d.]+) bytes an object", pair.fastio.best.stderr)
    pair.figures["bytes an object"] = float(found[1]) if found else 0.0
    pair.figures["µs an object"] = pair.fastio.best.wall / count * 1e6
    return pair


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own option."""
    parser.add_argument("--counts", type=int, nargs="+", default=[1 << 20, 1 << 22, 1 << 24])


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when the repositories differ."""
    bench = Bench("tiny_blobs", __doc__, words, add_arguments)
    pairs = [measure(bench, count) for count in bench.options.counts]
    draw(OUT / "tiny_blobs.png", {"blobs of four bytes": pairs})
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
