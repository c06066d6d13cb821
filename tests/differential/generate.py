"""Random streams: mostly right, with a few names so that everything meets everything again.

A stream is a list of chunks (a line with its LF, or a body), so that mutations can work on them.
"""

from __future__ import annotations

import random

from tests.differential import words
from tests.differential.changes import Changes
from tests.differential.run import Case
from tests.differential.settings import Surroundings
from tests.differential.world import World

ALGORITHMS, FORMATS = (b"sha1", b"sha256"), (b"openpgp", b"x509", b"ssh", b"unknown")


class StreamMaker(Changes):
    """Makes one stream."""

    def __init__(self, rng: random.Random, world: World, *, recent: bool) -> None:
        super().__init__(rng, world, recent=recent)
        self._commands = (
            (self.blob, 30),
            (self.commit, 40),
            (self.tag, 6),
            (self.reset, 6),
            (self.alias, 3),
            (self.line, 10),
            (self.question, 6),
        )

    def make(self) -> Case:
        """Make the whole stream."""
        rng = self.rng
        self._surround()
        makers, weights = zip(*self._commands, strict=True)
        count = rng.choice((1, 3, 6, 12, 25, 50)) if self.chance(0.998) else 600
        for _ in range(count):
            rng.choices(makers, weights)[0]()
            if self.chance(0.04):
                self.add(b"# a comment\n")
        if self.chance(0.003):
            self._many_notes()
        if self.chance(0.95 if self.needs_done else 0.05):
            self.add(b"done\n")
        return self.case

    # --- commands -------------------------------------------------------------------------------

    def blob(self) -> None:
        """Append a blob."""
        self.add(b"blob\n")
        self.mark("blob", 0.9)
        self.original_oid()
        self.data(words.body(self.rng))

    def branch(self) -> bytes:
        """Choose the branch to work on."""
        known = self.branches + self.world.refs[1:9]
        if known and self.chance(0.6):
            return self.rng.choice(known)
        if self.world.oids and self.chance(0.02):
            return b"refs/replace/" + self.rng.choice(self.world.oids["commit"])
        return self.rng.choice(words.BRANCHES if not self.odd(0.04) else words.ODD_BRANCHES)

    def commit(self) -> None:
        """Append a commit."""
        branch = self.on = self.branch()
        self.add(b"commit %b\n" % branch)
        number = self.mark("commit")
        if number is not None:
            self.marks["commit"].remove(number)  # it cannot be used before its commit is whole
        self.original_oid()
        if self.chance(0.3):
            self.add(b"author " + self.ident())
        self.add(b"committer " + self.ident())
        if self.recent and self.chance(0.05):
            self._signatures()
        if self.chance(0.05):
            self.add(b"encoding %b\n" % self.rng.choice((b"ISO-8859-1", b"utf-8", b"")))
        self.data(words.message(self.rng))
        self._parents(branch)
        for _ in range(self.rng.choice((0, 1, 1, 2, 3, 5, 8))):
            self.change()
        if self.chance(0.01):
            self._wide_directory()
        if self.chance(0.5):
            self.add(b"\n")
        if branch not in self.branches:
            self.branches.append(branch)
        if number is not None:
            self.marks["commit"].append(number)

    def _parents(self, branch: bytes) -> None:
        start = self.committish() if self.chance(0.3 if branch in self.branches else 0.7) else None
        if branch in self.world.refs and branch not in self.branches and self.chance(0.8):
            start = branch + b"^0"
        if start is not None and (start != branch or self.odd(0.05)):
            self.add(b"from %b\n" % start)
            self.paths[branch] = list(self.paths.get(start, ()))
        while self.chance(0.15 if not self.chance(0.005) else 0.97):
            merge = self.committish()
            if merge is not None:
                self.add(b"merge %b\n" % merge)

    def _signatures(self) -> None:
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            both = self.rng.choice(ALGORITHMS), self.rng.choice(FORMATS)
            spelled = self.rng.choice(words.ODD_SIGNATURE_WORDS)
            self.add(b"gpgsig %b\n" % (spelled if self.odd(0.1) else b"%b %b" % both))
            self.data(self.rng.choice(words.SIGNATURES))

    def _many_notes(self) -> None:
        """Cross the limits at which notes change their layout."""
        count = self.rng.choice((255, 256, 270))
        for number in range(count):
            head = b"commit refs/heads/many\nmark :%d\ncommitter A <a@b> %d +0000\ndata 0\n"
            self.add(head % (1000 + number, number))
        for part in ((b"x", range(count)), (b"", range(self.rng.randint(1, count)))):
            self.add(b"commit refs/notes/many\ncommitter A <a@b> 0 +0000\ndata 0\n")
            for number in part[1]:
                if part[0]:
                    self.add(b"N inline :%d\ndata 2\n" % (1000 + number), b"%02x" % (number & 255))
                else:
                    self.add(b"N %b :%d\n" % (b"0" * self.world.digits, 1000 + number))
                self.add(b"\n" if part[0] else b"")

    def tag(self) -> None:
        """Append an annotated tag."""
        kind = self.rng.choice(("commit", "commit", "blob", "tag", "tree"))
        target = self.committish() if kind == "commit" else self.dataref(kind)
        if target is None:
            return
        name = self.rng.choice(words.TAGS if not self.odd(0.05) else words.ODD_TAGS)
        if kind == "commit":
            self.tags.append(b"refs/tags/" + name)
        self.add(b"tag %b\n" % name)
        self.mark("tag", 0.5)
        self.add(b"from %b\n" % target)
        self.original_oid()
        if self.chance(0.8):
            self.add(b"tagger " + self.ident())
        message = words.message(self.rng)
        if self.chance(0.15):
            message += self.rng.choice(words.SIGNATURES)
        self.data(message)

    def reset(self) -> None:
        """Append a reset, of a branch or of a lightweight tag."""
        name = self.branch() if self.chance(0.7) else b"refs/tags/" + self.rng.choice(words.TAGS)
        self.add(b"reset %b\n" % name)
        start = self.committish() if self.chance(0.7) else None
        if self.chance(0.05):
            start = b"0" * self.world.digits
        if start is not None and start != name:
            self.add(b"from %b\n" % start)
        if self.chance(0.5):
            self.add(b"\n")
        self.paths[name] = list(self.paths.get(start or b"", ()))
        if name not in self.branches:
            self.branches.append(name)

    def alias(self) -> None:
        """Append an alias, always with the blank line that git wants behind it."""
        target = self.dataref("commit")
        if self.branches and self.chance(0.3):
            target = self.rng.choice(self.branches)
        if target is not None and (target[:1] == b":" or target in self.branches):
            self.add(b"alias\n")
            self.mark("commit", 1)
            self.add(b"to %b\n" % target, b"\n")

    def line(self) -> None:
        """Append a command of one line."""
        chunk = self.rng.choice(words.LINES)
        if chunk == b"checkpoint\n":
            self.stored = [*self.branches, *self.tags]
        self.add(chunk)
        if chunk[:1] in b"cp" and self.chance(0.3):
            self.add(b"\n")

    # --- options --------------------------------------------------------------------------------

    def _surround(self) -> None:
        """Choose options, settings and features, and learn from them how to go on."""
        case = self.case
        Surroundings(
            *(self.rng, self.world, case),
            *(self.chance, self.odd, self.marks, self.rewritten, self.recent),
        ).choose()
        features = [chunk[8:-1].decode() for chunk in case.chunks if chunk.startswith(b"feature ")]
        for word in (*features, *(option[2:] for option in case.options)):
            if word.startswith("date-format="):
                self.date_format = word[12:]
            self.needs_done |= word == "done"
