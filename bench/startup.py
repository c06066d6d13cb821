"""Times the smallest imports: an empty stream, and a stream of one commit.

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


def wall_of(command: list[str], stream: Path, repository: Path) -> float:
    """Return the wall time of a command beside a new, empty repository, in milliseconds."""
    shutil.rmtree(repository, ignore_errors=True)
    subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
    with stream.open("rb") as file:
        cost = run(command, stdin=file, watch_memory=False)
    if cost.status:
        sys.exit(cost.stderr)
    return cost.wall * 1000


def medians(
    commands: dict[str, list[str]], stream: Path, repository: Path, runs: int
) -> dict[str, float]:
    """Return each command's median wall time over *runs* rounds, after one that does not count."""
    walls: dict[str, list[float]] = defaultdict(list)
    for _ in range(runs + 1):
        for name, command in commands.items():
            walls[name].append(wall_of(command, stream, repository))
    return {name: statistics.median(counted) for name, (_, *counted) in walls.items()}


def main() -> None:
    """Print a table for each stream."""
    parser = argparse.ArgumentParser(prog="bench.startup", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--git", default="git", metavar="PATH")
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("PYTHON")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as directory:
        repository, stream = Path(directory, "new.git"), Path(directory, "stream.fe")
        commands = {PASS: [sys.executable, "-c", "pass"]}
        for side, importer in both_importers(options.git, []).items():
            commands[side] = [*importer.program, "-C", str(repository), *importer.arguments]
        print(f"fastio is {commands['fastio'][0]}")
        saved = {}
        for what, content in {"an empty stream": b"", "one commit": ONE_COMMIT}.items():
            stream.write_bytes(content)
            saved[what] = walls = medians(commands, stream, repository, options.runs)
            aim = 3 * walls[PASS] + 50
            for name, wall in walls.items():
                print(f"{what:<16} {name:<15} {wall:7.1f} ms {wall / walls[PASS]:6.2f} x pass")
            verdict = "kept" if walls["fastio"] <= aim else "missed"
            print(f"{what:<16} {'aim ' + verdict:<15} {aim:7.1f} ms\n")
    OUT.mkdir(parents=True, exist_ok=True)
    everything = {"machine": machine(options.git), "milliseconds": saved}
    (OUT / "startup.json").write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
