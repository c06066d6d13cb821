"""Run ours in a forked process, which saves Python's start."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from fastio.cli.main import main
from tests.conformance.side import in_child


def run_ours(
    repository: Path,
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    text: bytes = b"",
    command: Sequence[str] = ("export", "--no-progress"),
) -> tuple[int, bytes, bytes]:
    """Run a command in a repository; returns its status, its output and what it said."""

    def run() -> int:
        os.chdir(repository)
        os.environ.clear()
        os.environ.update(environment)
        return main([*command, *words])

    done = in_child(text, run)
    return done.returncode, done.stdout, done.stderr
