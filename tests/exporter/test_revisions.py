"""Which commits are exported, under which names, in which order: as git's own export says."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.exporter.histories import HistoryMaker
from tests.exporter.places import Builder
from tests.exporter.skeletons import gits_skeleton, our_skeleton

# Revisions and options of the walk; {} are branches or tags of the history.
LINES = (
    "--all",
    "--branches",
    "--tags --branches=m*",
    "{}",
    "{} ^{}",
    "{}..{}",
    "{}...{}",
    "--left-only {}...{}",
    "^{}^@ {}",
    "{}~1 {}^0",
    "--exclude=refs/heads/m* --glob=heads",
    "--not {} --not --all",
    "--all --first-parent",
    "--all --date-order",
    "--all -n 4",
    "--all --skip=2 --no-merges",
    "--boundary {}..{}",
    "--no-walk {} {}",
    "--all -- -- a",
    "{} ^{} -- -- a d",
    "--all --full-history -- -- a",
    "--all --sparse -- -- d",
    "--all --simplify-merges -- -- a b",
    "--all --first-parent -- -- d",
)


@pytest.mark.parametrize("seed", range(12))
def test_walk_is_that_of_gits_export(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    history = HistoryMaker(rng, algorithm="sha256" if seed % 6 == 5 else "sha1").make()
    path = Builder("git", tmp_path).build(history, tmp_path / "history", rng)
    names = sorted(
        os.fsdecode(name) for name, value in history.refs.items() if value in history.commits
    )
    for line in rng.sample(LINES, 6):
        words = [word.replace("{}", rng.choice(names)) for word in line.split(" ")]
        commits = [oid.decode() for oid in history.commits]
        known = [oid for oid in commits if rng.random() < 0.5]
        marked = rng.choice((None, None, known, commits[: rng.randrange(len(commits))]))
        expected = gits_skeleton("git", path, words, marked=marked)
        if isinstance(expected, str):
            continue  # some of these histories are broken
        ours = our_skeleton("git", path, words, marked=marked)
        assert ours[0] == expected[0], line
        # What is left is of tags that are tags of tags, which a plan does not tell.
        assert set(ours[1]) <= set(expected[1]), line
        assert {name for name, oid in set(expected[1]) - set(ours[1]) if oid} == set(), line
