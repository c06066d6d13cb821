"""Imports whole histories of real repositories with both importers, and compares the results.

The branches and tags of each repository are exported by `git fast-export`, nothing is written to
it. A stream that git refuses must be refused by fastio as well.

    python -m bench.histories ~/src/*/.git --git ~/git/bin/git
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from bench.comparison import Bench
from bench.sides import Stream


def export(repository: Path, stream: Path, git: str, *words: str) -> None:
    """Write everything in *repository* to a stream file; *words* are more options."""
    command = [git, "-C", str(repository), "fast-export", "--branches", "--tags", *words]
    help_text = subprocess.run([git, "fast-export", "-h"], capture_output=True, check=False)
    options = ["--signed-tags=verbatim", "--tag-of-filtered-object=rewrite", "--reencode=no"]
    if b"--signed-commits" in help_text.stdout + help_text.stderr:  # git 2.50 and later
        options.append("--signed-commits=verbatim")
    with stream.open("wb") as out:
        subprocess.run([*command, *options], stdout=out, check=True)


def name_of(repository: Path) -> str:
    """Return what a repository is called in a table."""
    place = repository.resolve()
    return place.parent.name if place.name == ".git" else place.name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own argument."""
    parser.add_argument("repositories", type=Path, nargs="+")


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when any repository differs."""
    bench = Bench("histories", __doc__, words, add_arguments)
    for repository in bench.options.repositories:
        stream = Stream(bench.work / "history.fe")
        export(repository, stream.path, bench.options.git)
        pair = bench.import_both(name_of(repository), stream)
        pair.figures |= {"refs": pair.fastio.refs, "objects": pair.fastio.objects}
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
