"""The repositories that streams are fed to, and what a stream may name in them."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "TZ": "XYZ-3:30",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
}
WHO = b"A U Thor <author@example.com> 1000000000 +0200\n"

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


@dataclass(slots=True)
class World:
    """A repository to copy, and the names that a stream can use in it."""

    path: Path
    object_format: str
    refs: list[bytes] = field(default_factory=list)
    oids: dict[str, list[bytes]] = field(default_factory=dict)

    @property
    def digits(self) -> int:
        """How many hexadecimal digits an oid has."""
        return 40 if self.object_format == "sha1" else 64

    def copy(self, target: Path) -> None:
        """Make a repository of one's own from it."""
        shutil.copytree(self.path, target)


def make_worlds(git: str, directory: Path) -> list[World]:
    """Make an empty and a filled repository of either object format."""
    worlds = []
    for object_format in ("sha1", "sha256"):
        for filled in (False, True):
            path = directory / f"{object_format}-{'filled' if filled else 'empty'}"
            world = World(path, object_format)
            options = (f"--object-format={object_format}", "--bare", "--template=")
            _run(git, "init", "-q", *options, "-b", "main", str(path))
            # Nothing here has to outlive a power failure.
            _run(git, "-C", str(path), "config", "core.fsync", "none")
            if filled:
                _fill(git, world)
            worlds.append(world)
    return worlds


def _fill(git: str, world: World) -> None:
    where = ("-C", str(world.path))
    contents = CONTENTS % {b"who": WHO, b"gitlink": b"d" * world.digits}
    _run(git, *where, "fast-import", "--quiet", text=contents)
    _run(git, *where, "update-ref", "refs/blobs/one", "old:a")
    _run(git, *where, "repack", "-adq")
    loose = b"commit refs/heads/loose\ncommitter %bdata 0\nM 644 inline l\ndata 5\nloose\n" % WHO
    _run(git, *where, "fast-import", "--quiet", text=loose)
    world.refs = _run(git, *where, "for-each-ref", "--format=%(refname)").split()
    form = "--batch-check=%(objecttype) %(objectname)"
    for line in _run(git, *where, "cat-file", "--batch-all-objects", form).splitlines():
        kind, oid = line.split()
        world.oids.setdefault(kind.decode(), []).append(oid)


def _run(git: str, *words: str, text: bytes = b"") -> bytes:
    done = subprocess.run(
        [git, *words], input=text, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE
    )
    return done.stdout
