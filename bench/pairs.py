"""Pairs: one case each, with what both sides made of it, and the table of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bench.sides import OUT, Outcome, differences

MIB = 1 << 20
# Of each: what it is, and its value by an outcome. Wall time has its ratio beside it.
MEASURED: dict[str, Callable[[Outcome], float]] = {
    "s": lambda outcome: outcome.best.wall,
    "CPU, s": lambda outcome: outcome.best.cpu,
    "memory, MiB": lambda outcome: outcome.peak_memory / MIB,
    "packs, MiB": lambda outcome: outcome.pack_size / MIB,
}
NOTE = "Memory is that of a run of its own, which is not timed."


@dataclass
class Pair:
    """One case: what both sides made of the same input.

    Attributes:
        case: Its name, in the table and in the file.
        input: What tells the input from another one.
        git: None where git was not asked.
        fastio: Our side.
        figures: What a script measures besides, by name.
        size: How much there is of what grows, for a plot; 0 where nothing does.
    """

    case: str
    input: dict[str, object]
    git: Outcome | None
    fastio: Outcome
    figures: dict[str, float] = field(default_factory=dict)
    size: int = 0

    @property
    def differences(self) -> list[str]:
        """What the two sides differ in, in words."""
        if self.git is None or self.git.gave_up:
            return []
        return [f"{self.case}: {found}" for found in differences(self.git, self.fastio)]

    def as_dict(self) -> dict[str, object]:
        """Return everything, for a JSON file."""
        git = None if self.git is None else self.git.as_dict()
        return vars(self) | {"git": git, "fastio": self.fastio.as_dict()}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Pair:
        """Take up what `as_dict` gave."""
        git = saved["git"] and Outcome.from_dict(saved["git"])
        return cls(**saved | {"git": git, "fastio": Outcome.from_dict(saved["fastio"])})

    @property
    def result(self) -> str:
        """Whether both are the same, in a word or two."""
        if self.git is None or self.git.gave_up:
            return "not compared"
        return "DIFFERS" if self.differences else "same"

    def cells(self) -> list[str]:
        """Return the line of the table."""
        line = [self.case]
        for what, value in MEASURED.items():
            ours, theirs = value(self.fastio), 0.0 if self.git is None else value(self.git)
            more = "> " if self.git and self.git.gave_up else ""  # nobody knows how much
            line += [f"{more}{theirs:.1f}" if theirs else "-", f"{ours:.1f}" if ours else "-"]
            if what == "s":
                line[1:] = [f"{more}{theirs:.2f}" if theirs else "-", f"{ours:.2f}"]
                line.append(f"{more}{theirs / ours:.2f}" if theirs else "-")
        return line


def table(pairs: list[Pair]) -> list[str]:
    """Return pairs as a Markdown table; figures that any of them has get columns of their own."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair.figures))
    heads = ["", "git, s", "fastio, s", "times less"]
    heads += [f"{side}, {what}" for what in list(MEASURED)[1:] for side in ("git", "fastio")]
    lines = [[*heads, *names, "result"], ["---", *["--:"] * (len(heads) + len(names) - 1), "---"]]
    for pair in pairs:
        figures = [f"{pair.figures[name]:.2f}" if name in pair.figures else "" for name in names]
        lines.append([*pair.cells(), *figures, pair.result])
    return [f"| {' | '.join(line)} |" for line in lines]


def load(name: str) -> dict[str, Any]:
    """Return what is saved of a script: machine by case, and cases by name."""
    path = OUT / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {"machines": {}, "cases": {}}
