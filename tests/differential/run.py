"""Give one case to git and to us, and tell what each of them did."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path

import fastio.cli.import_  # noqa: F401 - before forking, so that a run need not
from tests.differential.generate import Case
from tests.differential.world import ENVIRONMENT, World

# Nothing here takes a second: what takes longer hangs.
TIME_LIMIT = 10


@dataclass(slots=True)
class Outcome:
    """What a run left behind; ``stderr`` is for people and not compared."""

    status: int
    refs: dict[bytes, bytes]
    objects: list[bytes]
    contents: bytes
    stdout: bytes
    marks: bytes | None
    left_over: list[str]
    stderr: bytes = field(default=b"", compare=False)

    def differences(self, other: Outcome) -> list[str]:
        """Name the fields in which *other* is not the same."""
        names = [one.name for one in fields(self) if one.compare]
        return [name for name in names if getattr(self, name) != getattr(other, name)]


def run_git(git: str, case: Case, world: World, place: Path) -> Outcome:
    """Run the real ``git fast-import`` in a copy of *world*."""
    command = [git, *_settings(case), "fast-import", "--quiet", *_options(case)]
    status, stdout, stderr = _in_copy(
        case, world, place, lambda: os.execvpe(git, command, ENVIRONMENT)
    )
    return _outcome(git, place, status, stdout, stderr)


def run_ours(git: str, case: Case, world: World, place: Path, *, seed: int) -> Outcome:
    """Run ours in a forked process; *seed* decides how the input comes and how memory is cut."""
    rng = random.Random(seed)

    def run() -> None:
        from fastio.cli.main import main  # noqa: PLC0415

        os.environ.clear()
        os.environ.update(ENVIRONMENT, PATH=f"{os.path.dirname(git)}:{ENVIRONMENT['PATH']}")
        workers = _strain(rng, len(case.stream))
        words = ["import", "--no-progress", f"--workers={workers}", "--quiet", *_options(case)]
        status = main([*_settings(case), *words])
        sys.stderr.flush()
        os._exit(status)

    status, stdout, stderr = _in_copy(case, world, place, run)
    return _outcome(git, place, status, stdout, stderr)


def _strain(rng: random.Random, size: int) -> int:
    """Make reads short, memory scarce or workers busy now and then; returns how many workers."""
    from fastio.importer import budget, encoder, source  # noqa: PLC0415

    if rng.random() < 0.3:
        read_into, piece = source.Source.read_into, rng.choice((1, 7, 64)) + size // 5000
        source.Source.read_into = lambda self, buffer: read_into(self, buffer[:piece])
    if rng.random() < 0.3:
        make, hold = budget.Budget.__init__, rng.choice((0, 1, 50))

        def scarce(self: budget.Budget, memory: int | None) -> None:
            make(self, memory)
            self.hold, self.hold_count, self.bases = 20 * hold, hold, 3000 * hold
            self.trees, self.in_flight = 200 * hold, 2000

        budget.Budget.__init__ = scarce
    if rng.random() < 0.03:
        encoder.POOL_PAYS_TASKS = 0
        return 2
    return 0


def _settings(case: Case) -> list[str]:
    return [word for setting in case.config for word in ("-c", setting)]


def _options(case: Case) -> list[str]:
    marks = ["--import-marks=../in"] if case.imported_marks else []
    return [*marks, "--export-marks=../out", *case.options]


def _in_copy(
    case: Case, world: World, place: Path, run: Callable[[], None]
) -> tuple[int, bytes, bytes]:
    """Call *run* in a child process that stands in a copy of the world; it must not return."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    world.copy(place / "repository")
    (place / "stream").write_bytes(case.stream)
    (place / "in").write_bytes(case.imported_marks)
    child = os.fork()
    if child == 0:
        _redirect(place)
        os.chdir(place / "repository")
        signal.alarm(TIME_LIMIT)
        try:
            run()
        except BaseException:  # noqa: BLE001 - it is what we look for
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(77)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code, (place / "stdout").read_bytes(), (place / "stderr").read_bytes()


def _redirect(place: Path) -> None:
    """Give the child files of its own for stdin, stdout and stderr."""
    for fd, name in enumerate(("stream", "stdout", "stderr")):
        os.dup2(os.open(place / name, (os.O_WRONLY if fd else os.O_RDONLY) | os.O_CREAT, 0o600), fd)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")


def _outcome(git: str, place: Path, status: int, stdout: bytes, stderr: bytes) -> Outcome:
    repository = place / "repository"
    listing = subprocess.run(
        [git, "-C", str(repository), "cat-file", "--batch-all-objects", "--batch"],
        env=ENVIRONMENT,
        capture_output=True,
    )
    marks = place / "out"
    return Outcome(
        status,
        _refs(repository),
        _object_names(listing.stdout),
        listing.stdout + listing.stderr,
        stdout,
        marks.read_bytes() if marks.exists() else None,
        _left_over(repository),
        stderr,
    )


def _object_names(listing: bytes) -> list[bytes]:
    """The header lines of a ``cat-file --batch`` listing."""
    names, at = [], 0
    while at < len(listing):
        end = listing.index(b"\n", at)
        header = listing[at:end]
        names.append(header)
        at = (
            end + 1 + (int(header.rsplit(b" ", 1)[1]) + 1 if not header.endswith(b"missing") else 0)
        )
    return names


def _refs(repository: Path) -> dict[bytes, bytes]:
    found = {}
    for path in [*repository.glob("refs/**/*"), *repository.glob("[A-Z]*")]:
        if path.is_file():
            found[os.fsencode(path.relative_to(repository))] = path.read_bytes()
    return found


def _left_over(repository: Path) -> list[str]:
    """What should not stay: temporary files, locks, keep files; and whether there is a report."""
    names = []
    for path in repository.rglob("*"):
        name = path.name
        if name.startswith("fast_import_crash_"):
            names.append("crash report")
        elif name.startswith("tmp_") or name.endswith((".lock", ".keep")):
            names.append(str(path.relative_to(repository)).split("_")[0])
    return sorted(names)
