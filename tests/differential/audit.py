"""Are the objects what their oids say? One ``git fsck`` for the objects of many runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.differential.world import ENVIRONMENT, World

# What git says of damage, and not of contents that a stream asked for ("error in commit ...").
_HARMLESS = (b"error in ", b"warning in ", b"broken link", b"missing ", b"dangling ", b"notice: ")


class Audit:
    """Collects the objects of runs, and checks them together.

    Args:
        git: Checks them.
        directory: Where to put them; it is made.
    """

    def __init__(self, git: str, directory: Path) -> None:
        self._git, self._directory = git, directory
        self._repositories: dict[str, Path] = {}
        directory.mkdir()

    def take(self, world: World, repository: str) -> None:
        """Move the objects of a repository here."""
        store = self._store(world.object_format)
        source = os.path.normpath(f"{repository}/{world.git_dir}/objects")
        for entry in os.scandir(source):
            if entry.name == "info":
                continue
            os.makedirs(store / entry.name, exist_ok=True)
            for file in os.scandir(entry.path):
                if not file.name.endswith(".keep"):
                    os.replace(file.path, store / entry.name / file.name)

    def complaints(self) -> list[str]:
        """What is wrong with what was taken since the last time."""
        found: list[str] = []
        for path in self._repositories.values():
            check = [self._git, "-C", str(path), "fsck", "--full", "--no-dangling", "--no-progress"]
            done = subprocess.run(check, env=ENVIRONMENT, capture_output=True)
            lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
            found += [repr(line) for line in lines if not line.lstrip().startswith(_HARMLESS)]
            if done.returncode < 0 or done.returncode > 127:
                found.append(f"git fsck ended with status {done.returncode}")
        self.clear()
        return found

    def clear(self) -> None:
        """Forget what was taken."""
        for path in self._repositories.values():
            subprocess.run(["rm", "-rf", str(path)], check=True)
        self._repositories.clear()

    def _store(self, object_format: str) -> Path:
        path = self._repositories.get(object_format)
        if path is None:
            path = self._repositories[object_format] = self._directory / object_format
            options = ("--bare", "--template=", f"--object-format={object_format}")
            subprocess.run([self._git, "init", "-q", *options, str(path)], check=True)
        return path / "objects"
