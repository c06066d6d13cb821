"""The repositories that streams are fed to: object formats, ref formats, bare or not, and so on."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.differential.world import ENVIRONMENT, World

WHO = b"A U Thor <author@example.com> 1000000000 +0200\n"
# The version of git that is compared with in full; older ones differ in this and that.
RECENT = (2, 55)
NOTES = 255  # one more, and they move to directories

# Two branches, each kind of entry, both kinds of tags, notes, a ref to a blob.
CONTENTS = (
    b"blob\nmark :1\ndata 4\none\n\nblob\nmark :2\ndata 4\ntwo\n\n"
    b"commit refs/heads/old\nmark :3\ncommitter %(who)bdata 6\nfirst\n"
    b"M 644 :1 a\nM 755 :2 d/x\nM 120000 :1 d/link\nM 644 :2 d/e/z\n"
    b"M 160000 %(gitlink)b sub\n\n"
    b"commit refs/heads/old\nmark :4\ncommitter %(who)bdata 7\nsecond\nM 644 :2 b\n\n"
    b"commit refs/heads/other\nmark :5\ncommitter %(who)bdata 5\nthird\nfrom :3\nD d/e/z\n\n"
    b"commit refs/notes/old\ncommitter %(who)bdata 0\nN :1 :3\n\n"
    b"tag annotated\nmark :6\nfrom :4\ntagger %(who)bdata 2\nA\n\n"
    b"tag nested\nfrom :6\ntagger %(who)bdata 2\nB\n\n"
    b"reset refs/tags/light\nfrom :3\n\n"
)
LOOSE = b"commit refs/heads/loose\ncommitter %bdata 0\nM 644 inline l\ndata 5\nloose\n" % WHO


class Maker:
    """Makes worlds in a directory, with the git whose version is given."""

    def __init__(self, git: str, directory: Path, version: tuple[int, ...]) -> None:
        self.git, self.directory, self.version = git, directory, version

    def all(self) -> list[World]:
        """Make them all."""
        worlds = [
            self.empty("sha1-empty", "sha1", 22),
            self.filled("sha1-filled", "sha1", 40),
            self.empty("sha256-empty", "sha256", 3),
            self.filled("sha256-filled", "sha256", 6),
            self.clashing(9),
            self.replacing(2),
            self.noted("sha1-notes", "sha1", 4),
            self.noted("sha256-notes", "sha256", 1),
        ]
        if self.version >= RECENT:  # older ones take paths of marks files from the work tree's top
            worlds.append(self.work_tree(4))
        worlds.append(self.borrowing(worlds[1], 4))
        if self.version >= (2, 45):
            worlds.append(self.reftable(1))
        for world in worlds:
            self._describe(world)
        return worlds

    def empty(self, name: str, object_format: str, weight: float) -> World:
        """An empty bare repository."""
        return self._init(World(self.directory / name, object_format, weight))

    def filled(self, name: str, object_format: str, weight: float) -> World:
        """One with a pack, and a branch of loose objects."""
        world = self.empty(name, object_format, weight)
        self._fill(world)
        return world

    def clashing(self, weight: float) -> World:
        """One with packed refs, symbolic refs, a detached HEAD and logs of what refs were."""
        world = self.filled("sha1-clashing", "sha1", weight)
        self._run(world, "config", "core.logAllRefUpdates", "always")
        self._run(world, "update-ref", "refs/heads/x/y", "old", "-m", "made")
        self._run(world, "update-ref", "refs/tags/dir", "old")
        self._run(world, "update-ref", "refs/heads/main", "other", "-m", "made")
        self._run(world, "pack-refs", "--all")
        self._run(world, "update-ref", "refs/heads/loose", "old~1", "-m", "moved")
        self._run(world, "symbolic-ref", "refs/heads/sym", "refs/heads/other")
        self._run(world, "symbolic-ref", "refs/heads/y", "refs/heads/unborn")
        self._run(world, "update-ref", "--no-deref", "HEAD", "old")
        (world.path / "refs/heads/locked.lock").touch()
        return world

    def replacing(self, weight: float) -> World:
        """One in which other objects are read for some."""
        world = self.filled("sha1-replacing", "sha1", weight)
        pairs = ("old", "other"), ("loose:l", "old:d/x"), ("nested", "annotated")
        for old, new in pairs:
            self._run(world, "replace", old, new)
        return world

    def noted(self, name: str, object_format: str, weight: float) -> World:
        """One where notes are about to change their layout."""
        world = self.empty(name, object_format, weight)
        head = b"commit refs/heads/old\nmark :%d\ncommitter A <a@b> %d +0000\ndata 0\n"
        pieces = [head % (number, number) for number in range(1, NOTES + 1)]
        pieces.append(b"commit refs/notes/many\ncommitter A <a@b> 0 +0000\ndata 0\n")
        note = b"N inline :%d\ndata 4\n%04d"
        pieces += [note % (number, number % 7) for number in range(1, NOTES + 1)]
        pieces.append(b"commit refs/notes/many\ncommitter A <a@b> 1 +0000\ndata 0\n")
        # Not "de/adbeef": git does not count the notes that it moves to a directory it has passed.
        pieces.append(b"M 644 inline zz/adbeef\ndata 1\nxM 644 inline abcd\ndata 1\ny")
        self._run(world, "fast-import", "--quiet", text=b"".join(pieces))
        self._run(world, "update-ref", "refs/heads/other", "old~200")
        return world

    def work_tree(self, weight: float) -> World:
        """One with a work tree, entered from a directory below its top."""
        world = World(self.directory / "sha1-work-tree", "sha1", weight, ".git", "sub/dir")
        self._init(world)
        self._fill(world)
        (world.path / "sub/dir").mkdir(parents=True)
        return world

    def borrowing(self, lender: World, weight: float) -> World:
        """One whose objects lie elsewhere."""
        world = self.empty("sha1-borrowing", "sha1", weight)
        alternates = world.path / "objects/info/alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{lender.path}/objects\n")
        self._run(world, "update-ref", "refs/heads/old", self._run(lender, "rev-parse", "old"))
        self._run(world, "update-ref", "refs/heads/other", self._run(lender, "rev-parse", "other"))
        world.borrowed = frozenset(self._run(world, *_ALL_OBJECTS).split())
        return world

    def reftable(self, weight: float) -> World:
        """One whose refs are no files."""
        world = World(self.directory / "sha1-reftable", "sha1", weight, ref_format="reftable")
        self._init(world, "--ref-format=reftable")
        self._fill(world)
        return world

    # --- steps ----------------------------------------------------------------------------------

    def _init(self, world: World, *words: str) -> World:
        bare = ["--bare"] if world.git_dir == "." else []
        options = [f"--object-format={world.object_format}", *bare, "--template=", *words]
        self._git("init", "-q", *options, "-b", "main", str(world.path))
        # Nothing here has to outlive a power failure.
        self._run(world, "config", "core.fsync", "none")
        return world

    def _fill(self, world: World) -> None:
        contents = CONTENTS % {b"who": WHO, b"gitlink": b"d" * world.digits}
        self._run(world, "fast-import", "--quiet", text=contents)
        self._run(world, "update-ref", "refs/blobs/one", "old:a")
        self._run(world, "repack", "-adq")
        self._run(world, "fast-import", "--quiet", text=LOOSE)

    def _describe(self, world: World) -> None:
        """Note the names of refs and objects."""
        store = world.path / world.git_dir / "objects"
        for path in store.glob("??/*"):
            world.loose.append(bytes.fromhex(path.parent.name + path.name))
        world.refs = self._run(world, "for-each-ref", "--format=%(refname)").split()
        form = "%(objecttype) %(objectname)"
        for line in self._run(world, *_ALL_OBJECTS[:-1], f"--batch-check={form}").splitlines():
            kind, oid = line.split()
            world.oids.setdefault(kind.decode(), []).append(oid)

    def _run(self, world: World, *words: str | bytes, text: bytes = b"") -> bytes:
        return self._git("-C", str(world.path), *words, text=text).strip()

    def _git(self, *words: str | bytes, text: bytes = b"") -> bytes:
        return subprocess.run(
            [self.git, *words], input=text, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE
        ).stdout


_ALL_OBJECTS = ("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
