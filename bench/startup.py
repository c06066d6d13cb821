"""Times the smallest imports: an empty stream, and a stream of one commit.

Each is run many times, in turn with `python -c pass` and `git fast-import`; medians are printed.
The aim is three times `python -c pass` plus 50 ms at most.

    python -m bench.startup --runs 30
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.measure import run
from bench.sides import both_importers

ONE_COMMIT = b"""\
commit refs/heads/main
committer Ada Baker <ada@example.org> 1700000000 +0000
data 6
First
M 100644 inline file
data 5
Hello
"""


def median_wall(command: list[str], stream: Path, repository: Path, runs: int) -> float:
    """Return the median wall time of a command over fresh repositories, in milliseconds."""
    walls = []
    for _ in range(runs):
        shutil.rmtree(repository, ignore_errors=True)
        subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
        with stream.open("rb") as file:
            cost = run(command, stdin=file, watch_memory=False)
        if cost.status:
            sys.exit(cost.stderr)
        walls.append(cost.wall)
    return statistics.median(walls) * 1000


def main() -> None:
    """Print one line for each command."""
    parser = argparse.ArgumentParser(prog="bench.startup", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--git", default="git", metavar="PATH")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        repository = work / "new.git"
        streams = {"an empty stream": b"", "one commit": ONE_COMMIT}
        python = [sys.executable, "-c", "pass"]
        for name, content in streams.items():
            stream = work / "stream.fe"
            stream.write_bytes(content)
            bare = median_wall(python, stream, repository, options.runs)
            print(f"{name}: aim {3 * bare + 50:.0f} ms")
            print(f"  {'python -c pass':<18} {bare:7.1f} ms")
            for side, importer in both_importers(options.git, []).items():
                command = [*importer.program, "-C", str(repository), *importer.arguments]
                wall = median_wall(command, stream, repository, options.runs)
                print(f"  {side:<18} {wall:7.1f} ms")


if __name__ == "__main__":
    main()
