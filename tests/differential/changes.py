"""What a commit changes, and questions, which may stand between changes."""

from __future__ import annotations

import random

from fastio.stream.quoting import quote
from tests.differential import words
from tests.differential.pieces import Pieces
from tests.differential.world import World


class Changes(Pieces):
    """Appends changes to a commit.

    Attributes:
        on: The branch of the commit.
        paths: What was set on each branch, so that C and R find it.
    """

    def __init__(self, rng: random.Random, world: World, *, recent: bool) -> None:
        super().__init__(rng, world, recent=recent)
        self.on = b""
        self.paths: dict[bytes, list[bytes]] = {}

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
