"""A repository to start from: how it lies on disk, what a stream may name in it, how to copy it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
}


@dataclass(slots=True)
class World:
    """A repository to copy, and the names that a stream can use in it.

    Attributes:
        path: Where its original lies.
        weight: How often it is taken, beside the others.
        git_dir: The git directory below ``path``; what is above it is a work tree.
        stand: The directory below ``path`` to start from.
        ref_format: How refs are stored.
        refs: Full names of all refs.
        oids: All objects, by type; those of alternates, too.
        loose: Oids of objects that are in no pack, as bytes.
        borrowed: Objects that only alternates have.
    """

    path: Path
    object_format: str = "sha1"
    weight: float = 1
    git_dir: str = "."
    stand: str = "."
    ref_format: str = "files"
    refs: list[bytes] = field(default_factory=list)
    oids: dict[str, list[bytes]] = field(default_factory=dict)
    loose: list[bytes] = field(default_factory=list)
    borrowed: frozenset[bytes] = frozenset()
    _plan: list[tuple[str, str | None]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What to call it."""
        return self.path.name

    @property
    def digits(self) -> int:
        """How many hexadecimal digits an oid has."""
        return 40 if self.object_format == "sha1" else 64

    @property
    def up(self) -> str:
        """The way from where a program starts to the directory that the repository is in."""
        return "../" * (1 + len(Path(self.stand).parts))

    def copy(self, target: str) -> None:
        """Make a repository of one's own from it, at *target*, which must not exist.

        What git only ever replaces is shared by hard links. It appends to logs, so they are copied.
        """
        if not self._plan:
            self._plan = list(_contents(str(self.path)))
        os.mkdir(target)
        for name, source in self._plan:
            place = f"{target}/{name}"
            if source is None:
                os.mkdir(place)
            elif "logs/" in name:
                _copy_file(source, place)
            else:
                os.link(source, place)


def _contents(top: str) -> list[tuple[str, str | None]]:
    """Directories (with None) and files (with their paths) below *top*, the outer ones first."""
    found: list[tuple[str, str | None]] = []
    for directory, directories, files in os.walk(top):
        place = os.path.relpath(directory, top)
        found += [(os.path.normpath(os.path.join(place, name)), None) for name in directories]
        for name in files:
            path = os.path.join(directory, name)
            found.append((os.path.normpath(os.path.join(place, name)), path))
    return found


def _copy_file(source: str, target: str) -> None:
    with open(source, "rb") as file:
        content = file.read()
    with open(target, "wb") as file:
        file.write(content)


def remove(top: str) -> None:
    """Remove a directory and all below it, if it is there; much sooner than shutil does."""
    try:
        entries = list(os.scandir(top))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            remove(entry.path)
        else:
            os.unlink(entry.path)
    os.rmdir(top)
