"""Samples an import with `perf`, and tells what each part takes of the CPU, by process.

A part is what was compiled for it: each kernel is a library of its own, and so is what hashes and
deflates. The sum over the coordinator is its share of all.

    python -m bench.shares dump.fe
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from bench.sides import OUT, START, machine, save

# By what a library's name begins with, a kernel's with its room before it; the first that fits.
PARTS = {
    "stream/": "scan the stream",
    "importer/_commit": "commits",
    "importer/_deferred_commits": "commits",
    "importer/_operations": "commits",
    "importer/_tree_store": "trees",
    "importer/": "blobs: hold, choose bases, take results",
    "objects/": "trees",
    "store/": "pack, object map, marks",
    "workers/_delta": "delta",
    "workers/_sha1": "hash",
    "workers/_codec": "deflate",
    "workers/_inflate": "inflate",
    "workers/": "tasks",
    "isal": "deflate",
    "libisal": "deflate",
    "zlib_ng": "deflate",
    "libcrypto": "hash",
    "[kernel": "kernel: reading, writing, page faults",
    "libc": "libc: memcpy, malloc",
    "libpython": "Python",
    "python": "Python",
}


def part_of(library: str) -> str:
    """Return which part a library belongs to, by its path."""
    room, _, name = library.rpartition("/")
    place = f"{room.rpartition('/')[2]}/{name}"
    for beginning, part in PARTS.items():
        if place.startswith(beginning) or name.startswith(beginning):
            return part
    return "other"


def sample(stream: Path, work: Path) -> tuple[int, Counter[tuple[int, str]]]:
    """Import *stream* under perf; returns the coordinator's pid, and samples by pid and part."""
    repository, data = work / "fastio.git", work / "perf.data"
    subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
    record = ["perf", "record", "--quiet", "-F", "499", "-o", str(data), "--"]
    ours = [sys.executable, "-c", START, "-C", str(repository), "import", "--quiet"]
    subprocess.run([*record, *ours, str(stream.absolute())], check=True)
    script = ["perf", "script", "-i", str(data), "-F", "pid,ip,dso"]
    found = Counter[tuple[int, str]]()
    coordinator = 0
    for line in subprocess.check_output(script, stderr=subprocess.DEVNULL, text=True).splitlines():
        pid, _, rest = line.strip().partition(" ")
        coordinator = coordinator or int(pid)  # nothing else runs before it
        library = rest.rpartition("(")[2].rstrip(")")
        found[int(pid), part_of(library)] += 1
    return coordinator, found


def shares(coordinator: int, found: Counter[tuple[int, str]]) -> dict[str, dict[str, float]]:
    """Return per cent of all samples, by part and who."""
    total, result = found.total(), dict[str, dict[str, float]]()
    for (pid, part), count in found.most_common():
        who = "coordinator" if pid == coordinator else "workers"
        row = result.setdefault(part, {"coordinator": 0.0, "workers": 0.0})
        row[who] += 100 * count / total
    return result


def main(words: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="bench.shares", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("stream", type=Path)
    stream = parser.parse_args(words).stream
    if shutil.which("perf") is None:
        sys.exit("bench.shares needs perf (Debian, Ubuntu: apt install linux-perf)")
    work = OUT / "work" / "shares"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    found = shares(*sample(stream, work))
    shutil.rmtree(work)
    lines = [f"| {stream.name}, % of all CPU | coordinator | workers |", "|---|--:|--:|"]
    for part, row in found.items():
        lines.append(f"| {part} | {row['coordinator']:.1f} | {row['workers']:.1f} |")
    sums = [sum(row[who] for row in found.values()) for who in ("coordinator", "workers")]
    lines.append(f"| all | {sums[0]:.1f} | {sums[1]:.1f} |")
    print("\n".join(lines))
    save("shares", lines, {"machine": machine("git"), "stream": stream.name, "per cent": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
