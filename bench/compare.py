"""Imports one stream with `git fast-import` and with `fastio import`, and compares everything.

Both run one after the other, into fresh empty bare repositories, on the same machine and disk.
Compared are exit status, every ref, every object, and what `git fsck` says; measured are wall and
CPU time, the peak memory of all processes together, and the size of the packs. The table goes to
stdout, all figures to bench/out/compare-NAME.json.

    python -m bench.compare                  # the generated history of 300 MB
    python -m bench.compare dump.fe.lz4 --git ~/git/bin/git --repeat 3
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from bench.generate import parse_size, text_history
from bench.measure import Cost
from bench.sides import OUT, Outcome, Stream, both_importers, differences, machine

MIB = 1 << 20


def generated_history(size: int, seed: int) -> Path:
    """Return the generated stream, made now if it is not there yet."""
    version = "{}.{}.{}".format(*sys.version_info)
    path = OUT / f"history-{size}-{seed}-py{version}.fe"
    if not path.exists():
        print(f"generating {path}", file=sys.stderr)
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as out:
            text_history(out, size=size, seed=seed)
        unfinished.rename(path)
    return path


def compare(stream: Stream, options: argparse.Namespace) -> dict[str, Outcome]:
    """Run what *options* ask for and return each side's outcome."""
    importers = both_importers(options.git, options.fastio_option)
    outcomes = {}
    if options.skip_git:
        outcomes["git"] = saved_outcome(stream)
        del importers["git"]
    repositories = {name: options.work / f"{name}.git" for name in importers}
    costs: dict[str, list[Cost]] = {name: [] for name in importers}
    for _ in range(options.repeat):  # in turn, so that a busy moment does not meet only one side
        for name, importer in importers.items():
            print(f"importing with {name}", file=sys.stderr)
            costs[name].append(importer.fill(repositories[name], stream, through_pipe=options.pipe))
    for name, importer in importers.items():
        print(f"reading back what {name} made", file=sys.stderr)
        outcomes[name] = importer.inspect(repositories[name], costs[name], fsck=not options.no_fsck)
    return outcomes


def result_file(stream: Stream) -> Path:
    """Return where the figures of a stream are kept."""
    return OUT / f"compare-{stream.path.name}.json"


def saved_outcome(stream: Stream) -> Outcome:
    """Return git's side of an earlier run over the same stream."""
    saved = json.loads(result_file(stream).read_text())
    if saved["stream"] != stream.describe():
        sys.exit(f"{result_file(stream)} is about another stream of that name")
    return Outcome.from_dict(saved["outcomes"]["git"])


def rows(git: Outcome, fastio: Outcome) -> list[tuple[str, float, float, str]]:
    """Return the table: what, git's figure, ours, and how many times less ours is."""
    ours, theirs = fastio.best, git.best
    measured = [
        ("wall time, s", theirs.wall, ours.wall),
        ("CPU time, s", theirs.cpu, ours.cpu),
        ("peak memory, MiB", theirs.peak_memory / MIB, ours.peak_memory / MIB),
        ("pack size, MiB", git.pack_size / MIB, fastio.pack_size / MIB),
    ]
    return [
        (what, one, other, f"{one / other:.2f}" if other else "-") for what, one, other in measured
    ]


def print_table(stream: Stream, git: Outcome, fastio: Outcome) -> None:
    """Print the comparison as a Markdown table."""
    size = stream.path.stat().st_size / MIB
    print(f"\n{stream.path.name}: {size:.0f} MiB, {git.objects} objects, {len(git.refs)} refs\n")
    print(f"| {'':<16} | {'git':>9} | {'fastio':>9} | {'times less':>10} |")
    print(f"|{'-' * 18}|{'-' * 10}:|{'-' * 10}:|{'-' * 11}:|")
    for what, one, other, ratio in rows(git, fastio):
        print(f"| {what:<16} | {one:>9.2f} | {other:>9.2f} | {ratio:>10} |")
    print()


def save(stream: Stream, outcomes: dict[str, Outcome], git: str) -> None:
    """Write every figure to the stream's JSON file."""
    everything = {
        "stream": stream.describe(),
        "machine": machine(git),
        "outcomes": {name: outcome.as_dict() for name, outcome in outcomes.items()},
    }
    result_file(stream).write_text(json.dumps(everything, indent=1) + "\n")


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench.compare", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("stream", nargs="?", type=Path, help="plain or .lz4; default: a generated history")
    add("--size", type=parse_size, default="300M", help="size of the generated history")
    add("--seed", type=int, default=1, help="seed of the generated history")
    add("--git", default="git", metavar="PATH", help="the git to compare with and to check with")
    add("--repeat", type=int, default=1, metavar="N", help="run each N times, report the fastest")
    add("--pipe", action="store_true", help="feed both through a pipe instead of from a file")
    add("--skip-git", action="store_true", help="take git's side from the last saved figures")
    add("--no-fsck", action="store_true", help="do not run git fsck over both repositories")
    add("--keep", action="store_true", help="leave both repositories in the work directory")
    add("--work", type=Path, default=OUT / "work", metavar="DIR", help="where repositories go")
    add(
        "--fastio-option",
        action="append",
        default=[],
        metavar="=--NAME=VALUE",
        help="an option for fastio import, as --fastio-option=--workers=4; may be repeated",
    )
    return parser.parse_args()


def main() -> int:
    """Compare, print, save; exit status 1 when the repositories differ."""
    options = parse_arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    OUT.mkdir(exist_ok=True)
    stream = Stream(options.stream or generated_history(options.size, options.seed))
    outcomes = compare(stream, options)
    save(stream, outcomes, options.git)
    print_table(stream, outcomes["git"], outcomes["fastio"])
    found = differences(outcomes["git"], outcomes["fastio"])
    same = "same exit status, same refs, same objects"
    print("\n".join(found) or same + ("" if options.no_fsck else ", same fsck result"))
    if not options.keep:
        shutil.rmtree(options.work)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
