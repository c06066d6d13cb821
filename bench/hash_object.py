"""Hashing and storing files by both sides: git's own shape of it, and many small files.

A large file of random bytes and one of text, with `core.bigFileThreshold` above and below their
size, named, on stdin, and by a name on stdin, with and without `-w`; then many source files of a
directory by their names on stdin. Each run that stores begins with an empty repository, which
git checks afterwards. What both answer is compared.

    python -m bench.hash_object --files git.git/worktree
    python -m bench.hash_object --only many "many -w" --files src
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

from bench.comparison import Bench, Run
from bench.measure import Cost, run
from bench.pairs import Pair
from bench.sides import count_lines, fastio_command, size_of_packs

PIECE = 1 << 20
THRESHOLDS = ("32m", "64m")
MOST_BYTES = 300_000  # of a file that counts as source


class Sides:
    """Both programs, each with a repository that it stores into."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.git = bench, bench.options.git
        self.programs = {"git": [self.git], "fastio": fastio_command()}

    def compare(self, case: str, words: list[str], *, threshold: str, stdin: Path | None) -> Pair:
        """Run one case with both sides and keep the pair."""
        called = ["-c", f"core.bigFileThreshold={threshold}", "hash-object", *words]

        def run_once(side: str, *, watch_memory: bool) -> Cost:
            self.make_repository(side)
            with opened(stdin) as file:
                return run(self.command(side, called), stdin=file, watch_memory=watch_memory)

        runs: dict[str, Run] = {side: partial(run_once, side) for side in self.programs}
        outcomes = self.bench.run_in_turn(case, runs)
        for side, outcome in outcomes.items():
            outcome.pack_size = size_of_packs(self.repository(side))
            answered = answers(self.command(side, called), stdin)
            outcome.objects, outcome.objects_digest = answered
            if "-w" in words:
                fsck = [self.git, "-C", self.repository(side), "fsck", "--no-dangling"]
                subprocess.run(fsck, check=True)
        described: dict[str, object] = {"words": words, "threshold": threshold}
        return self.bench.keep(Pair(case, described, outcomes["git"], outcomes["fastio"]))

    def command(self, side: str, words: list[str]) -> list[str]:
        """Return what runs in a side's repository."""
        return [*self.programs[side], "-C", str(self.repository(side)), *words]

    def repository(self, side: str) -> Path:
        """Return where a side stores."""
        return self.bench.repository(side).absolute()

    def make_repository(self, side: str) -> None:
        """Begin with an empty one."""
        shutil.rmtree(self.repository(side), ignore_errors=True)
        subprocess.run([self.git, "init", "--quiet", self.repository(side)], check=True)


def opened(stdin: Path | None) -> IO[bytes]:
    """Open a file to be a command's stdin; without one nothing comes."""
    return Path(os.devnull if stdin is None else stdin).open("rb")


def answers(command: list[str], stdin: Path | None) -> tuple[int, str]:
    """Count the lines that a command answers, and digest them."""
    if stdin is None:
        return count_lines(command)
    done = subprocess.run(command, input=stdin.read_bytes(), stdout=subprocess.PIPE, check=True)
    return done.stdout.count(b"\n"), hashlib.sha256(done.stdout).hexdigest()


# --- input ----------------------------------------------------------------------------------------


def random_pieces(size: int) -> Iterator[bytes]:
    """Bytes that do not compress."""
    choose = random.Random(1)
    for start in range(0, size, PIECE):
        yield choose.randbytes(min(PIECE, size - start))


def text_pieces(size: int) -> Iterator[bytes]:
    """Lines of words, which compress as source does."""
    choose = random.Random(2)
    words = [choose.randbytes(choose.randrange(1, 6)).hex() for _ in range(4000)]
    for start in range(0, size, PIECE):
        lines = (" ".join(choose.choices(words, k=8)) for _ in range(PIECE // 32))
        yield "\n".join(lines).encode()[: min(PIECE, size - start)].ljust(min(PIECE, size - start))


def write(path: Path, pieces: Iterator[bytes]) -> Path:
    """Write a file; returns its absolute path."""
    with path.open("wb") as file:
        file.writelines(pieces)
    return path.absolute()


def list_sources(directory: Path, count: int) -> list[str]:
    """Find so many source files."""
    found: list[str] = []
    for place, folders, names in os.walk(directory.absolute()):
        folders[:] = sorted(each for each in folders if each != ".git")
        for name in sorted(names):
            path = os.path.join(place, name)
            if os.path.isfile(path) and os.path.getsize(path) <= MOST_BYTES and "\n" not in path:
                found.append(path)
    return found[:count]


# --- cases ----------------------------------------------------------------------------------------


def large(sides: Sides, *, store: bool) -> None:
    """Run git's p1007: two files, two thresholds, three ways to name them."""
    work, size = sides.bench.work, sides.bench.options.size
    files = {
        "random": write(work / "random", random_pieces(size)),
        "text": write(work / "text", text_pieces(size)),
    }
    option = ["-w"] if store else []
    for name, path in files.items():
        listed = work / "name"
        listed.write_text(f"{path}\n")
        ways = {"path": ([str(path)], None), "stdin": (["--stdin"], path)}
        ways["stdin-paths"] = (["--stdin-paths"], listed)
        for threshold in THRESHOLDS:
            for way, (words, stdin) in ways.items():
                case = f"{size >> 20} MiB {name}, {way}, {threshold}{', -w' if store else ''}"
                sides.compare(case, [*option, *words], threshold=threshold, stdin=stdin)


def many(sides: Sides, *, store: bool) -> None:
    """Hash many source files."""
    names = list_sources(sides.bench.options.files, sides.bench.options.count)
    listed = sides.bench.work / "names"
    listed.write_text("".join(f"{name}\n" for name in names))
    case = f"{len(names):,} source files{', -w' if store else ''}"
    words = [*(["-w"] if store else []), "--stdin-paths"]
    sides.compare(case, words, threshold="512m", stdin=listed)


CASES: dict[str, Callable[[Sides], None]] = {
    "large": lambda sides: large(sides, store=False),
    "large -w": lambda sides: large(sides, store=True),
    "many": lambda sides: many(sides, store=False),
    "many -w": lambda sides: many(sides, store=True),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own arguments."""
    add = parser.add_argument
    add("--only", nargs="+", choices=CASES, default=list(CASES))
    add("--files", type=Path, default=Path(), metavar="DIR", help="where there are source files")
    add("--count", type=int, default=20_000, help="how many of them to hash")
    add("--size", type=int, default=512 << 20, help="bytes of a large file")


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when an answer differs."""
    bench = Bench("hash_object", __doc__, words, add_arguments)
    sides = Sides(bench)
    for name in bench.options.only:
        CASES[name](sides)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
