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
from collections.abc import Iterator
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


class _Job:
    """What a process of the pool needs; set once, before its first batch."""

    comparer: Comparer
    keep: Path | None


def _set_up(git: str, worlds: list[World], directory: str, keep: Path | None) -> None:
    place = Path(directory) / f"job-{os.getpid()}"
    place.mkdir()
    _Job.comparer, _Job.keep = Comparer(git, worlds, place), keep


def _run_batch(seeds: range) -> tuple[Counter[str], list[str]]:
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--git", default=shutil.which("git"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after that long")
    parser.add_argument("--keep", type=Path, help="directory for the streams of what is found")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(exist_ok=True)
    counts: Counter[str] = Counter()
    start = time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM):  # SIGINT is ignored in the background
        signal.signal(number, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        for some, found in _batches(arguments, start + arguments.seconds):
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


def _batches(arguments: argparse.Namespace, end: float) -> Iterator[tuple[Counter[str], list[str]]]:
    """Run batch after batch in the processes that are asked for."""
    stop = arguments.seed + arguments.count
    ranges = iter(range(at, min(at + BATCH, stop)) for at in range(arguments.seed, stop, BATCH))
    git = arguments.git
    with tempfile.TemporaryDirectory(dir=fast_directory()) as name:
        worlds = Maker(git, Path(name), version_of(git)).all()
        set_up = (git, worlds, name, arguments.keep)
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(arguments.jobs, context, _set_up, set_up) as pool:
            running: set[Future[tuple[Counter[str], list[str]]]] = set()
            while True:
                while len(running) <= arguments.jobs and time.monotonic() < end:
                    seeds = next(ranges, None)
                    if seeds is None:
                        break
                    running.add(pool.submit(_run_batch, seeds))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)


if __name__ == "__main__":
    sys.exit(main())
