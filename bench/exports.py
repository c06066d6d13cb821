"""Exports of one history by both sides, in all ways that people run them.

A first run of both is not timed: it tells whether both streams are the same, byte for byte. All
others write to /dev/null. The history is read from the repository as it is (repack it well), as
`fastio import` leaves it, and from loose objects; an increment is what 100 new commits take behind
marks of all others.

    git -C git.git repack -adf
    python -m bench.exports git.git
    python -m bench.exports git.git --only "no data" "a path"
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench.big_blob import keep_packed
from bench.comparison import Bench, Run
from bench.histories import name_of
from bench.measure import Cost, run
from bench.pairs import Pair
from bench.sides import count_lines, fastio_command, size_of_packs

ALL = ["--all", "--reencode=no", "--signed-tags=verbatim", "--tag-of-filtered-object=rewrite"]
NO_DATA = [*ALL, "--no-data"]
NEW_COMMITS = 100
LOOSE_SIZE = 300 << 20  # bytes of a generated stream that has some 50,000 objects
BIG_SIZE = 4 << 30


class Sides:
    """Both exporters, and the repositories that they read."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.git = bench, bench.options.git
        self.programs = {
            "git": ([self.git], ["fast-export"]),
            "fastio": (fastio_command(), ["export", *bench.options.fastio_option]),
        }

    def command(self, side: str, repository: Path, words: Iterable[str]) -> list[str]:
        """Return what exports *repository*."""
        program, name = self.programs[side]
        return [*program, "-C", str(repository), *name, *words]

    def import_command(self, side: str, repository: Path) -> list[str]:
        """Return what imports into *repository*."""
        name = "fast-import" if side == "git" else "import"
        return [*self.programs[side][0], "-C", str(repository), name, "--quiet"]

    def compare(self, case: str, repository: Path, words: list[str]) -> Pair:
        """Export with both sides in turn and keep the pair."""
        print(f"{case}: comparing the streams", file=sys.stderr)
        commands = [self.command(side, repository, words) for side in self.programs]
        with ThreadPoolExecutor() as threads:
            streams = dict(zip(self.programs, threads.map(count_lines, commands), strict=True))
        runs: dict[str, Run] = {
            side: partial(run, self.command(side, repository, words)) for side in self.programs
        }
        outcomes = self.bench.run_in_turn(case, runs)
        for side, outcome in outcomes.items():
            outcome.objects, outcome.objects_digest = streams[side]
        described: dict[str, object] = {"words": words, "packs": size_of_packs(repository)}
        return self.bench.keep(Pair(case, described, outcomes["git"], outcomes["fastio"]))

    def new(self, name: str) -> Path:
        """Make an empty bare repository."""
        repository = self.bench.repository(name)
        shutil.rmtree(repository, ignore_errors=True)
        subprocess.run([self.git, "init", "--quiet", "--bare", repository], check=True)
        return repository

    def pipe(self, source: Path, target: Path, *, reader: str = "fastio") -> None:
        """Export *source* with git into an import of *reader*'s."""
        with subprocess.Popen(
            self.command("git", source, ALL), stdout=subprocess.PIPE
        ) as exporting:
            subprocess.run(self.import_command(reader, target), stdin=exporting.stdout, check=True)


def everything(sides: Sides, repository: Path) -> None:
    """Export all, from a well-packed repository."""
    sides.compare(f"{name_of(repository)}, everything", repository, ALL)


def no_data(sides: Sides, repository: Path) -> None:
    """Export all but the contents of files."""
    sides.compare(f"{name_of(repository)}, --no-data", repository, NO_DATA)


def renames(sides: Sides, repository: Path) -> None:
    """Look for renames and copies as well."""
    sides.compare(f"{name_of(repository)}, --no-data -M -C", repository, [*NO_DATA, "-M", "-C"])


def path(sides: Sides, repository: Path) -> None:
    """Export one directory."""
    limit = sides.bench.options.path
    words = [*ALL, "--", "--", limit]
    sides.compare(f"{name_of(repository)}, only {limit}", repository, words)


