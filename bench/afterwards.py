"""What comes next: git at work in what each side has imported.

Cloned, checked out, logged, listed and repacked are two repositories, that which git imported and
that of fastio (`bench.compare --keep` leaves both). A first run of each command is not timed; what
it writes must be the same in both. The packs are those that the command leaves: the clone's, the
repacked ones, or else those it worked in.

    python -m bench.afterwards bench/out/work/compare/git.git bench/out/work/compare/fastio.git
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

from bench.comparison import Bench, Run
from bench.measure import Cost, run
from bench.pairs import Pair
from bench.sides import copy_repository, count_lines, size_of_packs

COMMANDS = {
    "clone --bare --no-local": ["clone", "--quiet", "--bare", "--no-local", ".", "{new}"],
    "clone --bare": ["clone", "--quiet", "--bare", ".", "{new}"],
    "checkout of the tip": ["worktree", "add", "--quiet", "--detach", "{new}", "{tip}"],
    "log -p -200": ["log", "-p", "-200", "{tip}"],
    "rev-list --objects --all": ["rev-list", "--objects", "--all"],
    "repack -ad": ["repack", "-ad", "--quiet"],
}


class Site:
    """A repository, a copy of it for commands to work in, and a place for what they make."""

    def __init__(self, repository: Path, work: Path, git: str) -> None:
        self.repository, self.git = repository, git
        self.copy, self.new = work / "copy.git", work / "new"
        ask = ["for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(objectname)"]
        command = [git, "-C", str(repository), *ask, "refs/heads"]
        self.tip = subprocess.check_output(command, text=True).strip()

    def command(self, words: list[str]) -> list[str]:
        """Make everything as it was, and return what to run."""
        shutil.rmtree(self.new, ignore_errors=True)
        copy_repository(self.repository, self.copy)
        filled = [word.format(new=self.new.absolute(), tip=self.tip) for word in words]
        return [self.git, "-C", str(self.copy), *filled]

    def run(self, words: list[str], *, watch_memory: bool) -> Cost:
        """Run a command for its memory, or else for its time."""
        return run(self.command(words), watch_memory=watch_memory)

    def look(self, words: list[str]) -> tuple[int, str, int]:
        """Run a command, and return its lines, their digest, and the size of the packs."""
        lines, digest = count_lines(self.command(words))
        made = self.new if (self.new / "objects").exists() else self.copy
        return lines, digest, size_of_packs(made)


def compare(bench: Bench, name: str, sites: dict[str, Site]) -> Pair:
    """Run one command on both sides, in turn."""
    print(f"{name}: comparing", file=sys.stderr)
    words = COMMANDS[name]
    seen = {side: site.look(words) for side, site in sites.items()}
    runs: dict[str, Run] = {side: partial(site.run, words) for side, site in sites.items()}
    outcomes = bench.run_in_turn(name, runs)
    for side, outcome in outcomes.items():
        outcome.objects, outcome.objects_digest, outcome.pack_size = seen[side]
    described = {"tip": sites["git"].tip, "packs": size_of_packs(sites["git"].repository)}
    return bench.keep(Pair(name, described, outcomes["git"], outcomes["fastio"]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own arguments."""
    parser.add_argument("imported_by_git", type=Path)
    parser.add_argument("imported_by_fastio", type=Path)
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS))


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when a command says something else of the two."""
    bench = Bench("afterwards", __doc__, words, add_arguments)
    options = bench.options
    places = {"git": options.imported_by_git, "fastio": options.imported_by_fastio}
    sites = {side: Site(place, bench.work, options.git) for side, place in places.items()}
    for name in options.only:
        compare(bench, name, sites)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
