"""Compare one case: what git did, what we did, and whether a difference is known."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.differential.audit import Audit
from tests.differential.generate import StreamMaker
from tests.differential.known import known_difference
from tests.differential.mutate import mutate
from tests.differential.ours import Ours
from tests.differential.outcome import Outcome
from tests.differential.run import Case, Place, run_git
from tests.differential.world import World
from tests.differential.worlds import RECENT

MUTATED = 0.4
# So many streams make ours load, and compile, nearly all that it ever does.
WARM_UP = 30


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


def version_of(git: str) -> tuple[int, ...]:
    """Return git's version as numbers."""
    said = subprocess.run([git, "--version"], stdout=subprocess.PIPE, check=True).stdout
    return tuple(int(number) for number in re.findall(rb"\d+", said)[:2])


class Comparer:
    """Makes cases from seeds and compares what comes of them.

    Args:
        git: The git to compare with.
        worlds: Where cases start from.
        directory: Where to work.
    """

    def __init__(self, git: str, worlds: list[World], directory: Path) -> None:
        self.git, self.worlds, self.version = git, worlds, version_of(git)
        self._git_place, self._our_place = Place(directory / "git"), Place(directory / "ours")
        self._ours = Ours(git, self._our_place)
        for seed in range(WARM_UP):
            world, case = self.make_case(seed)
            self._ours.warm_up(case, world)
        self.audit = Audit(git, directory / "audit")

    def close(self) -> None:
        """End the processes that helped."""
        self._ours.close()

    def make_case(self, seed: int) -> tuple[World, Case]:
        """Make the case that a seed stands for."""
        rng = random.Random(seed)
        world = rng.choices(self.worlds, [world.weight for world in self.worlds])[0]
        recent = self.version >= RECENT
        case = StreamMaker(rng, world, recent=recent).make()
        if rng.random() < MUTATED:
            other = StreamMaker(rng, world, recent=recent).make()
            case.chunks = mutate(case.chunks, rng, other.chunks)
        return world, case

    def compare(self, seed: int) -> tuple[Outcome, str | Finding | None]:
        """Run one case: git's outcome, and the reason of a known difference or a finding."""
        world, case = self.make_case(seed)
        theirs, result = self.compare_case(world, case, seed)
        if isinstance(result, Finding) and b" now\n" in case.stream:
            # Perhaps the clock struck between the two.
            theirs, result = self.compare_case(world, case, seed)
        return theirs, result

    def compare_case(
        self, world: World, case: Case, seed: int
    ) -> tuple[Outcome, str | Finding | None]:
        """The same for a case that is at hand."""
        theirs, ours = self.run_both(world, case, seed)
        finding = Finding(seed, world, case, theirs, ours)
        if not finding.differences:
            return theirs, None
        if "traceback" in finding.differences:
            return theirs, finding
        return theirs, known_difference(case, theirs, ours, self.version) or finding

    def run_both(self, world: World, case: Case, seed: int = 1) -> tuple[Outcome, Outcome]:
        """What git did, and what we did."""
        theirs = run_git(self.git, case, world, self._git_place)
        ours = self._ours.run(case, world, seed)
        self.audit.take(world, self._our_place.repository)
        return theirs, ours


def show(finding: Finding) -> str:
    """Describe a finding for whoever is to look into it."""
    case, git, ours = finding.case, finding.git, finding.ours
    lines = [f"seed {finding.seed}: {', '.join(finding.differences)}"]
    lines.append(f"  world {finding.world.name}, {case.config} {case.options} {case.zone}")
    for name in finding.differences:
        lines += [f"  {line}"[:500] for line in _difference(name, git, ours)]
    lines.append(f"  git said: {git.stderr[-600:]!r}")
    lines.append(f"  we said:  {ours.stderr[-3000:]!r}")
    return "\n".join(lines)


def _difference(name: str, git: Outcome, ours: Outcome) -> Iterator[str]:
    one, other = getattr(git, name, None), getattr(ours, name, None)
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            if one.get(key) != other.get(key):
                shown = key.hex() if name == "packed" else repr(key)
                yield f"{name} {shown}: git {one.get(key)!r}, ours {other.get(key)!r}"
    elif isinstance(one, list | frozenset | set) and isinstance(other, list | frozenset | set):
        for whose, some in (("git", set(one) - set(other)), ("ours", set(other) - set(one))):
            shown = [oid.hex() if name == "objects" else oid for oid in sorted(some)]
            yield f"{name} only {whose}: {shown[:8]}"
    else:
        yield f"{name}: git {one!r}, ours {other!r}"
