"""Runs a real ``git fast-import`` and reads back the trees it made."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from fastio.objects.kinds import Oid

ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}


def run_git(directory: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "-C", str(directory), *arguments]
    done = subprocess.run(command, input=stdin, stdout=-1, stderr=-1, env=ENVIRONMENT, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


def import_trees(directory: Path, stream: bytes, commits: int) -> list[Oid]:
    """Import *stream*, whose commits have the marks from 1 up to *commits*; return their trees."""
    run_git(directory, "init", "--quiet", "--bare", "repository")
    repository = directory / "repository"
    marks = directory / "marks"
    run_git(repository, "fast-import", "--quiet", f"--export-marks={marks}", stdin=stream)
    oids = dict(line.split() for line in marks.read_bytes().splitlines())
    wanted = b"".join(b"%s^{tree}\n" % oids[b":%d" % mark] for mark in range(1, commits + 1))
    found = run_git(repository, "cat-file", "--batch-check=%(objectname)", stdin=wanted)
    return [Oid(bytes.fromhex(line.decode())) for line in found.splitlines()]
