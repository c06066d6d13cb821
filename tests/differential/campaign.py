"""``python -m tests.differential.campaign``: feed random streams to git and to ours."""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

from tests.differential.compare import Comparer, Finding, show, version_of
from tests.differential.world import World
from tests.differential.worlds import Maker

# So many streams are run, and then their objects checked, in one go.
BATCH = 100


def fast_directory() -> str | None:
    """A place for files that need not stay: memory, where there is some to be had."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


# What one batch of seeds gave: counts, and descriptions of what was found.
Batch = tuple[Counter[str], list[str]]
# Called in each process of the pool before its first batch, with the words after it.
SetUp = tuple[Callable[..., None], tuple[object, ...]]


class _Job:
    """What a process of the pool needs; set once, before its first batch."""

    comparer: Comparer
    keep: Path | None


def _set_up(git: str, worlds: list[World], directory: str, keep: Path | None) -> None:
    place = Path(directory) / f"job-{os.getpid()}"
    place.mkdir()
    _Job.comparer, _Job.keep = Comparer(git, worlds, place), keep


def _run_batch(seeds: range) -> Batch:
    """Count what came out of some streams, and describe what was found."""
    counts: Counter[str] = Counter()
    found: list[str] = []
    for seed in seeds:
        theirs, result = _Job.comparer.compare(seed)
        counts["streams"] += 1
        counts[f"exit status {theirs.status}"] += 1
        if isinstance(result, Finding):
            found.append(show(result))
            if _Job.keep:
                (_Job.keep / f"{seed}.fe").write_bytes(result.case.stream)
        elif result:
            counts[f"known: {result}"] += 1
    found += [f"seeds {seeds}: {text}" for text in _Job.comparer.audit.complaints()]
    counts["FOUND"] += len(found)
    return counts, found


def main() -> int:
    """Run the command."""
    parser = option_parser(__doc__)
    parser.add_argument("--keep", type=Path, help="directory for the streams of what is found")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(exist_ok=True)

    def set_up(directory: str) -> SetUp:
        git = arguments.git
        worlds = Maker(git, Path(directory), version_of(git)).all()
        return _set_up, (git, worlds, directory, arguments.keep)

    return drive(arguments, set_up, _run_batch)


def option_parser(description: str | None) -> argparse.ArgumentParser:
    """The options that every campaign has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--git", default=shutil.which("git"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after that long")
    return parser


def drive(
    arguments: argparse.Namespace,
    set_up: Callable[[str], SetUp],
    run_batch: Callable[[range], Batch],
    batch: int = BATCH,
) -> int:
    """Run batches in as many processes as are asked for; print what is found, and the counts.

    Args:
        arguments: Those of ``option_parser``.
        set_up: Given a directory to work in, tells how a process is set up.
        run_batch: Runs some seeds, in such a process.
        batch: How many seeds it is given.

    Returns:
        The exit status.
    """
    counts: Counter[str] = Counter()
    start = time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM):  # SIGINT is ignored in the background
        signal.signal(number, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        for some, found in _batches(arguments, set_up, run_batch, batch):
            counts += some
            for text in found:
                sys.stdout.write(text + "\n")
            sys.stdout.flush()
            rate = counts["streams"] / (time.monotonic() - start)
            sys.stderr.write(f"\r{counts['streams']} streams, {rate:.1f} a second  ")
    sys.stderr.write("\n")
    seconds = time.monotonic() - start
    for what, number in sorted(counts.items()):
        sys.stdout.write(f"{number:8} {what}\n")
    sys.stdout.write(f"{counts['streams'] / seconds:8.1f} streams a second\n")
    return 1 if counts["FOUND"] else 0


def _batches(
    arguments: argparse.Namespace,
    set_up: Callable[[str], SetUp],
    run_batch: Callable[[range], Batch],
    batch: int,
) -> Iterator[Batch]:
    end, stop = time.monotonic() + arguments.seconds, arguments.seed + arguments.count
    ranges = iter(range(at, min(at + batch, stop)) for at in range(arguments.seed, stop, batch))
    with tempfile.TemporaryDirectory(dir=fast_directory()) as name:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(arguments.jobs, context, *set_up(name)) as pool:
            running: set[Future[Batch]] = set()
            while True:
                while len(running) <= arguments.jobs and time.monotonic() < end:
                    seeds = next(ranges, None)
                    if seeds is None:
                        break
                    running.add(pool.submit(run_batch, seeds))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)


if __name__ == "__main__":
    sys.exit(main())
