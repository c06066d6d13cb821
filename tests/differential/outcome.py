"""What an import left behind, in a form that can be compared.

Objects are compared by oid, which is a hash of the contents; that the contents are those which the
oid stands for is for ``audit`` to find out.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

from tests.differential.world import ENVIRONMENT, World

# What frontends look for in stderr; other wording is free.
FRAGMENTS = (
    *(b"space after mark", b"nvalid dataref", b"space after sha1", b"space after tree-ish"),
    *(b"invalid path", b"invalid source", b"invalid dest", b"nul in ", b"garbage after path"),
    *(b"garbage after dest", b"missing space after source", b"since it would point to itself"),
    *(b"importing a commit signature", b"importing a tag signature verbatim for tag '"),
    *(b"stripping a tag signature for tag '", b"stripping a commit signature"),
    *(b"stripping invalid signature", b"replacing invalid signature"),
    b"aborting due to invalid signature",
)
# Where marks are exported to that are not beside the repository.
RELATIVE_MARKS = "/out"
LAST_COMMANDS = 30
_THERE = re.compile(rb"(?<=  exported to ).*")
_LOOSE = re.compile(r"objects/([0-9a-f]{2})/([0-9a-f]{38}(?:[0-9a-f]{24})?)")
_PACK = re.compile(r"objects/pack/pack-[0-9a-f]+\.(pack|idx)")


@dataclass(slots=True)
class Outcome:
    """What a run did; ``stderr`` is for people and not compared but for the fragments above."""

    status: int
    stdout: bytes
    replies: bytes
    files: dict[str, bytes]
    logs: dict[str, list[bytes]]
    objects: frozenset[bytes]
    loose: list[str]
    packed: Counter[bytes]
    marks: bytes | None
    edges: set[bytes] | None
    report: list[bytes]
    said: Counter[bytes]
    stderr: bytes = field(default=b"", compare=False)

    def differences(self, other: Outcome) -> list[str]:
        """Name the fields in which *other* is not the same."""
        names = [one.name for one in fields(self) if one.compare]
        return [name for name in names if getattr(self, name) != getattr(other, name)]


def read_outcome(
    git: str, world: World, place: Path, status: int, *, split: bool = False
) -> Outcome:
    """Look at what there is in *place* after a run.

    Args:
        git: For refs that are no files.
        world: What the run started from.
        place: Its directory.
        status: How it ended.
        split: Whether packs were cut by size: then where an object lies says nothing.
    """
    repository = place / "repository"
    seen = _Repository(os.path.normpath(f"{repository}/{world.git_dir}"), world.digits // 2)
    stderr = (place / "stderr").read_bytes()
    lowered = stderr.lower()
    if world.ref_format != "files":
        seen.files["refs"] = _listed_refs(git, repository)
    loose, packed = sorted(seen.loose), seen.packed
    objects = frozenset(packed) | {bytes.fromhex(name) for name in loose}
    objects |= {bytes.fromhex(oid.decode()) for oid in world.borrowed}
    anywhere = split or world.borrowed
    for oid in world.loose:  # it may be written again into the pack, or not
        packed.pop(oid, None)
    marks = [seen.files.pop(name) for name in list(seen.files) if name.endswith(RELATIVE_MARKS)]
    return Outcome(
        status,
        (place / "stdout").read_bytes(),
        (place / "replies").read_bytes(),
        seen.files,
        seen.logs,
        objects,
        [] if anywhere else loose,
        Counter() if anywhere else packed,
        marks[0] if marks else _optional(place / "out"),
        None if anywhere else _edges(_optional(place / "edges"), world),
        seen.report,
        Counter({one: lowered.count(one) for one in FRAGMENTS if one in lowered}),
        stderr,
    )


class _Repository:
    """All files of a git directory, sorted out in one walk."""

    def __init__(self, top: str, oid_size: int) -> None:
        self.files: dict[str, bytes] = {}
        self.logs: dict[str, list[bytes]] = {}
        self.loose: list[str] = []
        self.packed: Counter[bytes] = Counter()
        self.report: list[bytes] = []
        self._top, self._oid_size = top, oid_size
        self._walk("")

    def _walk(self, directory: str) -> None:
        for entry in os.scandir(f"{self._top}/{directory}"):
            name = directory + entry.name
            if entry.is_dir(follow_symlinks=False):
                self._walk(name + "/")
            elif loose := _LOOSE.fullmatch(name):
                self.loose.append(loose[1] + loose[2])
            elif pack := _PACK.fullmatch(name):
                if pack[1] == "idx":
                    self.packed.update(_oids_of(_read(entry.path), self._oid_size))
            else:
                self._other(name, entry.path)

    def _other(self, name: str, path: str) -> None:
        if name.startswith("fast_import_crash_"):
            self.report = _main_points(_read(path))
        elif name.startswith("logs/"):
            if lines := list(_logged(_read(path))):
                self.logs[name] = lines
        elif "/tmp_" in name:
            self.files[name[: name.index("/tmp_")] + "/tmp"] = b""
        elif not name.startswith("reftable/"):
            self.files[name] = _read(path)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _optional(path: Path) -> bytes | None:
    try:
        return _read(str(path))
    except FileNotFoundError:
        return None


def _oids_of(idx: bytes, size: int) -> list[bytes]:
    """All oids of a pack index of version 1 or 2."""
    if idx[:8] == b"\xfftOc\0\0\0\2":
        start, step = 8 + 1024, size
        count = int.from_bytes(idx[start - 4 : start], "big")
        return [idx[at : at + size] for at in range(start, start + count * step, step)]
    count = int.from_bytes(idx[1020:1024], "big")
    return [idx[at + 4 : at + 4 + size] for at in range(1024, 1024 + count * (size + 4), size + 4)]


def _logged(log: bytes) -> Iterator[bytes]:
    """The lines of a reflog without who and when.

    Those in which nothing changes are left out: git writes them where a symbolic ref is updated.
    When the branch that HEAD stands for is deleted, git has no message.
    """
    for line in log.splitlines():
        before, _, message = line.partition(b"\t")
        old, new, *_ = before.split(b" ")
        if old != new:
            yield b"%b %b %b" % (old, new, b"" if new.strip(b"0") == b"" else message)


def _edges(content: bytes | None, world: World) -> set[bytes] | None:
    """The new commits and tags that are named as edges: packs have other names, and may be others.

    git names other objects, too: those of branches that were set to what was there before.
    """
    if content is None:
        return None
    oids = {oid for line in content.splitlines() for oid in line.rpartition(b":")[2].split()}
    return oids.difference(*world.oids.values()) - {b"0" * world.digits}


def _main_points(report: bytes) -> list[bytes]:
    """What a crash report must have: its sections, the last commands, tags and marks."""
    sections: dict[bytes, list[bytes]] = {}
    lines = report.split(b"\n")
    inside: list[bytes] = []
    for number, line in enumerate(lines):
        if line and lines[number + 1 : number + 2] == [b"-" * len(line)]:
            inside = sections.setdefault(line, [])
        elif line.strip(b"- "):  # of a line with a NUL, git knows only what is before it
            inside.append(_THERE.sub(b"", line.partition(b"\0")[0]))
    commands = sections.get(b"Most Recent Commands Before Crash", [])
    del commands[:-LAST_COMMANDS]  # git counts blank lines as well
    # git lists a tag, as the zero oid, before it is made.
    tags = [one for one in sections.pop(b"Annotated Tags", []) if not one.startswith(b"00000000")]
    return [*sections, *commands, *tags, *sections.get(b"Marks", [])]


def _listed_refs(git: str, repository: Path) -> bytes:
    form = "--format=%(objectname) %(refname) %(symref)"
    command = [git, "-C", str(repository), "for-each-ref", "--include-root-refs", form]
    return subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE).stdout
