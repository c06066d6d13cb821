"""Imports histories without their contents into repositories that have them.

`git fast-export --no-data` names blobs by their oids. Imported is what it says of a repository,
into one that has all its objects, as git's own p9300 does, and into one that has only the blobs:
then all commits and trees are new.

    python -m bench.no_data ~/src/git/.git
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

from bench.comparison import Bench
from bench.histories import export, name_of
from bench.sides import Stream

WHICH = {
    "all objects": [],
    "only blobs": ["--filter=object:type=blob", "--filter-provided-objects"],
}


def make_pack(repository: Path, directory: Path, git: str, which: list[str]) -> None:
    """Write a pack of all branches and tags, or of what a filter lets through of them."""
    ask = [git, "-C", str(repository), "rev-list", "--objects", "--no-object-names", "--branches"]
    pack = [git, "-C", str(repository), "pack-objects", "--quiet", str(directory / "pack")]
    directory.mkdir()
    with subprocess.Popen([*ask, "--tags", *which], stdout=subprocess.PIPE) as oids:
        subprocess.run(pack, stdin=oids.stdout, stdout=subprocess.DEVNULL, check=True)


def add_packs(packs: Path, repository: Path) -> None:
    """Link what is in a directory of packs into a repository."""
    target = repository / "objects" / "pack"
    shutil.copytree(packs, target, copy_function=os.link, dirs_exist_ok=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this script's own argument."""
    parser.add_argument("repositories", type=Path, nargs="+")


def main(words: list[str] | None = None) -> int:
    """Compare; exit status 1 when any result differs."""
    bench = Bench("no_data", __doc__, words, add_arguments)
    git = bench.options.git
    for repository in bench.options.repositories:
        stream = Stream(bench.work / "no-data.fe")
        export(repository, stream.path, git, "--no-data")
        for what, which in WHICH.items():
            packs = bench.work / what.replace(" ", "-")
            make_pack(repository, packs, git, which)
            case = f"{name_of(repository)}, {what} there"
            bench.import_both(case, stream, prepare=partial(add_packs, packs))
            shutil.rmtree(packs)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
