"""Repositories made by a real git, for tests of what reads and writes them."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from fastio.objects.kinds import FORMATS, Oid


class Work:
    """A repository in a temporary directory."""

    def __init__(self, path: Path, object_format: str = "sha1", *options: str) -> None:
        self.path, self.format = path, FORMATS[object_format]
        path.mkdir(parents=True)
        self("init", "-q", "-b", "main", f"--object-format={object_format}", *options, ".")

    def __call__(self, *arguments: str, text: str | bytes | None = None, check: bool = True) -> str:
        data = text.encode() if isinstance(text, str) else text
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, input=data, stdout=subprocess.PIPE, check=check
        )
        return done.stdout.decode().rstrip("\n")

    def commit(self, *parents: str, text: str = "") -> str:
        """A commit of the empty tree, on no branch."""
        tree = self("mktree", text="")
        with_parents = [word for parent in parents for word in ("-p", parent)]
        return self("commit-tree", tree, *with_parents, "-m", text or "commit")

    def fill(self, commits: int = 12) -> None:
        """A history in which one large file changes a little each time, so that deltas pay."""
        rng = random.Random(1)
        lines = [b"%032x\n" % rng.getrandbits(128) for _ in range(200)]
        (self.path / "dir").mkdir(exist_ok=True)
        for number in range(commits):
            lines[rng.randrange(200)] = b"commit %d\n" % number
            (self.path / "file").write_bytes(b"".join(lines))
            (self.path / "dir" / f"new {number}").write_bytes(b"%d" % number if number else b"")
            self("add", ".")
            self("commit", "-q", "-m", f"commit {number}")
        self("tag", "-f", "-a", "-m", "a tag", "annotated")

    def objects(self) -> Iterator[tuple[Oid, bytes, int]]:
        """All that git has, as (oid, type, size)."""
        for line in self("cat-file", "--batch-all-objects", "--batch-check").splitlines():
            name, kind, size = line.split()
            yield Oid(bytes.fromhex(name)), kind.encode(), int(size)

    def pack(self) -> Path:
        """The only pack."""
        [path] = (self.path / ".git/objects/pack").glob("*.pack")
        return path
