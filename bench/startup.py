"""Times the smallest jobs: imports of nothing and of one commit, an export of ten, one file's oid.

Each is run many times, in turn with `python -c pass` and `git fast-import`, so that a busy moment
of the machine meets all of them; medians are printed. The aim is three times `python -c pass` of
the same interpreter plus 50 ms at most. Bytecode is compiled beforehand, and variables that change
how Python starts are left out.

    python -m bench.startup --runs 30
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from bench.measure import run
from bench.sides import OUT, both_importers, machine

ONE_COMMIT = b"""\
commit refs/heads/main
committer Ada Baker <ada@example.org> 1700000000 +0000
data 6
First
M 100644 inline file
data 5
Hello
"""
PASS = "python -c pass"
JOBS = {  # the stream that each reads, and how many times it stands in the repository before
    "an empty stream": (b"", 0),
    "one commit": (ONE_COMMIT, 0),
    "export": (b"", 10),
    "hash-object": (b"", 1),
}


class Place:
    """A directory with a repository, anew for each run, and a stream's file."""

    def __init__(self, directory: str, git: str) -> None:
        self.repository, self.stream = Path(directory, "new.git"), Path(directory, "stream.fe")
        self.git = git

    def commands(self, job: str) -> dict[str, list[str]]:
        """Return what both sides run, behind a start of Python alone."""
        commands = {PASS: [sys.executable, "-c", "pass"]}
        for side, importer in both_importers(self.git, []).items():
            words = importer.arguments
            if job == "export":
                words = [{"git": "fast-export"}.get(side, "export"), "--all"]
            elif job == "hash-object":
                words = ["hash-object", str(self.stream)]
            commands[side] = [*importer.program, "-C", str(self.repository), *words]
        return commands

    def make(self, commits: int) -> None:
        """Make a repository with so many commits, all loose."""
        shutil.rmtree(self.repository, ignore_errors=True)
        subprocess.run([self.git, "init", "--quiet", "--bare", self.repository], check=True)
        if commits:
            text = b"".join(ONE_COMMIT.replace(b"Hello", b"%05d" % n) for n in range(commits))
            command = [self.git, "-C", str(self.repository), "fast-import", "--quiet"]
            subprocess.run(command, input=text, check=True)

    def cost_of(self, command: list[str]) -> tuple[float, float]:
        """Return the wall time and CPU time of a command, in milliseconds."""
        with self.stream.open("rb") as file:
            cost = run(command, stdin=file, watch_memory=False)
        if cost.status:
            sys.exit(cost.stderr)
        return cost.wall * 1000, cost.cpu * 1000

    def medians(self, job: str, runs: int) -> dict[str, tuple[float, float]]:
        """Return each command's medians over *runs* rounds, after one that does not count."""
        stream, commits = JOBS[job]
        self.stream.write_bytes(stream)
        costs: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for _ in range(runs + 1):
            for name, command in self.commands(job).items():
                self.make(commits)
                costs[name].append(self.cost_of(command))
        return {
            name: (statistics.median(walls), statistics.median(cpus))
            for name, (_, *counted) in costs.items()
            for walls, cpus in [zip(*counted, strict=True)]
        }


def main() -> None:
    """Print a table for each job."""
    parser = argparse.ArgumentParser(prog="bench.startup", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--git", default="git", metavar="PATH")
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("PYTHON")]:
        del os.environ[name]
    saved = {}
    with tempfile.TemporaryDirectory() as directory:
        place = Place(directory, options.git)
        print(f"fastio is {place.commands('export')['fastio'][0]}")
        for job in JOBS:
            saved[job] = medians = place.medians(job, options.runs)
            least = medians[PASS][0]
            for name, (wall, cpu) in medians.items():
                ratio = f"{wall / least:6.2f} x pass"
                print(f"{job:<16} {name:<15} {wall:7.1f} ms {ratio}, CPU {cpu:6.1f} ms")
            verdict = "kept" if medians["fastio"][0] <= 3 * least + 50 else "missed"
            print(f"{job:<16} {'aim ' + verdict:<15} {3 * least + 50:7.1f} ms\n")
    OUT.mkdir(parents=True, exist_ok=True)
    everything = {"machine": machine(options.git), "milliseconds": saved}
    (OUT / "startup.json").write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
