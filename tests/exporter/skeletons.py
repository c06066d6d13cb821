"""What an export is made of, without contents: which commits under which names, parents, resets.

A skeleton is drawn from git's stream and, to compare, from our plan.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from fastio.exporter.budget import Budget
from fastio.exporter.marks import MarkTable
from fastio.exporter.options import parse_options
from fastio.exporter.revisions import Plan, read_plan
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.differential.world import ENVIRONMENT

# Name, oid, whether there was a reset before it, and the parents that have marks.
Row = tuple[bytes, str, bool, list[str]]
# Commits, then refs and what they are reset to ("" for nothing).
Skeleton = tuple[list[Row], list[tuple[bytes, str]]]

_TAME = ("--no-data", "--show-original-ids", "--signed-tags=strip", "--reencode=no")
_DROP = ("--tag-of-filtered-object=drop",)


def mark_table(oids: Sequence[str], oid_size: int = 20) -> MarkTable:
    """Make a table of imported marks: a number for each oid."""
    marks = MarkTable(oid_size)
    for number, oid in enumerate(oids, 1):
        marks.set(bytes.fromhex(oid), number, True)
    return marks


def gits_skeleton(
    git: str,
    path: Path,
    words: Sequence[str],
    *,
    marked: Sequence[str] | None = None,
    text: bytes = b"",
    environment: Mapping[str, str] = ENVIRONMENT,
) -> Skeleton | str:
    """Draw the skeleton of git's export, or tell what it died of."""
    options = [*_TAME, *_DROP]
    if marked is not None:
        marks_file = path.parent / f"{path.name}.marks"
        marks_file.write_text("".join(f":{n} {oid}\n" for n, oid in enumerate(marked, 1)))
        options.append(f"--import-marks-if-exists={marks_file}")
    command = [git, "-C", str(path), "fast-export", *options, *words]
    done = subprocess.run(command, input=text, env=environment, capture_output=True, check=False)
    if done.returncode:
        return os.fsdecode(done.stderr)
    return _read_stream(done.stdout, dict(enumerate(marked or (), 1)))


def _read_stream(stream: bytes, oids: dict[int, str]) -> Skeleton:
    rows: list[Row] = []
    resets: list[tuple[bytes, str]] = []
    at = 0
    kind, name, parents, after_reset = b"", b"", list[str](), False
    while at < len(stream):
        end = stream.index(b"\n", at)
        word, _, rest = stream[at:end].partition(b" ")
        at = end + 1
        if word == b"data":
            at += int(rest)
        elif word in (b"commit", b"reset", b"tag"):
            kind, name = word, rest
            if word == b"reset":
                after_reset = True
        elif word == b"mark":
            number = int(rest[1:])
        elif word == b"original-oid" and kind == b"commit":
            oids[number] = rest.decode()
            parents = []
            rows.append((name, rest.decode(), after_reset, parents))
            after_reset = False
        elif word in (b"from", b"merge") and kind == b"commit":
            parents.append(oids[int(rest[1:])])
        elif word == b"from" and kind == b"reset":
            resets.append((name, oids[int(rest[1:])] if rest.startswith(b":") else ""))
            after_reset = False
    return rows, resets


def our_skeleton(
    git: str,
    path: Path,
    words: Sequence[str],
    *,
    marked: Sequence[str] | None = None,
    text: bytes = b"",
    environment: Mapping[str, str] = ENVIRONMENT,
) -> Skeleton:
    """Draw the skeleton of what we would export."""
    options, rest = parse_options(words)
    repository = Repository.discover(os.fsencode(path), environment, program=git)
    marks = mark_table(marked or (), repository.object_format.oid_size)
    with ObjectStore(repository) as store:
        plan = read_plan(
            repository,
            store,
            options,
            rest,
            budget=Budget(None, 0),
            read_marks=lambda: marks,
            stdin=lambda: text,
            warn=_ignore,
        )
        return skeleton_of(plan, marks)


def skeleton_of(plan: Plan, marks: MarkTable) -> Skeleton:
    """Draw the skeleton of a plan."""
    walk = plan.walk
    rows: list[Row] = []
    left = dict(plan.refs)
    for row in range(len(walk)):
        parents = [oid.hex() for oid, has_mark in walk.parents(row) if has_mark]
        rows.append((walk.name(row), walk.oid(row).hex(), walk.is_root(row), parents))
        left.pop(walk.name(row), None)
    resets: list[tuple[bytes, str]] = []
    for name, oid in sorted(left.items(), reverse=True):
        settled = plan.settle(oid)
        has_mark = settled is not None and (settled in walk or marks.find(settled))
        resets.append((name, settled.hex() if settled is not None and has_mark else ""))
    # Tags that are tags of tags have resets as well, which only tags know of.
    return rows, resets + [(name, "") for name in plan.deletions]


def _ignore(_text: str) -> None:
    pass
