"""A repository to export, and the program that does it: git or ours.

As in ``tests.conformance``, a test is written once with what is expected spelled out, and run with
both, so that what is expected of ours is what git does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.conformance.side import Side
from tests.exporter.database import Database, Entry
from tests.importer.target import Done


class Source(Side):
    """A repository, and the program that exports it."""

    def __init__(self, program: str, path: Path, *options: str) -> None:
        super().__init__(program, path, *options)
        sha256 = "--object-format=sha256" in options
        self.database = Database("sha256" if sha256 else "sha1")

    def load(self, stream: bytes, *words: str) -> None:
        """Fill it: by git, whoever exports."""
        self.git("fast-import", "--quiet", "--force", *words, text=stream)

    def add(self, kind: str, body: bytes) -> str:
        """Add an object as it is; returns its oid."""
        oid = self.database.add(kind, body)
        self.database.write_loose(self.git_dir / "objects", [oid])
        return oid.decode()

    def add_tree(self, files: dict[bytes, Entry]) -> str:
        """Add the tree of some files."""
        oid = self.database.files(files)
        self.database.write_loose(self.git_dir / "objects", self.database.objects)
        return oid.decode()

    def add_ref(self, name: str, value: str) -> None:
        """Write a ref, whatever it points to."""
        path = self.git_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value + "\n")

    def oid(self, name: str) -> bytes:
        """Return the oid that a name stands for."""
        return self.git("rev-parse", "--verify", name).encode()

    def export(self, *words: str, **keywords: Any) -> Done:
        """Export; the keywords are those of ``do``."""
        return self.do(["fast-export", *words], ["export", "--no-progress", *words], **keywords)

    def stream(self, *words: str, **keywords: Any) -> bytes:
        """Export without any complaint; returns the stream."""
        done = self.export(*words, **keywords)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def fails(self, *words: str, status: int = 128, **keywords: Any) -> Done:
        """Export in vain; returns what came of it."""
        done = self.export(*words, **keywords)
        assert done.returncode == status, done.stderr
        assert done.stderr.startswith((b"fatal: ", b"error: ", b"usage: ", b"warning: "))
        if status == 128:
            assert b"\nfatal: " in b"\n" + done.stderr
        return done
