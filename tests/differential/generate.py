"""Random streams: mostly right, with a few names so that everything meets everything again.

A stream is a list of chunks (a line with its LF, or a body), so that mutations can work on them.
"""

from __future__ import annotations

import random

from fastio.stream.quoting import quote
from tests.differential import words
from tests.differential.run import Case
from tests.differential.settings import Surroundings
from tests.differential.world import World

ALGORITHMS, FORMATS = (b"sha1", b"sha256"), (b"openpgp", b"x509", b"ssh", b"unknown")
DELIMITERS = (b"END", b"END", b"E D", b"END ", b"", b"#", b"data 3", b"\xff")


class StreamMaker:
    """Makes one stream; knows what it has declared so far."""

    def __init__(self, rng: random.Random, world: World, *, recent: bool) -> None:
        self.rng, self.world, self.recent = rng, world, recent
        self.case = Case()
        self.marks: dict[str, list[int]] = {"blob": [], "commit": [], "tag": [], "tree": []}
        self.branches: list[bytes] = []
        self.paths: dict[bytes, list[bytes]] = {}  # set on a branch, so that C and R find them
        self.on = b""
        self.date_format, self.needs_done = "raw", False
        self.oddness = rng.choice((0, 0, 0, 1))
        self.commented = rng.random() < 0.1
        self.rewritten: list[bytes] = []
        self.tags: list[bytes] = []
        self.stored: list[bytes] = []  # refs that a checkpoint has written
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
        for _ in range(rng.choice((1, 3, 6, 12, 25, 50))):
            rng.choices(makers, weights)[0]()
            if self.chance(0.04):
                self.add(b"# a comment\n")
        if self.chance(0.003):
            self._many_notes()
        if self.chance(0.95 if self.needs_done else 0.05):
            self.add(b"done\n")
        return self.case

    # --- pieces ---------------------------------------------------------------------------------

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

    def change(self) -> None:
        """Append one change to the commit."""
        rng = self.rng
        kind = rng.choices("MIDCRXNL", (40, 16, 12, 8, 8, 1, 6, 5))[0]
        if self.on.startswith(b"refs/notes/") and self.chance(0.5):
            kind = "N"
        path, other = self.path(), self.path()
        if kind == "M":
            self._modify(path)
        elif kind == "I":
            mode = b"644" if path == b".gitmodules" else rng.choice(words.FILE_MODES)
            self.add(b"M %b inline %b\n" % (mode, self.spelled(path)))
            if self.chance(0.05):
                self.question(in_commit=True, only_blobs=True)
            self.data(words.body(rng))
            self.placed.append(path)
        elif kind == "D":
            path = rng.choice([path, *self.placed])
            self.add(b"D %b\n" % self.spelled(path))
            self._remove(path)
        elif kind in "CR" and (self.placed or self.oddness):
            path = rng.choice(self.placed) if self.placed and not self.odd(0.1) else path
            fields = kind.encode(), self.spelled(path, last=False), self.spelled(other)
            self.add(b"%b %b %b\n" % fields)
            if kind == "R":
                self._remove(path)
            self.placed.append(other)
        elif kind == "X":
            self.add(b"deleteall\n")
            self.placed.clear()
        elif kind == "N":
            self._note()
        else:
            self.question(in_commit=True)

    def _wide_directory(self) -> None:
        """Fill a directory, and change some of it."""
        top = self.rng.choice((b"", b"d/", b"wide/"))
        for number in range(self.rng.choice((30, 120, 300))):
            self.add(b"M 644 inline %bf%d\ndata 1\n" % (top, number), b"%d" % (number % 10))
        for number in self.rng.sample(range(330), 9):
            kind = self.rng.choice((b"D %bf%d\n", b"M 755 inline %bf%d\ndata 0\n"))
            self.add(kind % (top, number))
        self.placed.append(top[:-1] or b"f1")

    def _modify(self, path: bytes) -> None:
        kind = self.rng.choices(("blob", "tree", "commit"), (86, 8, 6))[0]
        mode = {"blob": self.rng.choice(words.FILE_MODES), "tree": b"040000", "commit": b"160000"}
        if path == b".gitmodules" and not self.odd(0.5):
            mode["blob"] = b"100644"
        what = self.dataref(kind)
        if kind == "commit" and self.chance(0.4):
            what = self.rng.choice((b"c", b"d")) * self.world.digits
        if kind == "tree" and self.chance(0.2):
            what = words.EMPTY_TREES[self.world.object_format]
        if kind == "tree" and self.chance(0.2):
            path = b""
        if what is not None:
            wrong = self.rng.choice(words.ODD_MODES) if self.odd(0.04) else mode[kind]
            self.add(b"M %b %b %b\n" % (wrong, what, self.spelled(path)))
            if kind == "blob":
                self.placed.append(path)
            elif not path or what == words.EMPTY_TREES[self.world.object_format]:
                self.placed.clear()

    @property
    def placed(self) -> list[bytes]:
        """The paths that should be there on the branch of the commit."""
        return self.paths.setdefault(self.on, [])

    def _remove(self, gone: bytes) -> None:
        self.placed[:] = [path for path in self.placed if not (path + b"/").startswith(gone + b"/")]

    def _note(self) -> None:
        commit = self.committish()
        if commit is None:
            return
        what = self.dataref("blob")
        if what is None or self.chance(0.3):
            self.add(b"N inline %b\n" % commit)
            self.data(words.body(self.rng))
        else:
            what = b"0" * self.world.digits if self.chance(0.2) else what
            self.add(b"N %b %b\n" % (what, commit))

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

    def question(self, *, in_commit: bool = False, only_blobs: bool = False) -> None:
        """Append a command that has an answer."""
        rng = self.rng
        kind = "cat-blob" if only_blobs else rng.choice(("cat-blob", "ls", "ls", "get-mark"))
        blob, tree = self.dataref("blob"), self.dataref(rng.choice(("commit", "tree", "tag")))
        marks = [mark for known in self.marks.values() for mark in known]
        if kind == "cat-blob" and blob is not None:
            self.add(b"cat-blob %b\n" % blob)
        elif kind == "get-mark" and marks and not in_commit:
            self.add(b"get-mark :%d\n" % rng.choice(marks))
        elif kind == "ls" and in_commit and self.chance(0.7):
            path = self.spelled(self.path(odd=0.05))
            self.add(b"ls %b\n" % (path if path[:1] == b'"' else b'"%b"' % quote(path).strip(b'"')))
        elif kind == "ls" and tree is not None:
            self.add(b"ls %b %b\n" % (tree, self.spelled(self.path(odd=0.05))))

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