def increment(sides: Sides, repository: Path) -> None:
    """Export what is new, behind marks of everything before."""
    marks = sides.bench.work.absolute() / "marks"
    tip = ["rev-list", "--max-count=1", "--all", f"--skip={NEW_COMMITS}"]
    base = subprocess.check_output([sides.git, "-C", str(repository), *tip], text=True).strip()
    if not base:
        sys.exit(f"{repository} has no more than {NEW_COMMITS} commits")
    first = [base, f"--export-marks={marks}", *NO_DATA[1:]]
    count_lines(sides.command("git", repository, first))
    words = [*ALL, f"--import-marks={marks}"]
    sides.compare(f"{name_of(repository)}, some {NEW_COMMITS} new commits", repository, words)


def just_imported(sides: Sides, repository: Path) -> None:
    """Export from what fastio has just imported."""
    imported = sides.new("imported")
    sides.pipe(repository, imported)
    sides.compare(f"{name_of(repository)} as fastio imported it, everything", imported, ALL)
    sides.compare(f"{name_of(repository)} as fastio imported it, --no-data", imported, NO_DATA)
    shutil.rmtree(imported)


def loose(sides: Sides, _repository: Path) -> None:
    """Export from loose objects."""
    unpacked = sides.new("loose")
    never_pack = ["-c", "fastimport.unpackLimit=1000000"]
    command = [sides.git, "-C", str(unpacked), *never_pack, "fast-import", "--quiet"]
    generate(["history", f"--size={LOOSE_SIZE}"], command)
    count = sum(1 for _ in unpacked.glob("objects/??/*"))
    sides.compare(f"{count:,} loose objects, everything", unpacked, ALL)
    sides.compare(f"{count:,} loose objects, --no-data", unpacked, NO_DATA)
    shutil.rmtree(unpacked)


def big(sides: Sides, _repository: Path) -> None:
    """Export one big blob."""
    packed = sides.new("big")
    keep_packed(packed)
    generate(["big", f"--size={BIG_SIZE}"], sides.import_command("fastio", packed))
    sides.compare(f"a blob of {BIG_SIZE:,} bytes", packed, ALL)
    shutil.rmtree(packed)


def generate(words: list[str], reader: list[str]) -> None:
    """Pipe what `bench.generate` makes into another program."""
    command = [sys.executable, "-m", "bench.generate", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as generating:
        subprocess.run(reader, stdin=generating.stdout, check=True)


def round_trip(sides: Sides, repository: Path) -> None:
    """Export into an import: all programs git's, or all ours."""

    def run_once(side: str, *, watch_memory: bool) -> Cost:
        target = sides.new(f"again-{side}")
        writer, reader = sides.command(side, repository, ALL), sides.import_command(side, target)
        return piped(writer, reader, watch_memory=watch_memory)

    case = f"{name_of(repository)}, exported into an import"
    runs: dict[str, Run] = {side: partial(run_once, side) for side in sides.programs}
    outcomes = sides.bench.run_in_turn(case, runs)
    for side, outcome in outcomes.items():
        target = sides.bench.repository(f"again-{side}")
        outcome.pack_size = size_of_packs(target)
        ask = [sides.git, "-C", str(target), "for-each-ref"]
        outcome.refs, outcome.refs_digest = count_lines(ask)
        shutil.rmtree(target)
    described: dict[str, object] = {"words": ALL, "packs": size_of_packs(repository)}
    sides.bench.keep(Pair(case, described, outcomes["git"], outcomes["fastio"]))


def piped(writer: list[str], reader: list[str], *, watch_memory: bool) -> Cost:
    """Run two commands with a pipe between them, and tell what both cost together."""
    script = "import subprocess, sys; n = int(sys.argv[1]); a = sys.argv[2:]\n"
    script += "w = subprocess.Popen(a[:n], stdout=subprocess.PIPE)\n"
    script += "r = subprocess.call(a[n:], stdin=w.stdout)\n"
    script += "w.stdout.close(); sys.exit(r or w.wait())"
    command = [sys.executable, "-c", script, str(len(writer)), *writer, *reader]
    return run(command, watch_memory=watch_memory)


CASES: dict[str, Callable[[Sides, Path], None]] = {
    "everything": everything,
    "no data": no_data,
    "renames": renames,
    "a path": path,
    "increment": increment,
    "just imported": just_imported,
    "loose": loose,
    "round trip": round_trip,
    "big": big,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own arguments."""
    parser.add_argument("repository", type=Path)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--path", default="Documentation", help="the directory to limit one to")


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when a stream differs."""
    bench = Bench("exports", __doc__, words, add_arguments)
    sides = Sides(bench)
    for name in bench.options.only:
        CASES[name](sides, bench.options.repository)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
