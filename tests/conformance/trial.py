"""One stream for us and for the real git, in copies of one repository, and what came of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tests.conformance.side import Side, git_version
from tests.importer.target import Target

MAIN = "refs/heads/x"


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


class Copy(Side):
    """A bare repository, copied from another, for one of the two programs."""

    def __init__(self, program: str, path: Path, source: Path, config: Sequence[str]) -> None:
        self.program, self.is_git, self.path, self.git_dir = program, program == "git", path, path
        shutil.copytree(source, path)
        with (path / "config").open("a") as file:
            for setting in config:
                section, name = setting.split(".", 1)
                file.write(f"[{section}]\n{name}\n")

    def imported(self, stream: bytes, *options: str) -> Outcome:
        """Import *stream* and tell what came of it."""
        done = self.feed(stream, f"--export-marks={self.path.parent}/marks", *options)
        return self._outcome(done.returncode, done.stdout, done.stderr)

    def _outcome(self, status: int, stdout: bytes, stderr: bytes) -> Outcome:
        command = ["git", "cat-file", "--batch-all-objects", "--batch", "--buffer", "--unordered"]
        listing = subprocess.run(command, cwd=self.path, stdout=subprocess.PIPE, check=True).stdout
        marks = self.path.parent / "marks"
        return Outcome(
            status,
            stdout.decode("latin-1"),
            stderr.decode("latin-1"),
            all_refs(self.path),
            dict(_objects(listing.decode("latin-1"))),
            _marks(marks.read_text()) if marks.exists() else None,
            sorted(_left_over(self.path)),
            self,
        )


def all_refs(repository: Path) -> dict[str, str]:
    """Return what stands in the files of refs, and of those beside ``refs/``."""
    paths = [*repository.glob("refs/**/*"), *repository.glob("[A-Z]*")]
    return {
        os.fsencode(path.relative_to(repository)).decode("latin-1"): path.read_text().strip()
        for path in paths
        if path.is_file()
    }


def _objects(listing: str) -> Iterator[tuple[str, tuple[str, str]]]:
    at = 0
    while at < len(listing):
        end = listing.index("\n", at)
        oid, kind, size = listing[at:end].split()
        at = end + 1 + int(size)
        yield oid, (kind, listing[end + 1 : at])
        at += 1


def _marks(text: str) -> dict[str, str]:
    return dict(line.split(" ") for line in text.splitlines())  # type: ignore[misc]


def _left_over(repository: Path) -> Iterator[str]:
    for path in repository.rglob("*"):
        if path.name.startswith("fast_import_crash_"):
            yield "crash report"
        elif path.name.startswith("tmp_") or path.suffix in (".lock", ".keep"):
            yield path.name


class Trial:
    """Runs streams; *base* gives the path of a repository that holds what a stream makes."""

    def __init__(self, directory: Path, base: Callable[[bytes], Path]) -> None:
        self._directory, self._base, self._count = directory, base, 0

    def __call__(
        self,
        stream: bytes,
        *options: str,
        before: bytes = b"",
        config: Sequence[str] = (),
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
            trees: Contents of trees that it also holds; a stream can make no odd ones.
            status: The exit status.
            since: The first version of git that behaves like this; older ones are not asked.
        """
        place = {"before": before, "config": config, "trees": trees}
        ours = self.ours(stream, *options, status=status, **place)
        if git_version() >= since:
            git = self.git(stream, *options, **place)
            assert git.differences(ours) == [], f"git: {git}\nours: {ours}"
        return ours

    def fatal(
        self, stream: bytes, reason: str, *options: str, before: bytes = b"", **keywords: Any
    ) -> Outcome:
        """The same for what must be refused: with *reason*, a crash report, and no ref moved."""
        result = self(stream, *options, before=before, status=128, **keywords)
        assert reason in result.fatal
        assert result.left_over == ["crash report"]
        assert result.refs == all_refs(self._base(before))
        return result

    def ours(self, stream: bytes, *options: str, status: int = 0, **place: Any) -> Outcome:
        """Import with us alone: where git's way is not ours."""
        result = self._copy("fastio", **place).imported(stream, *options)
        assert result.status == status, result.stderr
        return result

    def git(self, stream: bytes, *options: str, **place: Any) -> Outcome:
        """Import with git alone."""
        return self._copy("git", **place).imported(stream, *options)

    def _copy(
        self,
        program: str,
        *,
        before: bytes = b"",
        config: Sequence[str] = (),
        trees: Sequence[bytes] = (),
    ) -> Copy:
        self._count += 1
        place = self._directory / str(self._count)
        place.mkdir()
        copy = Copy(program, place / "repository", self._base(before), config)
        for tree in trees:
            copy.git("hash-object", "-w", "--literally", "-t", "tree", "--stdin", text=tree)
        return copy
