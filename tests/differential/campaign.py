"""``python -m tests.differential.campaign``: feed random streams to git and to ours."""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.differential.generate import Case, StreamMaker
from tests.differential.known import known_difference
from tests.differential.mutate import mutate
from tests.differential.run import Outcome, run_git, run_ours
from tests.differential.world import World, make_worlds

MUTATED = 0.35
# The grammar of streams has changed little since; the differences are left out for older ones.
RECENT = (2, 55)


@dataclass(slots=True)
class Finding:
    """A case in which something differs that is not known to."""

    seed: int
    world: World
    case: Case
    git: Outcome
    ours: Outcome

    @property
    def differences(self) -> list[str]:
        """What differs."""
        names = self.git.differences(self.ours)
        return ["traceback", *names] if b"Traceback" in self.ours.stderr else names


def make_case(seed: int, worlds: list[World], *, recent: bool) -> tuple[World, Case]:
    """Make the case that a seed stands for."""
    rng = random.Random(seed)
    world = rng.choices(worlds, (30, 60, 4, 6))[0]
    case = StreamMaker(rng, world, recent=recent).make()
    if rng.random() < MUTATED:
        case.chunks = mutate(case.chunks, rng)
    return world, case


def compare(
    git: str, seed: int, worlds: list[World], place: Path, *, version: tuple[int, ...]
) -> tuple[Outcome, str | Finding | None]:
    """Run one case: git's outcome, and the known reason of a difference or a finding, if any."""
    world, case = make_case(seed, worlds, recent=version >= RECENT)
    theirs = run_git(git, case, world, place / "git")
    ours = run_ours(git, case, world, place / "ours", seed=seed)
    finding = Finding(seed, world, case, theirs, ours)
    if not finding.differences:
        return theirs, None
    if "traceback" in finding.differences:
        return theirs, finding
    return theirs, known_difference(case, theirs, ours, version) or finding


def version_of(git: str) -> tuple[int, ...]:
    """Return git's version as numbers."""
    said = subprocess.run([git, "--version"], stdout=subprocess.PIPE, check=True).stdout
    return tuple(int(number) for number in re.findall(rb"\d+", said)[:2])


def show(finding: Finding) -> str:
    """Describe a finding for whoever is to look into it."""
    case, git, ours = finding.case, finding.git, finding.ours
    lines = [f"seed {finding.seed}: {', '.join(finding.differences)}"]
    lines.append(f"  world {finding.world.path.name}, {case.config} {case.options}")
    lines += [
        f"  {name}: git {getattr(git, name)!r}, ours {getattr(ours, name)!r}"[:600]
        for name in finding.differences
        if name in ("status", "stdout", "marks", "left_over", "refs")
    ]
    only_git = sorted(set(git.objects) - set(ours.objects))
    only_ours = sorted(set(ours.objects) - set(git.objects))
    lines.append(f"  objects: only git {only_git[:6]}, only ours {only_ours[:6]}")
    lines.append(f"  git said: {git.stderr[-600:]!r}")
    lines.append(f"  we said:  {ours.stderr[-3000:]!r}")
    return "\n".join(lines)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--git", default=shutil.which("git"))
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after that long")
    parser.add_argument("--keep", type=Path, help="directory for the streams of what is found")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(exist_ok=True)
    counts = _run(arguments)
    for what, number in sorted(counts.items()):
        sys.stdout.write(f"{number:8} {what}\n")
    return 1 if counts["FOUND"] else 0


def _run(arguments: argparse.Namespace) -> Counter[str]:
    """Count what came out, to the end or until Ctrl-C."""
    end = time.monotonic() + arguments.seconds
    counts: Counter[str] = Counter()
    version = version_of(arguments.git)
    with contextlib.suppress(KeyboardInterrupt), tempfile.TemporaryDirectory() as name:
        worlds = make_worlds(arguments.git, Path(name))
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            theirs, result = compare(arguments.git, seed, worlds, Path(name), version=version)
            counts["streams"] += 1
            counts[f"exit status {theirs.status}"] += 1
            if isinstance(result, Finding):
                counts["FOUND"] += 1
                sys.stdout.write(show(result) + "\n")
                sys.stdout.flush()
                if arguments.keep:
                    (arguments.keep / f"{seed}.fe").write_bytes(result.case.stream)
            elif result:
                counts[f"known: {result}"] += 1
            if time.monotonic() > end:
                break
    return counts


if __name__ == "__main__":
    sys.exit(main())
