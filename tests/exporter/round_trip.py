"""Export and import again: all refs must have the ids that they had."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from tests.differential.world import ENVIRONMENT
from tests.exporter.histories import HistoryMaker
from tests.exporter.ours import run_ours
from tests.exporter.places import Builder, remove_all

FAITHFUL = ("--all", "--signed-tags=verbatim", "--reencode=no")
WITH_SIGNATURES = ("--signed-commits=verbatim",)
SYMBOLIC = {b"refs/heads/sym", b"refs/remotes/o/HEAD"}  # these need not come back
# What may be said as well, and changes nothing.
ALSO = ((), (), ("-M",), ("-C", "-C"), ("--full-tree",), ("--show-original-ids",), ("-B", "-M"),
        ("--use-done-feature",), ("--mark-tags",))  # fmt: skip


class Traveller:
    """Sends histories through both exporters and both importers.

    Args:
        git: The git that is one of each.
        directory: Where to work.
        signatures: Whether that git can take signatures of commits along.
    """

    def __init__(self, git: str, directory: Path, *, signatures: bool = True) -> None:
        self.git, self._directory, self._signatures = git, directory, signatures
        directory.mkdir(exist_ok=True)
        self._builder = Builder(git, directory)

    def complaints(self, seed: int) -> Iterator[str]:
        """Tell of each journey of one seed that did not end where it began.

        git's own streams lose files in some, or say what no importer takes: then both importers
        need only do the same.
        """
        rng = random.Random(seed)
        algorithm = "sha256" if rng.random() < 0.1 else "sha1"
        maker = HistoryMaker(rng, faithful=True, algorithm=algorithm)
        if not self._signatures:
            maker.traits.discard("signatures")
        history = maker.make()
        there = self._builder.build(history, self._directory / "there", rng)
        words = [*FAITHFUL, *WITH_SIGNATURES[: self._signatures], *rng.choice(ALSO)]
        ends = {
            way: self._travel(there, words, *way, algorithm)
            for way in product(("git", "ours"), repeat=2)
        }
        expected = 0, self._refs(there)
        for importer in ("git", "ours"):
            found = ends["ours", importer]
            if found[:2] != expected:
                yield f"seed {seed}: {words} by ours, imported by {importer}: {found}"
        if ends["git", "git"][:2] != ends["git", "ours"][:2]:
            yield f"seed {seed}: {words} by git: {ends['git', 'git']}, {ends['git', 'ours']}"
        remove_all(there)

    def _travel(
        self, there: Path, words: list[str], exporter: str, importer: str, algorithm: str
    ) -> tuple[int, list[bytes], bytes]:
        """Export and import; returns the status, refs, and what was said in the end."""
        status, stream, said = self._run(exporter, there, ["fast-export", *words])
        back = self._builder.empty(self._directory / "back", algorithm)
        done = self._run(importer, back, ["fast-import", "--quiet", "--force"], stream)
        refs = self._refs(back) if done[0] == 0 else []
        remove_all(back)
        return status or done[0], refs, (said + done[2])[-500:]

    def _refs(self, repository: Path) -> list[bytes]:
        listed = self._builder.run(repository, "for-each-ref", "--format=%(refname) %(objectname)")
        return [line for line in listed.splitlines() if line.split(b" ")[0] not in SYMBOLIC]

    def _run(
        self, program: str, repository: Path, words: list[str], text: bytes = b""
    ) -> tuple[int, bytes, bytes]:
        environment = ENVIRONMENT | {"PATH": f"{os.path.dirname(self.git)}:{ENVIRONMENT['PATH']}"}
        if program == "ours":
            command = (words[0].removeprefix("fast-"), "--no-progress")
            return run_ours(repository, words[1:], environment, text=text, command=command)
        done = subprocess.run(
            [self.git, "-C", str(repository), *words],
            input=text, env=environment, capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr
