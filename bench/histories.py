"""Imports whole histories of real repositories with both importers, and compares the results.

The branches and tags of each repository are exported by `git fast-export`, nothing is written to
it. A stream that git refuses must be refused by fastio as well.

    python -m bench.histories ~/src/*/.git --git ~/git/bin/git
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from bench.sides import OUT, Outcome, Stream, both_importers, differences, machine


def export(repository: Path, stream: Path, git: str) -> None:
    """Write everything in *repository* to a stream file."""
    command = [git, "-C", str(repository), "fast-export", "--branches", "--tags"]
    help_text = subprocess.run([git, "fast-export", "-h"], capture_output=True, check=False)
    options = ["--signed-tags=verbatim", "--tag-of-filtered-object=rewrite", "--reencode=no"]
    if b"--signed-commits" in help_text.stdout + help_text.stderr:  # git 2.50 and later
        options.append("--signed-commits=verbatim")
    with stream.open("wb") as out:
        subprocess.run([*command, *options], stdout=out, check=True)


def measure(repository: Path, work: Path, options: argparse.Namespace) -> dict[str, Outcome]:
    """Export *repository* and import the stream with both."""
    stream = Stream(work / "history.fe")
    export(repository, stream.path, options.git)
    outcomes = {}
    for name, importer in both_importers(options.git, options.fastio_option).items():
        copy = work / f"{name}.git"
        cost = importer.fill(copy, stream)
        outcomes[name] = importer.inspect(copy, [cost], fsck=not options.no_fsck)
    return outcomes


def row(repository: Path, git: Outcome, fastio: Outcome) -> str:
    """Return one line of the table."""
    place = repository.resolve()
    name = place.parent.name if place.name == ".git" else place.name
    times, packs = git.best.wall / fastio.best.wall, fastio.pack_size / max(git.pack_size, 1)
    same = "same" if not differences(git, fastio) else "DIFFERS"
    fsck = (fastio.fsck or "").replace("\n", "; ")
    cells = [name, len(git.refs), git.objects, f"{git.best.wall:.2f}", f"{fastio.best.wall:.2f}"]
    cells += [f"{times:.2f}", f"{packs:.3f}", same, f"{fastio.best.status}", fsck[:60]]
    return f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    """Print the table; exit status 1 when any repository differs."""
    parser = argparse.ArgumentParser(prog="bench.histories", description=__doc__.splitlines()[0])
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--git", default="git", metavar="PATH")
    parser.add_argument("--no-fsck", action="store_true")
    parser.add_argument("--fastio-option", action="append", default=[], metavar="=--NAME=VALUE")
    options = parser.parse_args()
    work = OUT / "histories"
    work.mkdir(parents=True, exist_ok=True)
    heads = (
        "repository, refs, objects, git s, fastio s, times less, pack of git's, result, exit, fsck"
    )
    print(f"| {heads.replace(', ', ' | ')} |")
    print("|---|" + "--:|" * 6 + "---|---|---|")
    saved, wrong = {}, list[str]()
    for repository in options.repositories:
        outcomes = measure(repository, work, options)
        print(row(repository, outcomes["git"], outcomes["fastio"]), flush=True)
        found = differences(outcomes["git"], outcomes["fastio"])
        wrong += [f"{repository}: {difference}" for difference in found]
        saved[str(repository)] = {name: one.as_dict() for name, one in outcomes.items()}
    everything = {"machine": machine(options.git), "repositories": saved}
    (OUT / "histories.json").write_text(json.dumps(everything, indent=1) + "\n")
    shutil.rmtree(work)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
