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
from pathlib import Path

from bench.measure import run
from bench.pairs import Bench, Pair
from bench.sides import Outcome, copy_repository, count_lines, size_of_packs

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

    def outcome(self, words: list[str]) -> Outcome:
        """Run a command once, untimed, and look at what comes of it."""
        lines, digest = count_lines(self.command(words))
        made = self.new if (self.new / "objects").exists() else self.copy
        size = size_of_packs(made)
        return Outcome([], objects=lines, objects_digest=digest, pack_size=size)


def compare(bench: Bench, name: str, sites: dict[str, Site]) -> Pair:
    """Run one command on both sides, in turn."""
    print(f"{name}", file=sys.stderr)
    words = COMMANDS[name]
    outcomes = {side: site.outcome(words) for side, site in sites.items()}
    for _ in range(bench.options.repeat):
        for side, site in sites.items():
            outcomes[side].costs.append(run(site.command(words)))
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
