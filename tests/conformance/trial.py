"""One stream for us and for the real git, in copies of one repository, and what came of it."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from tests.importer.target import Target

# What takes longer hangs.
TIME_LIMIT = 30
MAIN = "refs/heads/x"


@functools.cache
def git_version() -> tuple[int, ...]:
    """Return the version of the git in reach."""
    words = subprocess.run(["git", "version"], stdout=subprocess.PIPE, check=True).stdout
    return tuple(int(number) for number in re.findall(rb"[0-9]+", words)[:2])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an import left behind; names and contents are text with a character for each byte.

    Attributes:
        refs: What stands in each ref's file, and in those like HEAD.
        objects: Type and content of every object, by oid.
        marks: The exported marks.
        left_over: Temporary files, keep files and locks; and whether there is a crash report.
        repository: For a closer look.
    """

    status: int
    stdout: str
    stderr: str = field(compare=False)
    refs: dict[str, str]
    objects: dict[str, tuple[str, str]]
    marks: dict[str, str] | None
    left_over: list[str]
    repository: Target = field(compare=False, repr=False)

    def differences(self, other: Outcome) -> list[str]:
        """Name the fields in which *other* is not the same."""
        names = [one.name for one in fields(self) if one.compare]
        return [name for name in names if getattr(self, name) != getattr(other, name)]

    @property
    def fatal(self) -> str:
        """The line with the fatal error, in lower case; empty if there was none."""
        lines = self.stderr.splitlines()
        return next((line.lower() for line in lines if line.startswith("fatal: ")), "")

    def oid(self, name: str = MAIN) -> str:
        """Return what a ref, a mark or an oid stands for."""
        if self.marks is not None and name in self.marks:
            return self.marks[name]
        return self.refs.get(name, name)

    def text(self, name: str = MAIN) -> str:
        """Return the content of an object."""
        return self.objects[self.oid(name)][1]

    def message(self, name: str = MAIN) -> str:
        """Return the message of a commit or tag."""
        return self.text(name).partition("\n\n")[2]

    def header(self, word: str, name: str = MAIN) -> list[str]:
        """Return the values of all header lines of a commit or tag that begin with *word*."""
        lines = self.text(name).partition("\n\n")[0].splitlines()
        return [line[len(word) + 1 :] for line in lines if line.startswith(word + " ")]

    def files(self, name: str = MAIN) -> dict[str, str]:
        """Return the content of each file of a commit or tree by path; for gitlinks their oid."""
        return {
            path: oid if mode == "160000" else self.text(oid)
            for path, mode, oid in self._entries(self._tree(name), "")
        }

    def modes(self, name: str = MAIN) -> dict[str, str]:
        """Return the mode of each file of a commit or tree by path."""
        return {path: mode for path, mode, _ in self._entries(self._tree(name), "")}

    def _tree(self, name: str) -> str:
        oid = self.oid(name)
        return oid if self.objects[oid][0] == "tree" else self.header("tree", oid)[0]

    def _entries(self, tree: str, before: str) -> Iterator[tuple[str, str, str]]:
        body = self.text(tree).encode("latin-1")
        size = len(tree) // 2
        while body:
            head, _, body = body.partition(b"\0")
            mode, _, path = head.decode("latin-1").partition(" ")
            oid, body = body[:size].hex(), body[size:]
            if mode == "40000":
                yield from self._entries(oid, f"{before}{path}/")
            else:
                yield before + path, mode, oid


class Copy(Target):
    """A bare repository, copied from another."""

    def __init__(self, path: Path, source: Path, config: Sequence[str]) -> None:
        self.path = self.git_dir = path
        shutil.copytree(source, path)
        with (path / "config").open("a") as file:
            for setting in config:
                section, name = setting.split(".", 1)
                file.write(f"[{section}]\n{name}\n")

    def outcome(self, status: int, stdout: bytes, stderr: bytes) -> Outcome:
        marks = self.path.parent / "marks"
        command = ["git", "cat-file", "--batch-all-objects", "--batch", "--buffer", "--unordered"]
        listing = subprocess.run(command, cwd=self.path, stdout=subprocess.PIPE, check=True).stdout
        return Outcome(
            status,
            stdout.decode("latin-1"),
            stderr.decode("latin-1"),
            dict(self._all_refs()),
            dict(_objects(listing.decode("latin-1"))),
            dict(line.split() for line in marks.read_text().splitlines())  # type: ignore[misc]
            if marks.exists()
            else None,
            self._left_over(),
            self,
        )

    def _all_refs(self) -> Iterator[tuple[str, str]]:
        for path in [*self.path.glob("refs/**/*"), *self.path.glob("[A-Z]*")]:
            if path.is_file():
                name = os.fsencode(path.relative_to(self.path)).decode("latin-1")
                yield name, path.read_text().strip()

    def _left_over(self) -> list[str]:
        names = [path.name for path in self.path.rglob("*")]
        reports = ["crash report" for name in names if name.startswith("fast_import_crash_")]
        return reports + [
            n for n in names if n.startswith("tmp_") or n.endswith((".lock", ".keep"))
        ]


