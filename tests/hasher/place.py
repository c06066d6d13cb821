"""A repository, or none, in which files are hashed, and the program that does it: git or ours.

As in ``tests.conformance``, a test is written once with what is expected spelled out, and run with
both, so that what is expected of ours is what git does.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fastio.cli.main import main
from tests.conformance.side import TIME_LIMIT, Side, in_child
from tests.importer.target import COMMAND, Done, environment


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

    def run(
        self,
        *words: str,
        text: bytes = b"",
        config: Sequence[str] = (),
        cwd: Path | None = None,
        **env: str,
    ) -> Done:
        """Run hash-object; *text* is its stdin, *config* settings for this run only."""
        settings = [word for setting in config for word in ("-c", setting)]
        cwd = cwd or self.path
        if self.is_git:
            return subprocess.run(
                ["git", *settings, "hash-object", *words], cwd=cwd, input=text,
                capture_output=True, check=False, env=environment(env), timeout=TIME_LIMIT,
            )  # fmt: skip

        def run() -> int:
            os.chdir(cwd)
            os.environ.update(env)
            return main([*settings, "hash-object", *words])

        return in_child(text, run)

    def hash(self, *words: str, **keywords: object) -> list[str]:
        """Hash without any complaint; returns the oids."""
        done = self.run(*words, **keywords)  # type: ignore[arg-type]
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().splitlines()

    def fails(self, *words: str, status: int = 128, **keywords: object) -> Done:
        """Hash in vain; returns what came of it."""
        done = self.run(*words, **keywords)  # type: ignore[arg-type]
        assert done.returncode == status, done.stderr
        first = done.stderr.partition(b": ")[0]
        assert first in (b"fatal", b"error", b"warning"), done.stderr
        return done

    def has(self, oid: str) -> bool:
        """Tell whether an object is stored."""
        command = ["git", "cat-file", "-e", oid]
        done = subprocess.run(command, cwd=self.path, capture_output=True, check=False)
        return done.returncode == 0

    def loose(self) -> list[Path]:
        """All loose objects."""
        return sorted((self.git_dir / "objects").glob("??/*"))

    def packs(self) -> list[Path]:
        """All packs."""
        return sorted((self.git_dir / "objects/pack").glob("*.pack"))

    def check(self) -> None:
        """Let git look at all that is stored."""
        self.git("fsck", "--strict")
