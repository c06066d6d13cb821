"""The one way in which our stream may differ from git's: where git's order of changes loses files.

git sorts the changes of a commit by path, so that a file that becomes a directory is deleted after
the directory was filled, and the importer deletes the directory. Ours brings such deletions and
renames forward. What a commit is meant to do is what its lines say when they are taken all at once;
a line order is right if an importer, which takes them one by one, arrives at the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

Files = dict[bytes, bytes]
UNKNOWN = b"unknown "  # what files have in them of which no more is known
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}


@dataclass(slots=True)
class Piece:
    """A record of a stream.

    Attributes:
        head: All of it, or what stands before a commit's changes.
        parents: The part of it behind its data.
        changes: A commit's lines that change files.
    """

    head: bytes
    parents: bytes
    changes: list[bytes]

    @property
    def is_commit(self) -> bool:
        """Whether this is a commit."""
        return re.match(rb"(reset .*\n)?commit ", self.head) is not None


def pieces(stream: bytes) -> Iterator[Piece]:
    """Take a stream apart, at blank lines and behind blobs."""
    at = start = behind = 0
    line = b""
    while at < len(stream):
        before, line, end = line, *_line(stream, at)
        if line.startswith(b"data "):
            # Only behind a signature there is always a line's end that does not count.
            behind = end = end + int(line[5:]) + before.startswith(b"gpgsig ")
            if stream.startswith(b"blob\n", start):
                yield Piece(stream[start:end], b"", [])
                start = behind
        elif line == b"\n" or _CHANGE.match(line):
            head, parents, changes = stream[start:at], stream[behind:at], []
            while _CHANGE.match(line):
                changes.append(line)
                at = end
                line, end = _line(stream, at)
            yield Piece(head, parents, changes)
            start = behind = end if line == b"\n" else at
        at = end
    if start < len(stream):
        yield Piece(stream[start:], b"", [])


def _line(stream: bytes, at: int) -> tuple[bytes, int]:
    """The line at an offset, and where it ends."""
    end = stream.find(b"\n", at) + 1 or len(stream)
    return stream[at:end], end


_CHANGE = re.compile(rb"(?:[MDRC] .*|deleteall)\n")


def unquote(text: bytes) -> tuple[bytes, bytes]:
    """Read a path that may be quoted; returns it, and what stands behind it."""
    if match := _QUOTED.match(text):
        path = _ESCAPE.sub(
            lambda one: (
                bytes([int(one[1], 8)]) if len(one[1]) == 3 else _LETTERS.get(one[1], one[1])
            ),
            match[1],
        )
        return path, text[match.end() :]
    return text, b""


def parse(line: bytes) -> tuple[bytes, ...]:
    """Take a change apart: letter, path or paths, and for M what is put there."""
    letter, _, rest = line.rstrip(b"\n").partition(b" ")
    if letter == b"M":
        mode, oid, path = rest.split(b" ", 2)
        return letter, unquote(path)[0], mode + b" " + oid
    if letter in (b"R", b"C"):
        old, behind = unquote(rest)
        if not behind:
            old, _, behind = rest.partition(b" ")
        return letter, old, unquote(behind.lstrip(b" "))[0]
    return (letter, unquote(rest)[0]) if rest else (letter,)


def put(files: Files, path: bytes, value: bytes) -> None:
    """Put a file where it displaces what is in its way."""
    at = path.find(b"/")
    while at >= 0:
        files.pop(path[:at], None)
        at = path.find(b"/", at + 1)
    _take(files, path)
    files[path] = value


def _take(files: Files, path: bytes) -> Files:
    """Take out a file or directory."""
    taken = {one: files[one] for one in files if one == path or one.startswith(path + b"/")}
    for one in taken:
        del files[one]
    return taken


def one_by_one(base: Files, changes: list[bytes]) -> Files | None:
    """What an importer makes of changes; None if it refuses them."""
    files = dict(base)
    for letter, *words in map(parse, changes):
        if letter == b"M":
            put(files, words[0], words[1])
        elif letter == b"D":
            _take(files, words[0])
        elif letter == b"deleteall":
            files.clear()
        else:
            old, new = words
            moved = _take(dict(files) if letter == b"C" else files, old)
            if not moved:
                return None
            for path, value in moved.items():
                put(files, new + path[len(old) :], value)
    return files


def all_at_once(base: Files, changes: list[bytes]) -> Files:
    """What changes are meant to do."""
    parsed = [parse(line) for line in changes]
    if (b"deleteall",) in parsed:
        base = {}
    gone = {words[1] for words in parsed if words[0] in (b"D", b"R")}
    files = {path: value for path, value in base.items() if path not in gone}
    for letter, *words in parsed:
        if letter in (b"R", b"C"):
            put(files, words[1], base[words[0]])
    for letter, *words in parsed:
        if letter == b"M":
            put(files, words[0], words[1])
    return files


def _is_cut(git: Counter[bytes], ours: Counter[bytes]) -> bool:
    """Whether lines differ at most by renames and copies that are told as what becomes of them.

    No order will do where they go in a circle, each displacing what another one needs.
    """
    untold = [parse(line) for line in git - ours]
    sources, targets = ({words[place] for words in untold} for place in (1, -1))
    return all(words[0] in (b"R", b"C") for words in untold) and all(
        (words[0] == b"D" and words[1] in sources) or (words[0] == b"M" and words[1] in targets)
        for words in map(parse, ours - git)
    )


def same(files: Files | None, meant: Files) -> bool:
    """Tell whether files are those that were meant; of some it is not known what was in them."""
    return (
        files is not None
        and files.keys() == meant.keys()
        and all(
            value == meant[path] or meant[path].startswith(UNKNOWN) for path, value in files.items()
        )
    )


class Explainer:
    """Compares two streams, git's first, commit by commit.

    Attributes:
        reordered: How many commits of ours had, and needed, another order.
    """

    def __init__(self) -> None:
        self.reordered = 0
        self._longer = 0  # bytes, where other lines may say the same
        self._files: dict[bytes, Files] = {}

    def difference(self, git: bytes, ours: bytes) -> str | None:
        """Describe the first difference that is not the one that there may be."""
        theirs, mine = list(pieces(git)), list(pieces(ours))
        for one, other in zip(theirs, mine, strict=False):
            if (one.head, one.parents) != (other.head, other.parents):
                return f"record: git {one.head[:400]!r}, ours {other.head[:400]!r}"
            if one.is_commit and (what := self._commit(one, other)):
                return what
        if len(theirs) != len(mine):
            return f"git has {len(theirs)} records, we have {len(mine)}"
        if len(git) + self._longer != len(ours):
            return f"git has {len(git)} bytes, we have {len(ours)}"
        return None

    def _commit(self, one: Piece, other: Piece) -> str | None:
        base = self._base(one)
        meant = all_at_once(base, one.changes)
        if mark := re.search(rb"^mark (:\d+)$", one.head, re.MULTILINE):
            self._files[mark[1]] = meant
        if one.changes == other.changes:
            if one_by_one(base, one.changes) != meant:
                return f"loses files as git does: {one.changes!r}"
            return None
        lines = f"git {one.changes!r}, ours {other.changes!r}"
        if one_by_one(base, one.changes) == meant:
            return f"another order without need: {lines}"
        if not same(one_by_one(base, other.changes), meant):
            return f"files are lost: {lines}"
        if not _is_cut(Counter(one.changes), Counter(other.changes)):
            return f"other lines: {lines}"
        self.reordered += 1
        self._longer += len(b"".join(other.changes)) - len(b"".join(one.changes))
        return None

    def _base(self, commit: Piece) -> Files:
        """The files that the changes start from, as far as the stream tells them."""
        start = re.match(rb"from (\S+)\n", commit.parents)
        if not start:
            return {}
        base = dict(self._files.get(start[1], {}))
        # Of a commit from before the stream only that is known which changes name.
        for letter, *words in map(parse, commit.changes):
            if letter in (b"D", b"R", b"C"):
                base.setdefault(words[0], UNKNOWN + words[0])
        return base
