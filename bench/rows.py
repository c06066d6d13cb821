"""Runs all comparisons in turn, and puts their tables and figures together.

Each script leaves a table and a JSON file of its own in bench/out, which has all its cases, the
latest of each name. From these come bench/out/rows.md, all tables under their titles, and
bench/out/rows.json; with `--document` the tables take the place of those between the two marks in
docs/performance.md. Delete bench/out to begin afresh.

    python -m bench.rows --stream git.fe --repository git.git --git ~/git/bin/git
    python -m bench.rows --stream git.fe --repository git.git --only no_data tiny_blobs
    python -m bench.rows --only              # measures nothing, only puts together
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench import (
    afterwards,
    big_blob,
    blobs_first,
    compare,
    exports,
    hash_object,
    machine,
    no_data,
    scaling,
    shares,
    tiny_blobs,
)
from bench.sides import OUT

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


class Row(NamedTuple):
    """A script, what stands above its table, and its own part of the command line."""

    title: str
    main: Callable[[list[str]], int]
    words: Callable[[argparse.Namespace], list[str]] = lambda _options: []
    compares: bool = True


def imported(side: str) -> str:
    """Return where `bench.compare --keep` leaves a repository."""
    return str(OUT / "work" / "compare" / f"{side}.git")


ROWS = {
    "machine": Row("What the machine can do", machine.main, compares=False),
    "compare": Row(
        "A full stream", compare.main, lambda given: ["--repack", "--keep", given.stream]
    ),
    "shares": Row("Who takes the CPU", shares.main, lambda given: [given.stream], compares=False),
    "afterwards": Row(
        "What comes next",
        afterwards.main,
        lambda _given: ["--repeat", "3", imported("git"), imported("fastio")],
    ),
    "no_data": Row("Without contents", no_data.main, lambda given: [given.repository]),
    "tiny_blobs": Row("Blobs of four bytes", tiny_blobs.main),
    "scaling": Row("What grows", scaling.main),
    "big_blob": Row("One big blob", big_blob.main),
    "blobs_first": Row(
        "All blobs first, then all commits", blobs_first.main, lambda given: [given.stream]
    ),
    "exports": Row("Exports", exports.main, lambda given: [given.repository]),
    "hash_object": Row("Hashing files", hash_object.main),
}


def put_together() -> str:
    """Write all tables into one file and all figures into another; returns the tables."""
    tables, figures = list[str](), {}
    for name, row in ROWS.items():
        path = OUT / f"{name}.md"
        if path.exists():
            tables.append(f"### {row.title}\n\n{path.read_text()}")
            figures[name] = json.loads(path.with_suffix(".json").read_text())
    text = "\n".join(tables)
    (OUT / "rows.md").write_text(text)
    (OUT / "rows.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(f"tables: {OUT / 'rows.md'}\nfigures: {OUT / 'rows.json'}")
    return text


def renew(document: Path, tables: str) -> None:
    """Put *tables* between the marks of a document."""
    before, _, rest = document.read_text().partition(BEGIN)
    _, end, behind = rest.partition(END)
    if not end:
        sys.exit(f"{document} has no '{BEGIN}' and '{END}'")
    document.write_text(f"{before}{BEGIN}\n\n{tables}\n{end}{behind}")


def main() -> int:
    """Run what was asked for; exit status 1 when anything differs."""
    parser = argparse.ArgumentParser(prog="bench.rows", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--stream", help="of the large history")
    add("--repository", help="with the large history, as cloned")
    add("--git", default="git", metavar="PATH", help="the git to compare with and to check with")
    add("--only", nargs="*", choices=ROWS, default=list(ROWS), help="the scripts to run")
    add("--skip-git", action="store_true", help="take git's side from the last saved figures")
    add("--no-memory", action="store_true", help="leave out the runs that tell how much memory")
    add("--document", type=Path, help="where to renew the tables, as docs/performance.md")
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    common = ["--git", options.git, *(["--skip-git"] if options.skip_git else [])]
    common += ["--no-memory"] if options.no_memory else []
    failed = False
    for name in options.only:
        row = ROWS[name]
        failed |= bool(row.main([*row.words(options), *(common if row.compares else [])]))
    tables = put_together()
    if options.document:
        renew(options.document, tables)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
