"""Imports streams in which one thing grows, to see that time grows as it does and no faster.

git has two minutes for each; where it did not finish a size, it is not asked for a larger one.
Besides the table there is a plot of time against size for each, bench/out/scaling.png.

    python -m bench.scaling
    python -m bench.scaling --only refs branches --time-limit 20
"""

from __future__ import annotations

import argparse
import sys

from bench.comparison import Bench
from bench.pairs import Pair
from bench.plot import draw
from bench.scaling_streams import STREAMS, make
from bench.sides import OUT, Stream

# git needs less than a minute for all but the last size of the directory.
SIZES = {
    "directory": (100, 300, 1_000),
    "branches": (1_000, 3_000, 10_000),
    "refs": (5_000, 15_000, 50_000),
    "marks": (1 << 16, 1 << 18, 1 << 20),
    "levels": (50, 150, 500),
}


def measure(bench: Bench, name: str) -> list[Pair]:
    """Import all sizes of one stream with both."""
    pairs = list[Pair]()
    for size in SIZES[name]:
        stream = Stream(bench.work / f"{name}.fe")
        with stream.path.open("wb") as out:
            make(name, size, out)
        gave_up = bool(pairs) and (pairs[-1].git is None or pairs[-1].git.gave_up)
        limit = bench.options.time_limit
        case = f"{name}, {size:,}"
        pairs.append(
            bench.import_both(case, stream, size=size, time_limit=limit, with_git=not gave_up)
        )
    return pairs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own options."""
    parser.add_argument("--only", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--time-limit", type=float, default=120, help="seconds that git has")


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when any result differs."""
    bench = Bench("scaling", __doc__, words, add_arguments)
    fields = {}
    for name in bench.options.only:
        title = (STREAMS[name].__doc__ or name).splitlines()[0].rstrip(".")
        fields[title] = measure(bench, name)
    draw(OUT / "scaling.png", fields)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
