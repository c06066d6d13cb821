"""What every comparison shares: options, running both sides, keeping what comes of it.

Each script has one JSON file in bench/out with all its cases, the latest of each name, and a table
of them; so cases can be measured in runs of their own, and `--skip-git` finds git's side of an
earlier run over the same input there.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from bench.measure import KILLED, Cost
from bench.pairs import NOTE, Pair, load, table
from bench.sides import OUT, Importer, Outcome, Stream, both_importers, machine, save


class Run(Protocol):
    """Runs one side once."""

    def __call__(self, *, watch_memory: bool) -> Cost:
        """Run it for its memory, or else for its time."""


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
