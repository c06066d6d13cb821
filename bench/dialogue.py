"""Lets frontends ask git and fastio the same questions, each answered before the next is sent.

Kinds of dialogue are those of `bench.frontends`. Every one is held with both importers in turn,
each on a fresh copy of one repository. The rate is that between the first answer and the last;
CPU time is that of the whole run, from start to exit. Questions are shared out evenly. The table
goes to stdout, the figures to bench/out/dialogue.json.

    python -m bench.dialogue                                     # 100,000 questions in all
    python -m bench.dialogue --questions 8000 --kind ls --git ~/git/bin/git
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.frontends import KINDS, Talk, prepare
from bench.sides import OUT, Importer, both_importers, machine


@dataclass(frozen=True)
class Dialogue:
    """How one dialogue with one importer went."""

    questions: int
    seconds: float
    """From the first answer to the last."""
    wall: float
    """From start to exit."""
    cpu: float
    status: int
    stderr: str
    answers: int
    """Checksum of all answers."""
    refs: str


def hold(
    importer: Importer, kind: str, questions: int, repository: Path, oids: list[bytes]
) -> Dialogue:
    """Hold a dialogue of *kind* with *importer* in *repository*, whose blobs are *oids*."""
    start, spent = time.perf_counter(), cpu_of_children()
    talk = Talk([*importer.program, "-C", str(repository), *importer.arguments, "--quiet"])
    try:
        KINDS[kind](talk, questions, oids)
    finally:
        status, stderr = talk.end()
    wall, cpu = time.perf_counter() - start, cpu_of_children() - spent
    refs = subprocess.check_output([importer.git, "-C", repository, "for-each-ref"], text=True)
    seconds = talk.last - talk.first
    return Dialogue(talk.questions, seconds, wall, cpu, status, stderr, talk.checksum, refs)


def cpu_of_children() -> float:
    """Return the CPU time of all processes that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def differences(git: Dialogue, fastio: Dialogue) -> list[str]:
    """Say in words in what two dialogues differ, nothing when they are the same."""
    found = []
    if git.status or fastio.status:
        found.append(
            f"status: git {git.status} {git.stderr}, fastio {fastio.status} {fastio.stderr}"
        )
    if (git.answers, git.questions) != (fastio.answers, fastio.questions):
        found.append("answers differ")
    if git.refs != fastio.refs:
        found.append("refs differ")
    return found


def compare(
    kind: str, options: argparse.Namespace, origin: Path, oids: list[bytes]
) -> dict[str, Dialogue]:
    """Hold the same dialogue with both, the fastest of several times counts."""
    best: dict[str, Dialogue] = {}
    for _ in range(options.repeat):
        for name, importer in both_importers(options.git, options.fastio_option).items():
            repository = origin.with_name(f"{name}.git")
            shutil.copytree(origin, repository)
            held = hold(importer, kind, options.share, repository, oids)
            shutil.rmtree(repository)
            if name not in best or held.seconds < best[name].seconds:
                best[name] = held
    return best


def print_row(what: str, git: list[Dialogue], fastio: list[Dialogue]) -> None:
    """Print rates and CPU times of dialogues of both sides, taken together."""
    (their_rate, theirs), (our_rate, ours) = (
        (asked / sum(one.seconds for one in held), sum(one.cpu for one in held) / asked * 1e6)
        for held in (git, fastio)
        for asked in [sum(one.questions for one in held)]
    )
    rates = f"{their_rate:>6.0f} | {our_rate:>6.0f} | {our_rate / their_rate:>13.2f}"
    print(f"| {what:<26} | {rates} | {theirs:>6.1f} | {ours:>8.1f} |", flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench.dialogue", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--questions", type=int, default=100_000, help="how many in all")
    add("--kind", action="append", default=[], help="only kinds with this in their name")
    add("--git", default="git", metavar="PATH", help="the git to compare with")
    add("--repeat", type=int, default=1, metavar="N", help="hold each N times, the fastest counts")
    add("--fastio-option", action="append", default=[], metavar="=--NAME=VALUE")
    options = parser.parse_args()
    options.kinds = [
        kind for kind in KINDS if not options.kind or any(part in kind for part in options.kind)
    ]
    options.share = options.questions // max(1, len(options.kinds))
    return options


def main() -> int:
    """Print the table; exit status 1 when answers or refs differ."""
    options = parse_arguments()
    work = OUT / "dialogue"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    oids = prepare(options.git, work / "origin.git")
    wrong, saved = list[str](), {}
    print(f"| {'questions a second':<26} |    git | fastio | part of git's | CPU us | fastio's |")
    print(f"|{'-' * 28}|{'-' * 7}:|{'-' * 7}:|{'-' * 14}:|{'-' * 7}:|{'-' * 9}:|")
    for kind in options.kinds:
        saved[kind] = held = compare(kind, options, work / "origin.git", oids)
        print_row(kind, [held["git"]], [held["fastio"]])
        wrong += [f"{kind}: {text}" for text in differences(held["git"], held["fastio"])]
    asked = f"all {options.share * len(options.kinds):,}"
    print_row(asked, *([held[name] for held in saved.values()] for name in ("git", "fastio")))
    everything = {"machine": machine(options.git), "kinds": saved}
    (OUT / "dialogue.json").write_text(json.dumps(everything, indent=1, default=asdict) + "\n")
    shutil.rmtree(work)
    print("\n".join(wrong) or "\nsame answers, same refs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
