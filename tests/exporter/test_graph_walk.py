"""Walks by a commit-graph: names and order as git's export has them, and files that are damaged."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from fastio.errors import FastioError, PackError
from fastio.exporter._commit_table import CommitTable
from fastio.exporter._native_walk import GraphWalk
from fastio.objects.kinds import Oid
from fastio.store.commit_graph import CommitGraph, open_commit_graph
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.exporter.histories import HistoryMaker
from tests.exporter.places import Builder
from tests.exporter.skeletons import gits_skeleton, our_skeleton
from tests.store.work import Work

LINES = ("--all", "--branches", "{}..{}", "^{} {} {}", "{}...{}", "--all ^{}~1")


@pytest.mark.parametrize("seed", range(100, 108))
def test_walk_is_that_of_gits_export(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    history = HistoryMaker(rng, algorithm="sha256" if seed % 4 == 3 else "sha1").make()
    history.grafts.clear()
    history.shallow.clear()
    builder = Builder("git", tmp_path)
    path = builder.build(history, tmp_path / "history", rng)
    # Some commits stay outside.
    some = b"".join(oid + b"\n" for oid in history.commits[: rng.choice((3, 10, 99))])
    command = ["git", "-C", str(path), "commit-graph", "write", "--stdin-commits"]
    subprocess.run(command, input=some, capture_output=True, check=False)
    names = sorted(
        os.fsdecode(name) for name, value in history.refs.items() if value in history.commits
    )
    for line in LINES:
        words = [word.replace("{}", rng.choice(names)) for word in line.split(" ")]
        known = [oid.decode() for oid in history.commits if rng.random() < 0.5]
        marked = rng.choice((None, known, exported(path, rng.choices(names, k=2))))
        expected = gits_skeleton("git", path, words, marked=marked)
        if not isinstance(expected, str):  # some of these histories are broken
            assert our_skeleton("git", path, words, marked=marked)[0] == expected[0], line


def exported(path: Path, names: list[str]) -> list[str] | None:
    """Return the commits of some refs, all of their parents among them; None if any is broken."""
    listed = subprocess.run(
        ["git", "-C", str(path), "rev-list", *names, "--"], capture_output=True, check=False
    )
    return None if listed.returncode else listed.stdout.decode().split()


@pytest.fixture
def work(tmp_path: Path) -> Work:
    made = Work(tmp_path / "work")
    commits = [made.commit(text="root")]
    for number in range(20):
        parents = commits[-1:] if number % 5 else commits[-3:]
        commits.append(made.commit(*dict.fromkeys(parents), text=f"{number}"))
    made("update-ref", "refs/heads/main", commits[-1])
    made("commit-graph", "write", "--reachable")
    return made


def test_whatever_the_file_holds_a_walk_ends_in_a_table_or_an_error(work: Work) -> None:
    repository = Repository.discover(os.fsencode(work.path))
    whole = (work.path / ".git/objects/info/commit-graph").read_bytes()
    tip = Oid(bytes.fromhex(work("rev-parse", "main")))
    rng = random.Random(1)
    errors = 0
    with ObjectStore(repository) as store:
        for _ in range(300):
            damaged = bytearray(whole)
            for _ in range(rng.randint(1, 3)):
                damaged[rng.randrange(len(damaged))] = rng.choice((0, 1, 0x70, 0x80, 0xFF))
            damaged = damaged[: rng.choice((len(damaged), rng.randrange(len(damaged))))]
            reader = ObjectReader(store, memory=1 << 20)
            try:
                table = CommitTable(reader, CommitGraph(bytes(damaged), 20))
                GraphWalk(table).run([(tip, False)], {tip: b"main"}, None)
            except FastioError:
                errors += 1
    assert errors > 100


@pytest.mark.parametrize(
    ("setting", "is_used"), [("core.commitGraph=false", False), ("core.commitGraph=true", True)]
)
def test_the_graph_is_used_as_configured(work: Work, setting: str, is_used: bool) -> None:
    name, _, value = setting.partition("=")
    work("config", name, value)
    graph = open_commit_graph(Repository.discover(os.fsencode(work.path)))
    assert (graph is not None) == is_used


def test_chains_and_other_generations_are_left_to_git(work: Work) -> None:
    work("config", "commitGraph.generationVersion", "1")
    with pytest.raises(PackError, match="corrected dates"):
        open_commit_graph(Repository.discover(os.fsencode(work.path)))
    work("config", "--unset", "commitGraph.generationVersion")
    work("commit-graph", "write", "--reachable", "--split")
    chain = work.path / ".git/objects/info/commit-graphs/commit-graph-chain"
    if chain.exists():
        with pytest.raises(PackError, match="chain"):
            open_commit_graph(Repository.discover(os.fsencode(work.path)))
