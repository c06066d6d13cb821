"""What random commands are made of, and what a stream has declared so far."""

from __future__ import annotations

import random

from fastio.stream.quoting import quote
from tests.differential import words
from tests.differential.run import Case
from tests.differential.world import World

DELIMITERS = (b"END", b"END", b"E D", b"END ", b"", b"#", b"data 3", b"\xff")


class Pieces:
    """Appends to a case's stream, and chooses names for what is there.

    Attributes:
        marks: Marks that were declared, by type.
        branches: Branches that were named.
        tags: Refs of annotated tags of commits.
        stored: Refs that a checkpoint has written.
        rewritten: Oids for which others are put in.
        oddness: 0 in a stream that is to be without faults.
    """

    def __init__(self, rng: random.Random, world: World, *, recent: bool) -> None:
        self.rng, self.world, self.recent = rng, world, recent
        self.case = Case(world=world.name)
        self.marks: dict[str, list[int]] = {"blob": [], "commit": [], "tag": [], "tree": []}
        self.branches: list[bytes] = []
        self.tags: list[bytes] = []
        self.stored: list[bytes] = []
        self.rewritten: list[bytes] = []
        self.date_format, self.needs_done = "raw", False
        self.oddness = rng.choice((0, 0, 0, 1))
        self.commented = rng.random() < 0.1

    def chance(self, share: float) -> bool:
        """Answer True in that share of all questions."""
        return self.rng.random() < share

    def odd(self, share: float) -> bool:
        """Answer like `chance`, but never True in a stream that is to be without faults."""
        return self.chance(share * self.oddness)

    def add(self, *chunks: bytes) -> None:
        """Append chunks to the stream, the first of which begins a line."""
        if self.commented and self.chance(0.1) and chunks[0] != b"\n":
            self.case.chunks.append(self.rng.choice((b"# comment\n", b"#\n", b"#\xff\r\n")))
        self.case.chunks += chunks

    def data(self, body: bytes) -> None:
        """Append a body in one of its spellings."""
        delimiter = self.rng.choice(DELIMITERS)
        delimited = self.chance(0.1) and (not body or body.endswith(b"\n"))
        if delimited and b"\n%b\n" % delimiter not in b"\n" + body:
            self.add(b"data <<%b\n" % delimiter, body, delimiter + b"\n")
        else:
            self.add(b"data %b\n" % self._spelled_number(len(body)), body)
        if self.chance(0.6):
            self.add(b"\n")

    def _spelled_number(self, number: int) -> bytes:
        """Write a number; rarely in one of the ways that only C reads."""
        if self.chance(0.99):
            return b"%d" % number
        return self.rng.choice((b"0%d", b" %d", b"+%d", b"%dx", b"%d ", b"\t%d", b"%d\r")) % number

    def mark(self, kind: str, share: float = 0.8) -> int | None:
        """Perhaps declare a mark."""
        if not self.chance(share):
            return None
        if self.odd(0.02):
            self.add(b"mark %b\n" % self.rng.choice((b":0", b":x", b":", b"5", b"", b":-1")))
            return None
        few = self.rng.randint(1, 60)
        number = self.rng.choice((few, few, few, 2**40, 10**6, 2**64 - 1, 2**33 + few))
        for known in self.marks.values():
            if number in known:
                known.remove(number)
        self.marks[kind].append(number)
        self.add(b"mark :%b\n" % self._spelled_number(number))
        return number

    def original_oid(self) -> None:
        """Perhaps tell the oid that an object had elsewhere."""
        if self.chance(0.05):
            self.add(b"original-oid anything\n")

    def dataref(self, kind: str) -> bytes | None:
        """Name an object of a kind, by mark or by oid; None when there is none so far."""
        if self.odd(0.03):
            return self.rng.choice((*words.ODD_REFERENCES, b"0" * self.world.digits))
        if self.rewritten and kind in ("blob", "commit") and self.chance(0.4):
            return self.rng.choice(self.rewritten)
        marks, oids = self.marks[kind], self.world.oids.get(kind, [])
        if marks and (not oids or self.chance(0.8)):
            return b":%d" % self.rng.choice(marks)
        if oids:
            oid = self.rng.choice(oids)
            return oid.upper() if self.chance(0.1) else oid
        return None

    def committish(self) -> bytes | None:
        """Name a commit in any of the ways there are."""
        choices = [self.dataref("commit")]
        choices += [self.rng.choice(self.branches)] if self.branches else []
        heads = [ref for ref in self.world.refs if ref.startswith(b"refs/heads/")]
        choices += [self.rng.choice(heads)] if heads else []
        if self.world.refs and self.chance(0.2):
            full = b"refs/tags/annotated" in self.world.refs
            expressions = words.EXPRESSIONS if full else words.FEW_EXPRESSIONS
            oid = self.rng.choice(self.world.oids["commit"])
            choices = [self.rng.choice((*expressions, oid[: self.rng.randint(9, 39)], oid + b"^0"))]
        if self.world.refs and self.odd(0.05):
            choices = [self.rng.choice(words.ODD_EXPRESSIONS)]
        if self.odd(0.05):
            choices = [b"0" * self.world.digits, b"nowhere", b":/x", b"", b"HEAD", b"@"]
        if self.stored and self.chance(0.2):
            name = self.rng.choice(self.stored).removeprefix(b"refs/heads/")
            suffixes = words.ODD_SUFFIXES if self.odd(0.5) else words.SUFFIXES
            choices = [name + self.rng.choice(suffixes)]
        return self.rng.choice(choices)

    def ident(self) -> bytes:
        """Make up a person and a date."""
        rng = self.rng
        who = rng.choice(words.WHO if not self.odd(0.04) else words.ODD_WHO)
        return b"%b %b\n" % (who, words.date(rng, self.date_format, odd=self.odd(0.04)))

    def path(self, *, odd: float = 0.01) -> bytes:
        """Choose a path."""
        if self.chance(0.002):
            return b"deep/" * self.rng.choice((10, 100, 500)) + b"x"
        return self.rng.choice(words.ODD_PATHS if self.odd(odd) else words.PATHS)

    def spelled(self, path: bytes, *, last: bool = True) -> bytes:
        """Spell a path so that it is read as it is."""
        must = path[:1] == b'"' or b"\n" in path or (not last and b" " in path)
        must |= not path and not self.recent
        if self.chance(0.02):
            return b'"%b"' % b"".join(b"\\%03o" % byte for byte in path)
        if must or self.chance(0.2):
            quoted = quote(path, quote_high=self.chance(0.5))
            return quoted if quoted[:1] == b'"' else b'"%b"' % quoted
        return path
