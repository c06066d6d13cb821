"""Imports streams with `git fast-import` and with `fastio import`, and compares everything.

Both run one after the other, into fresh empty bare repositories, on the same machine and disk.
Compared are exit status, every ref, every object, and what `git fsck` says. With `--repack` git's
repository is repacked as well (`git repack -adf`), which is a case of its own: the times of git's
import and of its repack together, and the repacked size.

    python -m bench.compare                  # the generated history of 300 MB
    python -m bench.compare dump.fe.lz4 --git ~/git/bin/git --repeat 3
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from bench.comparison import Bench
from bench.generate import parse_size, text_history
from bench.measure import Cost, run
from bench.pairs import Pair
from bench.sides import OUT, Outcome, Stream, copy_repository

SHARES = ("time, ", "CPU, ")  # what begins so in fastio's statistics is shown below the table


def generated_history(size: int, seed: int) -> Path:
    """Return the generated stream, made now if it is not there yet."""
    version = "{}.{}.{}".format(*sys.version_info)
    path = OUT / f"history-{size}-{seed}-py{version}.fe"
    if not path.exists():
        print(f"generating {path}", file=sys.stderr)
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as out:
            text_history(out, size=size, seed=seed)
        unfinished.rename(path)
    return path


def repacked(bench: Bench, pair: Pair) -> Pair:
    """Return the same import against git's and a repack of its result."""
    case = f"{pair.case}, repacked by git"
    outcome = bench.saved_git(case, pair.input)
    if outcome is None or not bench.options.skip_git:
        assert pair.git is not None
        copy, importer = bench.repository("repacked"), bench.importers["git"]
        command = [*importer.program, "-C", str(copy), "repack", "-adf", "--quiet"]

        def repack(*, watch_memory: bool) -> Cost:
            copy_repository(bench.repository("git"), copy)
            return run(command, watch_memory=watch_memory)

        repacking = bench.run_in_turn(case, {"repack": repack})["repack"]
        outcome = Outcome([together(pair.git.best, repacking.best)])
        if pair.git.watched and repacking.watched:
            outcome.watched = together(pair.git.watched, repacking.watched)
        importer.inspect(copy, outcome, fsck=not bench.options.no_fsck)
    return bench.keep(replace(pair, case=case, git=outcome))


def together(first: Cost, second: Cost) -> Cost:
    """Return what two commands cost that ran one after the other."""
    return Cost(
        status=first.status or second.status,
        wall=first.wall + second.wall,
        user=first.user + second.user,
        system=first.system + second.system,
        peak_memory=max(first.peak_memory, second.peak_memory),
        most_processes=max(first.most_processes, second.most_processes),
        stderr=first.stderr + second.stderr,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own options."""
    add = parser.add_argument
    add("streams", nargs="*", type=Path, help="plain or .lz4; default: a generated history")
    add("--size", type=parse_size, default="300M", help="size of the generated history")
    add("--seed", type=int, default=1, help="seed of the generated history")
    add("--repack", action="store_true", help="compare with import and repack together as well")


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when the repositories differ."""
    bench = Bench("compare", __doc__, words, add_arguments)
    options = bench.options
    for path in options.streams or [generated_history(options.size, options.seed)]:
        pair = bench.import_both(path.name, Stream(path))
        print(f"{path.name}: {pair.fastio.objects} objects, {pair.fastio.refs} refs")
        for line in pair.fastio.best.stderr.splitlines():
            if line.startswith(SHARES):
                print(f"    {line}")
        if options.repack:
            repacked(bench, pair)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
