"""Export one repository by git and by ours, with the same words, and compare all that is seen."""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from tests.differential.world import ENVIRONMENT
from tests.exporter.command_lines import LineMaker
from tests.exporter.displacing import Explainer
from tests.exporter.histories import HistoryMaker
from tests.exporter.known import known_difference
from tests.exporter.ours import run_ours
from tests.exporter.places import Builder, remove_all

LINES = 6  # command lines for each history
TIME_LIMIT = 60
_KIND = re.compile(rb"(warning|error|fatal): ")


@dataclass(slots=True)
class Export:
    """One run: how it ended, and what it wrote."""

    status: int
    stdout: bytes
    marks: bytes | None
    said: list[bytes]
    stderr: bytes = field(default=b"", compare=False)

    def differences(self, other: Export) -> list[str]:
        """Name the fields in which *other* is not the same."""
        names = [one.name for one in fields(self) if one.compare]
        return [name for name in names if getattr(self, name) != getattr(other, name)]


@dataclass(slots=True)
class Finding:
    """A difference that is not known."""

    seed: int
    words: list[str]
    git: Export
    ours: Export
    what: str
    given: str = ""

    def __str__(self) -> str:
        return "\n".join(
            (f"seed {self.seed}: fast-export {' '.join(map(repr, self.words))}",
             f"  with {self.given}",
             f"  status: git {self.git.status}, ours {self.ours.status}",
             f"  {self.what}",
             f"  git said: {self.git.stderr[-600:]!r}",
             f"  we said:  {self.ours.stderr[-2000:]!r}")
        )  # fmt: skip


class Comparer:
    """Makes repositories from seeds and compares exports.

    Args:
        git: The git to compare with.
        directory: Where to work.
    """

    def __init__(self, git: str, directory: Path) -> None:
        self.git, self._directory = git, directory
        directory.mkdir(exist_ok=True)
        self.builder = Builder(git, directory)
        self._text, self._variables = b"", dict[str, str]()

    def compare(self, seed: int) -> Iterator[tuple[Export, str | Finding | None]]:
        """Run the command lines of one seed: git's export, and what is to be said of ours."""
        rng = random.Random(seed)
        algorithm = "sha256" if rng.random() < 0.1 else "sha1"
        history = HistoryMaker(rng, algorithm=algorithm).make()
        path = self.directory_of(seed)
        self.builder.build(history, path, rng)
        lines = LineMaker(rng, history)
        try:
            for _ in range(LINES):
                yield self.compare_line(seed, path, *self._words(lines, rng))
        finally:
            remove_all(path)

    def directory_of(self, seed: int) -> Path:
        """Where the repository of a seed is made."""
        return self._directory / f"{seed}"

    def _words(self, lines: LineMaker, rng: random.Random) -> tuple[list[str], bytes | None]:
        words, marks = lines.make(), None
        self._text, self._variables = lines.text, lines.variables
        if rng.random() < 0.3:
            marks = lines.marks() if rng.random() < 0.9 else None
            words.insert(0, f"--import-marks{rng.choice(('', '-if-exists'))}={self._marks('old')}")
        if rng.random() < 0.4:
            words.insert(0, f"--export-marks={self._marks('new')}")
        return words, marks

    def _marks(self, name: str) -> Path:
        return self._directory / f"{name}.marks"

    def compare_line(
        self, seed: int, path: Path, words: list[str], marks: bytes | None
    ) -> tuple[Export, str | Finding | None]:
        """Export by both; *marks* is what an imported marks file holds."""
        old = self._marks("old")
        old.unlink(missing_ok=True)
        if marks is not None:
            old.write_bytes(marks)
        theirs = self._export([], path, words)
        ours = self._export(["--workers=2"] if seed % 50 == 0 else [], path, words, ours=True)
        what, reordered = self._judge(theirs, ours)
        if what is None:
            return (
                theirs,
                "changes in another order, without which files are lost" if reordered else None,
            )
        given = f"{self._variables} {self._text!r}"
        finding = Finding(seed, words, theirs, ours, what, given)
        if b"Traceback" in ours.stderr:
            return theirs, finding
        return theirs, known_difference(words, theirs, ours) or finding

    def _judge(self, theirs: Export, ours: Export) -> tuple[str | None, int]:
        """Tell what differs that may not, and in how many commits changes are in another order."""
        if b"Traceback" in ours.stderr:
            return "traceback", 0
        explainer = Explainer()
        told = [
            f"{name}: git {getattr(theirs, name)!r}, ours {getattr(ours, name)!r}"
            for name in theirs.differences(ours)
            if name != "stdout"
        ]
        if what := explainer.difference(theirs.stdout, ours.stdout):
            told.append(what)
        return "\n  ".join(told) or None, explainer.reordered

    def _export(
        self, more: Sequence[str], path: Path, words: Sequence[str], *, ours: bool = False
    ) -> Export:
        new = self._marks("new")
        new.unlink(missing_ok=True)
        if ours:
            status, stdout, stderr = run_ours(
                path, [*more, *words], self._environment, text=self._text
            )
        else:
            command = [self.git, "-C", str(path), "fast-export", *words]
            done = subprocess.run(
                command, env=ENVIRONMENT | self._variables, input=self._text, capture_output=True,
                check=False, timeout=TIME_LIMIT,
            )  # fmt: skip
            status, stdout, stderr = done.returncode, done.stdout, done.stderr
        marks = new.read_bytes() if new.exists() else None
        return Export(status, stdout, marks, said(status, stderr), stderr)

    @property
    def _environment(self) -> dict[str, str]:
        path = f"{os.path.dirname(self.git)}:{ENVIRONMENT['PATH']}"
        return ENVIRONMENT | self._variables | {"PATH": path}


def said(status: int, stderr: bytes) -> list[bytes]:
    """What kinds of messages there are; wording is free.

    Of a run that failed it is only asked whether it says why, of others how many warnings and
    errors there are, each counted once; how often names are ambiguous is left out.
    """
    if status:
        fatal = status == 128 and re.search(rb"^(fatal|error): ", stderr, re.MULTILINE)
        return [b"fatal" if fatal else b"usage" if stderr else b""]
    lines = {line for line in stderr.splitlines() if not line.endswith(b"is ambiguous.")}
    kinds = Counter(kind[1] for line in lines if (kind := _KIND.match(line)))
    return [b"%b %d" % (kind, kinds[kind]) for kind in sorted(kinds)]
