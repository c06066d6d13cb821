"""Makes the streams that the figures are measured on.

`history` is a repository's life: it begins with part of the Python standard library's sources,
and people edit them, add and append, rename and delete, on a main branch and on topic branches
that are merged back. The lines they write are taken from the same sources, so that the text
compresses and repeats as source text does. `tiny` is blobs of four bytes and nothing else, `big`
one file of the same sources.

All write as they go, and the same seed, size and Python version give the same bytes.

    python -m bench.generate history --size 300M --seed 1 > bench/out/history.fe
    python -m bench.generate tiny --count 1048576 > bench/out/tiny.fe
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import BinaryIO

FIRST_DAY = 946_684_800  # 2000-01-01
UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
AUTHORS = [
    b"%s %s <%s@example.org>" % (first, last, first.lower())
    for first in (b"Ada", b"Ben", b"Chi", b"Dov", b"Eva", b"Finn", b"Gus", b"Hana")
    for last in (b"Archer", b"Baker", b"Cook", b"Dyer", b"Fisher")
]


def standard_library() -> dict[bytes, bytes]:
    """Return the sources of this Python's standard library, by path, tests left out."""
    root = Path(sysconfig.get_path("stdlib"))
    left_out = {"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"}
    return {
        str(path.relative_to(root)).encode(): path.read_bytes()
        for path in sorted(root.rglob("*.py"))
        if not left_out & set(path.relative_to(root).parts)
    }


class StreamWriter:
    """Writes fast-import commands, and counts the bytes and the marks."""

    def __init__(self, out: BinaryIO) -> None:
        self.out, self.size, self.mark = out, 0, 0

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        self.out.write(data)
        self.size += len(data)

    def new_mark(self) -> int:
        """Return a mark that nothing has yet."""
        self.mark += 1
        return self.mark

    def blob(self, data: bytes) -> int:
        """Write a blob and return its mark."""
        mark = self.new_mark()
        self.write(b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(data), data))
        return mark


@dataclass
class Version:
    """A file's content, and the mark of its blob once that has been written."""

    content: bytes
    mark: int = 0


Changes = dict[bytes, Version | None]
"""What one commit does: new versions by path, None for a deletion."""


@dataclass
class Branch:
    """A ref, its tip, the files of the tip, and what differs from where the branch began."""

    name: bytes
    tip: int = 0
    files: dict[bytes, Version] = field(default_factory=dict)
    changes: Changes = field(default_factory=dict)


