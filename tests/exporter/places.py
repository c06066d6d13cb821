"""How a history lies on disk: loose, in packs, lent by another, with indexes over it or without."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

from tests.differential.world import ENVIRONMENT, remove
from tests.exporter.histories import History


class Builder:
    """Makes repositories out of histories.

    Args:
        git: The git that helps.
        directory: For empty repositories to copy.
    """

    def __init__(self, git: str, directory: Path) -> None:
        self.git, self._directory = git, directory

    def run(self, repository: Path, *words: str, text: bytes = b"") -> bytes:
        """Run git in a repository."""
        command = [self.git, "-C", str(repository), *words]
        return subprocess.run(
            command, input=text, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True
        ).stdout

    def empty(self, path: Path, algorithm: str = "sha1") -> Path:
        """Make an empty bare repository; returns its path."""
        original = self._directory / f"empty-{algorithm}"
        if not original.exists():
            words = ["init", "-q", "--bare", "--template=", f"--object-format={algorithm}"]
            subprocess.run([self.git, *words, str(original)], env=ENVIRONMENT, check=True)
        shutil.copytree(original, path)
        return path

    def build(self, history: History, path: Path, rng: random.Random) -> Path:
        """Make a bare repository that holds a history, in a layout that *rng* decides."""
        self.empty(path, history.database.algorithm)
        self._write_objects(history, path, rng)
        write_refs(history, path, packed=rng.random() < 0.5)
        if history.grafts:
            (path / "info").mkdir(exist_ok=True)
            (path / "info/grafts").write_bytes(b"\n".join(history.grafts) + b"\n")
        if history.shallow:
            (path / "shallow").write_bytes(b"".join(oid + b"\n" for oid in history.shallow))
        return path

    def _write_objects(self, history: History, path: Path, rng: random.Random) -> None:
        database, store = history.database, path / "objects"
        database.write_loose(store, database.objects)
        layout = rng.choice(("loose", "pack", "pack", "mixed", "packs", "lent"))
        oids = sorted(database.objects)
        if layout in ("pack", "packs", "mixed"):
            share = 1.0 if layout == "pack" else 0.6
            some = [oid for oid in oids if rng.random() < share]
            depth = rng.choice(("--depth=50", "--depth=3", "--window=0"))
            offsets = rng.choice(([], ["--delta-base-offset"]))
            database.write_pack(self.git, store, some, depth, *offsets)
            rest = sorted(set(oids) - set(some))
            if layout == "packs" and rest:
                database.write_pack(self.git, store, rest)
                rest = []
            for oid in sorted(set(oids) - set(rest)):
                (store / oid[:2].decode() / oid[2:].decode()).unlink()
            if rng.random() < 0.3:
                self.run(path, "multi-pack-index", "write")
        elif layout == "lent":
            lender = path.with_name(path.name + "-lender")
            for oid in (one for one in oids if rng.random() < 0.5):
                place = lender / "objects" / oid[:2].decode() / oid[2:].decode()
                place.parent.mkdir(exist_ok=True, parents=True)
                os.rename(store / oid[:2].decode() / oid[2:].decode(), place)
            (store / "info").mkdir(exist_ok=True)
            (store / "info/alternates").write_text(f"{lender}/objects\n")
        if rng.random() < 0.35 and not history.grafts and not history.shallow:
            self._write_graph(history, path)

    def _write_graph(self, history: History, path: Path) -> None:
        words = ["commit-graph", "write", "--stdin-commits"]
        some = b"".join(oid + b"\n" for oid in history.commits)
        command = [self.git, "-C", str(path), *words]
        # A history with broken commits has none.
        subprocess.run(command, input=some, env=ENVIRONMENT, capture_output=True, check=False)


def remove_all(repository: Path) -> None:
    """Remove a repository, and whom it borrows from."""
    remove(str(repository))
    remove(f"{repository}-lender")


def write_refs(history: History, path: Path, *, packed: bool) -> None:
    """Write refs, in one file or in a file each, and HEAD."""
    rows = []
    for name, value in sorted(history.refs.items()):
        if packed and not value.startswith(b"ref: "):
            rows.append(b"%b %b\n" % (value, name))
            continue
        place = path / os.fsdecode(name)
        place.parent.mkdir(exist_ok=True, parents=True)
        place.write_bytes(value + b"\n")
    (path / "packed-refs").write_bytes(b"# pack-refs with: sorted \n" + b"".join(rows))
    (path / "HEAD").write_bytes(history.head + b"\n")
