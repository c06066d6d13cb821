"""Makes streams in which one thing grows: files of a directory, branches, refs, marks, levels.

Each is a place where an importer may do work that grows faster than its input. A stream is named
and has one size; what else it could vary is fixed, so that time against size should be a line.

    python -m bench.scaling_streams branches 10000 > bench/out/branches.fe
    python -m bench.scaling_streams --list
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from random import Random
from typing import BinaryIO

FILES = 100_000  # of the one directory, and of what is renamed, copied or deleted
LAST_MARK = (1 << 64) - 1
LEVELS = 500
PIECE = 1 << 20

Writer = Callable[[bytes], object]


def blob(write: Writer, mark: int, data: bytes) -> None:
    """Write a blob."""
    write(b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(data), data))


def commit(
    write: Writer, ref: bytes, number: int, *, mark: int = 0, parent: int = 0, text: bytes = b""
) -> None:
    """Write the head of a commit; its changes may follow."""
    write(b"commit refs/heads/%b\n" % ref)
    if mark:
        write(b"mark :%d\n" % mark)
    text = text or b"Change %d\n" % number
    write(b"committer A <a@example.org> %d +0000\n" % (1_000_000_000 + number))
    write(b"data %d\n%b\n" % (len(text), text))
    if parent:
        write(b"from :%d\n" % parent)


def blobs(write: Writer, count: int) -> None:
    """Blobs of four bytes, each a counter."""
    for number in range(count):
        blob(write, number + 1, number.to_bytes(4))


def directory(write: Writer, count: int) -> None:
    """Commits that change one file each, of 100,000 in one directory."""
    random = Random(1)
    blob(write, 1, b"first\n")
    commit(write, b"main", 0, mark=2)
    for number in range(FILES):
        write(b"M 100644 :1 big/%06d\n" % number)
    for number in range(1, count + 1):
        mark = 2 * number + 1
        blob(write, mark, b"version %d\n" % number)
        commit(write, b"main", number, mark=mark + 1, parent=mark - 1)
        write(b"M 100644 :%d big/%06d\n" % (mark, random.randrange(FILES)))


def branches(write: Writer, count: int) -> None:
    """Three commits on each of *count* branches, which take turns."""
    mark = 0
    for turn in range(3):
        for number in range(count):
            blob(write, mark + 1, b"%d in turn %d\n" % (number, turn))
            commit(write, b"b%d" % number, turn, mark=mark + 2)
            write(b"M 100644 :%d dir%d/file\n" % (mark + 1, number % 100))
            mark += 2


def refs(write: Writer, count: int) -> None:
    """Refs that all name one commit."""
    commit(write, b"main", 0, mark=1)
    write(b"\n")
    for number in range(count):
        write(b"reset refs/heads/topic/%d\nfrom :1\n\n" % number)


def tags(write: Writer, count: int) -> None:
    """Annotated tags of one commit."""
    commit(write, b"main", 0, mark=1)
    write(b"\n")
    for number in range(count):
        write(b"tag v%d\nfrom :1\ntagger A <a@example.org> %d +0000\n" % (number, 10**9 + number))
        write(b"data 8\nRelease\n\n")


def marks(write: Writer, count: int, *, first: int = LAST_MARK, step: int = -1) -> None:
    """Blobs whose marks count down from 2^64 - 1, and a commit of the last hundred."""
    mark = first
    for number in range(count):
        blob(write, mark, b"%d\n" % number)
        mark += step
    commit(write, b"main", 0, mark=mark)
    for number in range(1, min(count, 100) + 1):
        write(b"M 100644 :%d file%d\n" % (mark - step * number, number))


def sparse(write: Writer, count: int) -> None:
    """Blobs whose marks lie a million apart: each has a page of the mark table for itself."""
    marks(write, count, first=1, step=1_000_003)


def deep(write: Writer, count: int) -> None:
    """Commits that change one file at the end of 500 directories."""
    path = b"/".join(b"d%d" % level for level in range(LEVELS))
    for number in range(count):
        mark = 2 * number + 1
        blob(write, mark, b"version %d\n" % number)
        commit(write, b"main", number, mark=mark + 1)
        write(b"M 100644 :%d %b/file\n" % (mark, path))


def levels(write: Writer, count: int) -> None:
    """A hundred commits that change one file at the end of *count* directories."""
    path = b"/".join([b"d"] * count)
    for number in range(100):
        mark = 2 * number + 1
        blob(write, mark, b"version %d\n" % number)
        commit(write, b"main", number, mark=mark + 1)
        write(b"M 100644 :%d %b/file\n" % (mark, path))


def merges(write: Writer, count: int) -> None:
    """As many branches, merged ten at a time."""
    commit(write, b"main", 0, mark=1)
    for number in range(count):
        commit(write, b"b%d" % number, number, mark=number + 2, parent=1)
    for number in range(0, count, 10):
        commit(write, b"main", number)
        for other in range(number, min(number + 10, count)):
            write(b"merge :%d\n" % (other + 2))


def octopus(write: Writer, count: int) -> None:
    """One commit of as many parents."""
    commit(write, b"main", 0, mark=1)
    for number in range(count):
        commit(write, b"b%d" % number, number, mark=number + 2, parent=1)
    commit(write, b"main", count)
    for number in range(count):
        write(b"merge :%d\n" % (number + 2))


def _spread_files(write: Writer, count: int) -> None:
    """A first commit (mark 2) of files in directories of a hundred, one blob (mark 1) in all."""
    blob(write, 1, b"content\n")
    commit(write, b"main", 0, mark=2)
    for number in range(count):
        write(b"M 100644 :1 src/%04d/%02d\n" % divmod(number, 100))


def _next_version(write: Writer, number: int) -> int:
    """A blob and the start of the commit that is to use it, behind `_spread_files`; its mark."""
    mark = 2 * number + 3
    blob(write, mark, b"version %d\n" % number)
    commit(write, b"main", number + 1, mark=mark + 1, parent=mark - 1)
    return mark


def renames(write: Writer, count: int) -> None:
    """Commits that rename a directory of 100,000 files and change one file in it."""
    _spread_files(write, FILES)
    for number in range(count):
        mark = _next_version(write, number)
        old, new = (b"other", b"src") if number % 2 else (b"src", b"other")
        write(b"R %b %b\nM 100644 :%d %b/0500/50\n" % (old, new, mark, new))


def copies(write: Writer, count: int) -> None:
    """Commits that copy a directory of 100,000 files and change one file of the copy."""
    _spread_files(write, FILES)
    for number in range(count):
        mark = _next_version(write, number)
        write(b"C src tags/%d\nM 100644 :%d tags/%d/0500/50\n" % (number, mark, number))


def fresh_trees(write: Writer, count: int) -> None:
    """Commits that delete everything and name all of 1,000 files again, as cvs2git does."""
    marks = list(range(1, 1001))
    for mark in marks:
        blob(write, mark, b"file %d\n" % mark)
    for number in range(count):
        mark = 1001 + 2 * number
        blob(write, mark, b"version %d\n" % number)
        marks[number * 7 % 1000] = mark
        commit(write, b"main", number, mark=mark + 1)
        write(b"deleteall\n")
        for place, known in enumerate(marks):
            write(b"M 100644 :%d dir%02d/file%04d\n" % (known, place % 20, place))


def notes(write: Writer, count: int) -> None:
    """Commits, and a note for each in a commit of its own."""
    for number in range(count):
        commit(write, b"main", number, mark=number + 1)
    for number in range(count):
        write(
            b"commit refs/notes/commits\ncommitter A <a@example.org> %d +0000\n" % (10**9 + number)
        )
        write(b"data 5\nNote\n\nN inline :%d\ndata <<E\nnote %d\nE\n" % (number + 1, number))


def checkpoints(write: Writer, count: int) -> None:
    """Commits with a checkpoint behind each: a pack for each."""
    for number in range(count):
        blob(write, 2 * number + 1, b"version %d\n" % number * 20)
        commit(write, b"main", number, mark=2 * number + 2)
        write(b"M 100644 :%d file\n\ncheckpoint\n" % (2 * number + 1))


def changes(write: Writer, count: int) -> None:
    """One commit of as many files in directories of a hundred."""
    _spread_files(write, count)


def flat(write: Writer, count: int) -> None:
    """One commit of as many files in one directory."""
    blob(write, 1, b"content\n")
    commit(write, b"main", 0, mark=2)
    for number in range(count):
        write(b"M 100644 :1 %08d\n" % number)


def inline(write: Writer, count: int) -> None:
    """Commits of ten files each, their content inline."""
    for number in range(count):
        commit(write, b"main", number)
        for place in range(10):
            text = b"version %d of %d\n" % (number, place)
            write(b"M 100644 inline dir/%d\ndata %d\n%b\n" % (place, len(text), text))


def messages(write: Writer, count: int) -> None:
    """A hundred commits whose messages have as many lines."""
    text = b"".join(b"line %d of the message\n" % number for number in range(count))
    for number in range(100):
        commit(write, b"main", number, text=b"%d\n%b" % (number, text))


def one_blob(write: Writer, count: int) -> None:
    """One blob of as many MiB, that half compresses."""
    random = Random(1)
    write(b"blob\nmark :1\ndata %d\n" % (count * PIECE))
    words = [b"%x" % random.getrandbits(48) for _ in range(PIECE // 8)]
    piece = b" ".join(words)[:PIECE].ljust(PIECE)
    for number in range(count):
        cut = number * 4093 % PIECE
        write(piece[cut:] + piece[:cut])
    write(b"\n")
    commit(write, b"main", 0)
    write(b"M 100644 :1 large\n")


STREAMS: dict[str, Callable[[Writer, int], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        blobs, directory, branches, refs, tags, marks, sparse, deep, levels, merges, octopus,
        renames, copies, fresh_trees, notes, checkpoints, changes, flat, inline, messages, one_blob,
    )
}  # fmt: skip
"""Writers by name; each takes where to write, and a size in what its docstring counts."""


def make(name: str, count: int, out: BinaryIO) -> None:
    """Write the stream *name* of size *count* to *out*."""
    STREAMS[name](out.write, count)


def main() -> None:
    """Write the stream that the command line asks for to stdout."""
    parser = argparse.ArgumentParser(
        prog="bench.scaling_streams", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("name", nargs="?", choices=STREAMS, metavar="NAME")
    parser.add_argument("count", nargs="?", type=int, default=1000)
    options = parser.parse_args()
    if options.list or not options.name:
        for name, function in STREAMS.items():
            print(f"{name:12} {(function.__doc__ or '').splitlines()[0]}")
    else:
        make(options.name, options.count, sys.stdout.buffer)


if __name__ == "__main__":
    main()