class History:
    """People at work on a set of text files."""

    def __init__(self, out: BinaryIO, *, seed: int, sources: dict[bytes, bytes]) -> None:
        self.writer, self.random = StreamWriter(out), Random(seed)
        self.clock, self.commits, self.topics = FIRST_DAY, 0, 0
        self.main, self.open = Branch(b"refs/heads/main"), list[Branch]()
        paths = list(sources)
        self.random.shuffle(paths)
        first = max(1, len(paths) * 3 // 5)
        self.to_come = paths[first:]
        self.sources = sources
        self.lines = [line for body in sources.values() for line in body.splitlines(keepends=True)]
        start: Changes = {path: Version(sources[path]) for path in paths[:first]}
        self._commit(self.main, start, b"Import")

    def run(self, size: int) -> None:
        """Go on until the stream has about *size* bytes."""
        while self.writer.size < size:
            self._next_event()
        while self.open:
            self._merge(self.open.pop())

    def _next_event(self) -> None:
        chance = self.random.random()
        if chance < 0.04 and len(self.open) < 8:
            self.topics += 1
            name = b"refs/heads/topic-%d" % self.topics
            self.open.append(Branch(name, self.main.tip, dict(self.main.files)))
        elif chance < 0.08 and self.open:
            self._merge(self.open.pop(self.random.randrange(len(self.open))))
        else:
            branch = self.random.choice([self.main, self.main, *self.open])
            self._commit(branch, dict(self._changes(branch)), self._message())

    def _changes(self, branch: Branch) -> Iterator[tuple[bytes, Version | None]]:
        """Yield what one commit does, path by path."""
        paths, random = list(branch.files), self.random
        for _ in range(1 + int(random.expovariate(0.8))):
            # Some files are edited again and again and most of them seldom.
            path = paths[int(len(paths) * random.random() ** 2)]
            version, chance = branch.files[path], random.random()
            if chance < 0.02 and self.to_come:
                path = self.to_come.pop()
                yield path, Version(self.sources[path])
            elif chance < 0.025 and len(paths) > 50:
                yield path, None
            elif chance < 0.035:
                yield path, None
                yield b"moved/%d/%b" % (self.commits, path.rpartition(b"/")[2]), version
            else:
                yield path, Version(self._edited(version.content))

    def _edited(self, content: bytes) -> bytes:
        lines, random = content.splitlines(keepends=True), self.random
        for _ in range(1 + int(random.expovariate(0.5))):
            at, chance = random.randrange(len(lines) + 1), random.random()
            if chance < 0.45:
                lines[at : at + 1] = self._some_lines(1)
            elif chance < 0.7:
                lines[at:at] = self._some_lines(random.randint(1, 6))
            elif chance < 0.95:
                del lines[at : at + random.randint(1, 6)]
            else:
                lines += [b"\n", *self._some_lines(random.randint(5, 30))]
        return b"".join(lines)

    def _some_lines(self, count: int) -> list[bytes]:
        at = self.random.randrange(len(self.lines))
        return self.lines[at : at + count]

    def _message(self) -> bytes:
        words = b" ".join(self._some_lines(self.random.randint(1, 4))).split()
        return b" ".join(words)[:300] or b"Tidy up"

    def _merge(self, topic: Branch) -> None:
        """Bring what *topic* changed into the main branch; its versions win."""
        if topic.changes:
            message = b"Merge " + topic.name.rpartition(b"/")[2]
            self._commit(self.main, topic.changes, message, merged=topic)

    def _commit(
        self, branch: Branch, changes: Changes, message: bytes, *, merged: Branch | None = None
    ) -> None:
        lines = [self._apply(branch, path, version) for path, version in changes.items()]
        parents = [b"from :%d\n" % branch.tip] if branch.tip else []
        if merged is not None:
            parents.append(b"merge :%d\n" % merged.tip)
        branch.tip = self.writer.new_mark()
        self.clock += self.random.randint(60, 7200)
        when = b"%d %+03d00" % (self.clock, self.random.randint(-8, 9))
        author, committer = self.random.choice(AUTHORS), self.random.choice(AUTHORS)
        self.writer.write(
            b"commit %b\nmark :%d\nauthor %b %b\ncommitter %b %b\ndata %d\n%b\n%b%b\n"
            % (
                *(branch.name, branch.tip, author, when, committer, when),
                *(len(message) + 1, message, b"".join(parents), b"".join(lines)),
            )
        )
        self.commits += 1
        if self.commits % 100 == 0:
            self._tag()

    def _apply(self, branch: Branch, path: bytes, version: Version | None) -> bytes:
        """Change one path of *branch*, write its blob if that is new, and return the line."""
        branch.changes[path] = version
        if version is None:
            branch.files.pop(path, None)
            return b"D %b\n" % path
        version.mark = version.mark or self.writer.blob(version.content)
        branch.files[path] = version
        return b"M 100644 :%d %b\n" % (version.mark, path)

    def _tag(self) -> None:
        message = b"Release %d\n" % self.commits
        tagger = self.random.choice(AUTHORS)
        self.writer.write(
            b"tag r%d\nfrom :%d\ntagger %b %d +0000\ndata %d\n%b\n"
            % (self.commits, self.main.tip, tagger, self.clock, len(message), message)
        )


def text_history(out: BinaryIO, *, size: int, seed: int) -> None:
    """Write a history of about *size* bytes to *out*."""
    History(out, seed=seed, sources=standard_library()).run(size)


def tiny_blobs(out: BinaryIO, *, count: int) -> None:
    """Write *count* different blobs of four bytes, each a counter, highest byte first."""
    for number in range(count):
        out.write(b"blob\nmark :%d\ndata 4\n%b\n" % (number + 1, number.to_bytes(4)))


def big_blob(out: BinaryIO, *, size: int, seed: int) -> None:
    """Write a history of one file of *size* bytes: sources in random order, again and again."""
    random, sources = Random(seed), list(standard_library().values())
    out.write(b"blob\nmark :1\ndata %d\n" % size)
    while size:
        piece = random.choice(sources)[:size]
        out.write(piece)
        size -= len(piece)
    who = b"%b %d +0000" % (AUTHORS[0], FIRST_DAY)
    out.write(b"\ncommit refs/heads/main\ncommitter %b\ndata 4\nbig\nM 100644 :1 big\n\n" % who)


def parse_size(text: str) -> int:
    """Return the number of bytes that a figure like 300M means."""
    unit = UNITS.get(text[-1:].lower(), 1)
    return int(float(text[:-1] if unit > 1 else text) * unit)


def main() -> None:
    """Write the stream that the command line asks for to stdout."""
    parser = argparse.ArgumentParser(prog="bench.generate", description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    history = kinds.add_parser("history", help="a history of edited text files")
    history.add_argument("--size", type=parse_size, default="300M")
    history.add_argument("--seed", type=int, default=1)
    tiny = kinds.add_parser("tiny", help="blobs of four bytes")
    tiny.add_argument("--count", type=int, default=1 << 20)
    big = kinds.add_parser("big", help="one large file")
    big.add_argument("--size", type=parse_size, default="4G")
    big.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.kind == "history":
        text_history(sys.stdout.buffer, size=options.size, seed=options.seed)
    elif options.kind == "big":
        big_blob(sys.stdout.buffer, size=options.size, seed=options.seed)
    else:
        tiny_blobs(sys.stdout.buffer, count=options.count)


if __name__ == "__main__":
    main()
