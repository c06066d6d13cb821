"""A repository, or none, in which files are hashed, and the program that does it: git or ours.

As in ``tests.conformance``, a test is written once with what is expected spelled out, and run with
both, so that what is expected of ours is what git does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.conformance.side import Side
from tests.importer.target import COMMAND, Done


class Place(Side):
    """A repository, and the program that hashes files in it."""

    def __init__(self, program: str, path: Path, *options: str) -> None:
        super().__init__(program, path, *options)
        self.git("config", "fastimport.unpackLimit", "100")
        program_words = ["git"] if self.is_git else list(COMMAND)
        self.words = [*program_words, "hash-object"]

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of the work tree."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def run(self, *words: str, **keywords: Any) -> Done:
        """Run hash-object; the keywords are those of ``do``."""
        command = ["hash-object", *words]
        return self.do(command, command, **keywords)

    def hash(self, *words: str, **keywords: Any) -> list[str]:
        """Hash without any complaint; returns the oids."""
        done = self.run(*words, **keywords)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().splitlines()

    def fails(self, *words: str, status: int = 128, **keywords: Any) -> Done:
        """Hash in vain; returns what came of it."""
        done = self.run(*words, **keywords)
        assert done.returncode == status, done.stderr
        first = done.stderr.partition(b": ")[0]
        assert first in (b"fatal", b"error", b"warning"), done.stderr
        return done

    def loose(self) -> list[Path]:
        """All loose objects."""
        return sorted((self.git_dir / "objects").glob("??/*"))

    def check(self) -> None:
        """Let git look at all that is stored."""
        self.git("fsck", "--strict")
