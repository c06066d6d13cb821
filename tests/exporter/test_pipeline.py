"""A stream is the same whoever made it, and however little room there was."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from fastio.errors import WorkerError
from fastio.exporter import blob_jobs, budget, commit_jobs
from fastio.exporter.exporter import Exporter
from fastio.exporter.pipeline import Pipeline
from tests.exporter.packed_history import export, git_stream, make_history, start_workers_at_once


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "history.git"
    make_history(path, large=3000)
    return path


@pytest.mark.parametrize("words", [(), ("--no-data",), ("--show-original-ids", "--progress=7")])
@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_any_number_of_workers_gives_the_stream_of_git(
    history: Path, monkeypatch: pytest.MonkeyPatch, workers: int, words: tuple[str, ...]
) -> None:
    start_workers_at_once(monkeypatch)
    stream = export(history, "--all", f"--workers={workers}", *words)
    assert stream == git_stream(history, "--all", *words)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("segment", [400, 2000, 5000])
def test_little_room_gives_the_same_stream(
    history: Path, monkeypatch: pytest.MonkeyPatch, workers: int, segment: int
) -> None:
    start_workers_at_once(monkeypatch)
    monkeypatch.setattr(budget, "LARGEST_ARENA", max(4096, 6 * segment * workers))
    monkeypatch.setattr(budget, "SMALLEST_SEGMENT", segment)
    monkeypatch.setattr(budget, "LARGEST_SEGMENT", segment)
    monkeypatch.setattr(commit_jobs, "LONGEST_RUN", 32)
    stream = export(history, "--all", f"--workers={workers}")
    assert stream == git_stream(history, "--all")


def test_a_lack_of_memory_is_told(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LARGEST_ARENA", 1 << 62)
    with pytest.raises(WorkerError, match="cannot reserve"):
        export(history, "--all", "--memory=1000000000g")


def test_killed_workers_cost_no_byte(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_workers_at_once(monkeypatch)
    monkeypatch.setattr(commit_jobs, "LONGEST_RUN", 4)
    monkeypatch.setattr(blob_jobs, "LONGEST_JOB", 4)
    rng, killed = random.Random(1), [0]  # how much was written at each time

    def kill(exporter: Exporter, pipeline: Pipeline) -> None:
        # Not before there was progress: who dies of the same job three times has given it up.
        if exporter.workers and len(killed) < 6 and pipeline.written > killed[-1] + 50_000:
            killed.append(pipeline.written)
            os.kill(rng.choice(exporter.workers), signal.SIGKILL)

    stream = export(history, "--all", "--workers=2", look=kill)
    assert stream == git_stream(history, "--all")
    assert len(killed) == 6
