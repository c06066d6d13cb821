"""What every comparison shares: options, running both sides, the table, the figures as JSON.

A *pair* is one case with both sides' outcomes. Each script has one JSON file in bench/out with all
its cases, the latest of each name, and a table of them; so cases can be measured in runs of their
own, and `--skip-git` finds git's side of an earlier run over the same input there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from bench.measure import KILLED, Cost
from bench.sides import OUT, Importer, Outcome, Stream, both_importers, differences, machine, save

MIB = 1 << 20
# Of each: what it is, and its value by an outcome. Wall time has its ratio beside it.
MEASURED: dict[str, Callable[[Outcome], float]] = {
    "s": lambda outcome: outcome.best.wall,
    "CPU, s": lambda outcome: outcome.best.cpu,
    "memory, MiB": lambda outcome: outcome.peak_memory / MIB,
    "packs, MiB": lambda outcome: outcome.pack_size / MIB,
}
NOTE = "Memory is that of a run of its own, which is not timed."


class Run(Protocol):
    """Runs one side once."""

    def __call__(self, *, watch_memory: bool) -> Cost:
        """Run it for its memory, or else for its time."""


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


class Bench:
    """One script's run: what the command line asked for, and what was measured.

    Args:
        name: Of the script, and of its file in bench/out.
        text: Its docstring.
        words: The command line, if not that of the process.
        add_arguments: Adds what only this script knows.
    """

    def __init__(
        self,
        name: str,
        text: str | None,
        words: list[str] | None = None,
        add_arguments: Callable[[argparse.ArgumentParser], None] = lambda _parser: None,
    ) -> None:
        self.name, self.pairs = name, list[Pair]()
        title = (text or name).splitlines()[0]
        parser = argparse.ArgumentParser(prog=f"bench.{name}", description=title)
        add_arguments(parser)
        add_common_arguments(parser)
        self.options = parser.parse_args(words)
        self.work: Path = self.options.work / name
        self.work.mkdir(parents=True, exist_ok=True)
        self._saved = load(name)
        print(f"\n## {title}\n", flush=True)

    @property
    def importers(self) -> dict[str, Importer]:
        """Both sides, in the order in which they run."""
        return both_importers(self.options.git, self.options.fastio_option)

    def repository(self, side: str) -> Path:
        """Return where the repository of a side is made."""
        return self.work / f"{side}.git"

    def import_both(
        self,
        case: str,
        stream: Stream,
        *,
        prepare: Callable[[Path], None] = lambda _repository: None,
        words: Sequence[str] = (),
        time_limit: float | None = None,
        with_git: bool = True,
        size: int = 0,
    ) -> Pair:
        """Import *stream* with both sides and keep the pair.

        Args:
            case: The pair's name.
            stream: What to import.
            prepare: Gets every new repository before the import.
            words: Options of `fast-import` for both sides.
            time_limit: Seconds that git has.
            with_git: Whether git runs at all; if not, an earlier result counts.
            size: How much there is of what grows.
        """
        described, importers = stream.describe(), self.importers
        if self.options.skip_git or not with_git:
            del importers["git"]
        runs: dict[str, Run] = {
            side: partial(
                importer.fill,
                self.repository(side),
                stream,
                words=words,
                through_pipe=self.options.pipe,
                prepare=prepare,
                time_limit=time_limit if side == "git" else None,
            )
            for side, importer in importers.items()
        }
        outcomes = self.run_in_turn(case, runs)
        for side, importer in importers.items():
            importer.inspect(self.repository(side), outcomes[side], fsck=not self.options.no_fsck)
        git = outcomes.get("git") or (self.saved_git(case, described) if with_git else None)
        return self.keep(Pair(case, described, git, outcomes["fastio"], size=size))

    def run_in_turn(self, case: str, runs: Mapping[str, Run]) -> dict[str, Outcome]:
        """Run each side once for its memory, if that is wanted, then as often as it is to be timed.

        Args:
            case: What is run, for whoever waits.
            runs: What runs a side, by its name. They take turns, so that all meet the busy moments.
        """
        outcomes = {side: Outcome([]) for side in runs}
        timed = [False] * self.options.repeat
        for watch_memory in timed if self.options.no_memory else [True, *timed]:
            for side, run_once in runs.items():
                outcome = outcomes[side]
                if outcome.gave_up:  # it would once more
                    continue
                print(f"{case}: {side}{', its memory' * watch_memory}", file=sys.stderr)
                cost = run_once(watch_memory=watch_memory)
                if watch_memory and cost.status != KILLED:
                    outcome.watched = cost
                else:
                    outcome.costs.append(cost)
        return outcomes

    def saved_git(self, case: str, described: dict[str, object]) -> Outcome | None:
        """Return git's side of an earlier run over the same input, if there is one."""
        pair = self._saved["cases"].get(case)
        if pair is None or pair["input"] != described:
            return None
        return pair["git"] and Outcome.from_dict(pair["git"])

    def keep(self, pair: Pair) -> Pair:
        """Take a pair into the table."""
        self.pairs.append(pair)
        self._save()
        return pair

    def _save(self) -> None:
        for pair in self.pairs:
            self._saved["machines"][pair.case] = machine(self.options.git)
            self._saved["cases"][pair.case] = pair.as_dict()
        pairs = [Pair.from_dict(pair) for pair in self._saved["cases"].values()]
        save(self.name, [*table(pairs), "", NOTE], self._saved)

    def finish(self) -> int:
        """Print the table and what differs, and tidy up; returns the exit status."""
        self._save()
        found = [line for pair in self.pairs for line in pair.differences]
        print("\n".join([*table(self.pairs), "", NOTE]))
        print("\n".join(found) or "\nthe same wherever both were compared")
        if not self.options.keep:
            shutil.rmtree(self.work)
        return 1 if found else 0


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that every comparison knows."""
    add = parser.add_argument
    add("--git", default="git", metavar="PATH", help="the git to compare with and to check with")
    add("--repeat", type=int, default=1, metavar="N", help="time each N times, report the fastest")
    add("--no-memory", action="store_true", help="leave out the run that tells how much memory")
    add("--pipe", action="store_true", help="feed both through a pipe instead of from a file")
    add("--skip-git", action="store_true", help="take git's side from the last saved figures")
    add("--no-fsck", action="store_true", help="do not run git fsck over both repositories")
    add("--keep", action="store_true", help="leave what was made in the work directory")
    add("--work", type=Path, default=OUT / "work", metavar="DIR", help="where repositories go")
    add(
        "--fastio-option",
        action="append",
        default=[],
        metavar="=--NAME=VALUE",
        help="an option for fastio import, as --fastio-option=--workers=4; may be repeated",
    )
