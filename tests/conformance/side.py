"""Two programs that read the same language, git and ours, each with a repository of its own.

A test of this room is written once, with the outcome spelled out, and run with both: so what is
expected of ours is what git does. Ours runs in a forked process, which saves Python's start.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO

import pytest

import fastio.cli.import_
import fastio.importer.importer  # noqa: F401 - before forking, so that a run need not
from fastio.cli.main import main
from tests.importer.target import Done, Target, environment

TIME_LIMIT = 60  # seconds; what takes longer hangs, even on a machine that is busy
CONFIG = "[core]\n\tfsync = none\n[fastimport]\n\tunpackLimit = 0\n[gc]\n\tauto = 0\n"


class Side(Target):
    """A repository, and the program that imports into it.

    Args:
        program: ``git`` or ``fastio``.
        path: Where the repository is made.
        options: For ``git init``.
    """

    def __init__(self, program: str, path: Path, *options: str) -> None:
        self.program, self.path, self.is_git = program, path, program == "git"
        if self.is_git:
            self.command = ("git", "fast-import")
        command = ["git", "init", "-q", "-b", "main", "--template=", *options, str(path)]
        subprocess.run(command, check=True)
        self.git_dir = path if "--bare" in options else path / ".git"
        with open(self.git_dir / "config", "a") as file:
            file.write(CONFIG)

    def needs_git(self, *version: int) -> None:
        """Leave this test out with a git that is older, for it did something else then."""
        if self.is_git and git_version() < version:
            pytest.skip(f"git {'.'.join(map(str, version))} and later")

    # --- running --------------------------------------------------------------------------------

    def feed(
        self,
        stream: bytes,
        *words: str,
        config: Sequence[str] = (),
        cwd: Path | None = None,
        quiet: bool = True,
        **env: str,
    ) -> Done:
        """Import *stream*; *words* are options, *config* settings for this run only."""
        options = ["--quiet", *words] if quiet else [*words]
        ours = ["import", "--no-progress", *options]
        return self.do(["fast-import", *options], ours, text=stream, config=config, cwd=cwd, **env)

    def do(
        self,
        git: Sequence[str],
        ours: Sequence[str],
        *,
        text: bytes = b"",
        config: Sequence[str] = (),
        cwd: Path | None = None,
        **env: str,
    ) -> Done:
        """Run what git is told, or ours; *text* is the input, *config* for this run only."""
        settings = [word for setting in config for word in ("-c", setting)]
        cwd = cwd or self.path
        if self.is_git:
            return subprocess.run(
                ["git", *settings, *git], cwd=cwd, input=text, capture_output=True, check=False,
                env=environment(env), timeout=TIME_LIMIT,
            )  # fmt: skip

        def run() -> int:
            os.chdir(cwd)
            os.environ.update(env)
            return main([*settings, *ours])

        return in_child(text, run)


def in_child(stream: bytes, run: Callable[[], int]) -> Done:
    """Call *run* in a forked process with *stream* as its input; what it returns is its status."""
    with contextlib.ExitStack() as stack:
        files = [os.fdopen(os.memfd_create(name), "w+b", 0) for name in ("in", "out", "err")]
        for file in files:
            stack.enter_context(file)
        files[0].write(stream)
        for file in files:
            file.seek(0)
        child = os.fork()
        if child == 0:
            _become(files, run)
        _, status = os.waitpid(child, 0)
        output, errors = (os.pread(file.fileno(), 1 << 30, 0) for file in files[1:])
    return Done([], os.waitstatus_to_exitcode(status), output, errors)


def _become(files: Sequence[BinaryIO], run: Callable[[], int]) -> None:
    """Be a program of its own; does not return."""
    status = 77
    try:
        signal.alarm(TIME_LIMIT)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        for descriptor, file in enumerate(files):
            os.dup2(file.fileno(), descriptor)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(fd, mode) for fd, mode in enumerate(("r", "w", "w"))
        )
        status = run()
    except BaseException:  # noqa: BLE001 - never to be seen, so let it be seen
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


@cache
def git_version() -> tuple[int, ...]:
    """The numbers of the git that PATH finds."""
    said = subprocess.run(["git", "version"], capture_output=True, check=True).stdout.decode()
    return tuple(map(int, re.findall(r"[0-9]+", said)[:2]))
