"""Holds docs/conformance.md against the tests that it names: all items, once, each with a test."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "conformance.md"
# Of the importer and, behind an E, of the exporter, and of hash-object behind an H.
ITEMS = [f"{item:03}" for item in range(1, 301)]
ITEMS += [f"E{item:02}" for item in range(1, 88)] + [f"H{item:02}" for item in range(1, 39)]
ROW = re.compile(r"^\| *([EH]?[0-9]+) *\| (.+) \| (.+) \|$", re.MULTILINE)
NAME = re.compile(r"`(?P<file>tests/[^`:]+\.py)?(?P<function>::\w+)?(?P<case>\[[^`]*\])?`")


def named_tests(cell: str) -> Iterator[tuple[str, str]]:
    """Yield what a cell names, as (file, rest of the test's name).

    ``::test_b`` means another test of the file before it, ``[case]`` another case of the test.
    """
    file = function = ""
    for match in NAME.finditer(cell):
        file, function = match["file"] or file, match["function"] or function
        yield file, function + (match["case"] or "")


def collect(files: set[str]) -> set[str]:
    """Return the names of all tests in *files*: with each case, and without."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *sorted(files)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    names = {line for line in done.stdout.splitlines() if "::" in line}
    return names | {name.partition("[")[0] for name in names}


def problems(table: str) -> Iterator[str]:
    """Yield what is wrong with the table."""
    rows = [(number, list(named_tests(cell))) for number, _, cell in ROW.findall(table)]
    counts = Counter(number for number, _ in rows)
    yield from (f"{item}: {counts[item]} rows" for item in ITEMS if counts[item] != 1)
    yield from (f"{item}: there is no such item" for item in counts if item not in ITEMS)
    files = {file for _, names in rows for file, _ in names if (ROOT / file).is_file()}
    tests = collect(files)
    for item, names in rows:
        if not names:
            yield f"{item}: no test is named"
        missing = [file + name for file, name in names if file + name not in tests]
        yield from (f"{item}: there is no {test}" for test in missing)


def main() -> int:
    """Print what is wrong, and return the exit status."""
    found = list(problems(TABLE.read_text()))
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
