"""Imports millions of blobs of four bytes: what an object costs when its content costs nothing.

For each count both importers run once; printed are times, ratios, how time grew from one count to
the next, and the bytes that the object map takes for each object, as fastio states them.

    python -m bench.tiny_blobs                        # 2^20 and 2^22
    python -m bench.tiny_blobs --counts 65536 262144
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from pathlib import Path

from bench.generate import tiny_blobs
from bench.sides import OUT, Outcome, Stream, both_importers, differences, machine


def measure(count: int, work: Path, options: argparse.Namespace) -> dict[str, Outcome]:
    """Import *count* blobs with both."""
    stream = Stream(work / "tiny.fe")
    with stream.path.open("wb") as out:
        tiny_blobs(out, count=count)
    outcomes = {}
    for name, importer in both_importers(options.git, options.fastio_option).items():
        repository = work / f"{name}.git"
        cost = importer.fill(repository, stream)
        outcomes[name] = importer.inspect(repository, [cost], fsck=False)
    return outcomes


def bytes_an_object(outcome: Outcome) -> str:
    """Return what fastio's statistics say about its object map, or a dash."""
    found = re.search(r"([\d.]+) bytes an object", outcome.best.stderr)
    return found[1] if found else "-"


def main() -> int:
    """Print the table; exit status 1 when the repositories differ."""
    parser = argparse.ArgumentParser(prog="bench.tiny_blobs", description=__doc__.splitlines()[0])
    parser.add_argument("--counts", type=int, nargs="+", default=[1 << 20, 1 << 22])
    parser.add_argument("--git", default="git", metavar="PATH")
    parser.add_argument("--fastio-option", action="append", default=[], metavar="=--NAME=VALUE")
    options = parser.parse_args()
    work = OUT / "tiny"
    work.mkdir(parents=True, exist_ok=True)
    print("| blobs | git, s | fastio, s | times less | growth | MiB | bytes an object |")
    print("|---|---|---|---|---|---|---|")
    saved, wrong, before = {}, list[str](), 0.0
    for count in options.counts:
        outcomes = measure(count, work, options)
        git, ours = outcomes["git"].best, outcomes["fastio"].best
        growth = f"{ours.wall / before:.2f}" if before else "-"
        before = ours.wall
        cells = [f"{git.wall:.2f}", f"{ours.wall:.2f}", f"{git.wall / ours.wall:.2f}", growth]
        cells += [f"{ours.peak_memory / (1 << 20):.0f}", bytes_an_object(outcomes["fastio"])]
        print(f"| {count} | {' | '.join(cells)} |", flush=True)
        wrong += differences(outcomes["git"], outcomes["fastio"])
        saved[count] = {name: outcome.as_dict() for name, outcome in outcomes.items()}
    everything = {"machine": machine(options.git), "counts": saved}
    (OUT / "tiny-blobs.json").write_text(json.dumps(everything, indent=1) + "\n")
    shutil.rmtree(work)
    print("\n".join(wrong) or "\nsame objects")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