def _objects(listing: str) -> Iterator[tuple[str, tuple[str, str]]]:
    at = 0
    while at < len(listing):
        end = listing.index("\n", at)
        oid, kind, size = listing[at:end].split()
        at = end + 1 + int(size)
        yield oid, (kind, listing[end + 1 : at])
        at += 1


class Trial:
    """Runs streams; *base* gives the path of a repository that holds what a stream makes."""

    def __init__(self, directory: Path, base: Callable[[bytes, str], Path]) -> None:
        self._directory, self._base, self._count = directory, base, 0

    def __call__(
        self,
        stream: bytes,
        *options: str,
        before: bytes = b"",
        config: Sequence[str] = (),
        object_format: str = "sha1",
        trees: Sequence[bytes] = (),
        status: int = 0,
        since: tuple[int, ...] = (0,),
    ) -> Outcome:
        """Import with us and with git, which must agree in all; returns what we did.

        Args:
            stream: What to import.
            *options: Of the command line.
            before: What the repository holds already, as a stream.
            config: Settings, as ``section.name=value``.
            object_format: Of the repository.
            trees: Contents of trees that it also holds; a stream can make no odd ones.
            status: The exit status.
            since: The first version of git that behaves like this; older ones are not asked.
        """
        place = {"before": before, "config": config, "object_format": object_format}
        place["trees"] = trees
        ours = self.ours(stream, *options, status=status, **place)
        if git_version() >= since:
            git = self.git(stream, *options, **place)
            assert git.differences(ours) == [], f"git: {git}\nours: {ours}"
        return ours

    def fatal(self, stream: bytes, reason: str, *options: str, **keywords: object) -> Outcome:
        """The same for what must be refused: with *reason*, a crash report, and no ref moved."""
        result = self(stream, *options, status=128, **keywords)  # type: ignore[arg-type]
        assert reason in result.fatal
        assert result.left_over == ["crash report"]
        before = self._copy(keywords.get("before", b""), (), "sha1")  # type: ignore[arg-type]
        assert result.refs == dict(before._all_refs())
        return result

    def ours(self, stream: bytes, *options: str, status: int = 0, **place: object) -> Outcome:
        """Import with us alone: where git's way is not ours."""
        copy = self._copy(**place)  # type: ignore[arg-type]
        with _captured() as (stdout, stderr):
            ended, _ = copy.here(stream, f"--export-marks={copy.path.parent}/marks", *options)
        result = copy.outcome(ended, _content(stdout), _content(stderr))
        assert result.status == status, result.stderr
        return result

    def git(self, stream: bytes, *options: str, **place: object) -> Outcome:
        """Import with git alone."""
        copy = self._copy(**place)  # type: ignore[arg-type]
        words = ["fast-import", "--quiet", f"--export-marks={copy.path.parent}/marks", *options]
        done = subprocess.run(
            ["git", "-C", str(copy.path), *words],
            input=stream,
            capture_output=True,
            check=False,
            timeout=TIME_LIMIT,
        )
        return copy.outcome(done.returncode, done.stdout, done.stderr)

    def _copy(
        self,
        before: bytes = b"",
        config: Sequence[str] = (),
        object_format: str = "sha1",
        trees: Sequence[bytes] = (),
    ) -> Copy:
        self._count += 1
        place = self._directory / str(self._count)
        place.mkdir()
        copy = Copy(place / "repository", self._base(before, object_format), config)
        for tree in trees:
            copy.git("hash-object", "-w", "--literally", "-t", "tree", "--stdin", text=tree)
        return copy


@contextlib.contextmanager
def _captured() -> Iterator[tuple[int, int]]:
    """Have files in memory for stdout and stderr meanwhile."""
    saved = [os.dup(fd) for fd in (1, 2)]
    files = (os.memfd_create("stdout"), os.memfd_create("stderr"))
    for fd in (1, 2):
        os.dup2(files[fd - 1], fd)
    try:
        yield files
    finally:
        for fd in (1, 2):
            os.dup2(saved[fd - 1], fd)
            os.close(saved[fd - 1])


def _content(fd: int) -> bytes:
    with os.fdopen(fd, "rb") as file:
        file.seek(0)
        return file.read()
