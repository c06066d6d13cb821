"""The two importers side by side: each fills a fresh bare repository, then both are compared."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.measure import KILLED, Cost, run

LZ4_MAGIC = bytes.fromhex("04224d18")
ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "bench" / "out"
UNPACK = (
    "import shutil, sys, lz4.frame;"
    "shutil.copyfileobj(lz4.frame.open(sys.argv[1]), sys.stdout.buffer, 1 << 20)"
)
# -C changes what the empty entry of the path means.
START = f"import sys; sys.path[0] = {str(ROOT)!r}; from fastio.cli.main import program; program()"


def fastio_command() -> list[str]:
    """Return the installed `fastio` beside this Python, or the checkout's own start of it."""
    installed = Path(sys.executable).with_name("fastio")
    return [str(installed)] if installed.exists() else [sys.executable, "-c", START]


@dataclass(frozen=True)
class Stream:
    """A stream file, plain or in an LZ4 frame."""

    path: Path

    @property
    def is_compressed(self) -> bool:
        """Whether the file is an LZ4 frame."""
        with self.path.open("rb") as file:
            return file.read(4) == LZ4_MAGIC

    def describe(self) -> dict[str, object]:
        """Return what tells this stream from others without reading all of it."""
        size, ends = self.path.stat().st_size, hashlib.sha256()
        with self.path.open("rb") as file:
            ends.update(file.read(1 << 20))
            file.seek(max(0, size - (1 << 20)))
            ends.update(file.read())
        return {"name": self.path.name, "size": size, "sha256_of_both_ends": ends.hexdigest()}

    def feeder(self, *, through_pipe: bool) -> subprocess.Popen[bytes] | None:
        """Start a process that writes the plain stream to a pipe, or none where a file will do."""
        if self.is_compressed:
            command = [sys.executable, "-c", UNPACK, str(self.path)]
        elif through_pipe:
            command = ["cat", str(self.path)]
        else:
            return None
        return subprocess.Popen(command, stdout=subprocess.PIPE)


@dataclass
class Outcome:
    """What an importer made of a stream, and what it cost.

    Attributes:
        costs: Of the runs that were timed.
        watched: Of the one whose memory was watched, which is none of those; None if none was.
    """

    costs: list[Cost]
    watched: Cost | None = None
    refs: int = 0
    refs_digest: str = ""
    objects: int = 0
    objects_digest: str = ""
    pack_size: int = 0
    fsck: str | None = None

    @property
    def best(self) -> Cost:
        """The run with the shortest wall time."""
        return min(self.costs, key=lambda cost: cost.wall)

    @property
    def gave_up(self) -> bool:
        """Whether every run was ended by its time limit."""
        return bool(self.costs) and all(cost.status == KILLED for cost in self.costs)

    @property
    def peak_memory(self) -> int:
        """Bytes of all processes together, 0 where that is not known."""
        return 0 if self.watched is None else self.watched.peak_memory

    def as_dict(self) -> dict[str, object]:
        """Return everything that can be compared later, for a JSON file."""
        watched = None if self.watched is None else self.watched.as_dict()
        return vars(self) | {"costs": [cost.as_dict() for cost in self.costs], "watched": watched}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Outcome:
        """Take up what `as_dict` gave."""
        costs = [Cost.from_dict(cost) for cost in saved["costs"]]
        watched = saved.get("watched") and Cost.from_dict(saved["watched"])
        return cls(**saved | {"costs": costs, "watched": watched})


@dataclass(frozen=True)
class Importer:
    """One of the two sides."""

    program: list[str]
    arguments: list[str]
    git: str
    """The git that makes the repository and says what is in it."""
    reads_files: bool
    """Whether a stream's file name may be given as an argument, LZ4 or not."""

    def fill(
        self,
        repository: Path,
        stream: Stream,
        *,
        words: Sequence[str] = (),
        through_pipe: bool = False,
        prepare: Callable[[Path], None] = lambda _repository: None,
        time_limit: float | None = None,
        watch_memory: bool = False,
    ) -> Cost:
        """Import *stream* into a new bare repository, which *prepare* is given before.

        Args:
            repository: What was there goes.
            stream: What to import.
            words: More options of the importer.
            through_pipe: Whether a file is fed through a pipe.
            prepare: Fills the repository with what is there already.
            time_limit: Seconds after which the importer is killed.
            watch_memory: Whether this run is for its memory, and not for its time.
        """
        run_it = partial(run, time_limit=time_limit, watch_memory=watch_memory)
        shutil.rmtree(repository, ignore_errors=True)
        subprocess.run([self.git, "init", "--quiet", "--bare", repository], check=True)
        prepare(repository)
        command = [*self.program, "-C", str(repository), *self.arguments, *words]
        file_name = str(stream.path.absolute())  # -C changes what a relative one means
        if self.reads_files and not through_pipe:
            return run_it([*command, file_name])
        feeder = stream.feeder(through_pipe=through_pipe)
        if feeder is None:
            with stream.path.open("rb") as file:
                return run_it(command, stdin=file)
        assert feeder.stdout is not None
        with feeder, feeder.stdout:
            return run_it(command, stdin=feeder.stdout)

    def inspect(self, repository: Path, outcome: Outcome, *, fsck: bool) -> None:
        """Add to *outcome* what the last run left in *repository*."""
        outcome.refs, outcome.refs_digest = self._count(repository, "for-each-ref")
        outcome.objects, outcome.objects_digest = self._count(
            repository, "cat-file", "--batch-all-objects", "--batch-check"
        )
        outcome.pack_size = size_of_packs(repository)
        if fsck:
            outcome.fsck = self._fsck(repository)

    def _count(self, repository: Path, *question: str) -> tuple[int, str]:
        command = [self.git, "-C", str(repository), *question]
        return count_lines(command)

    def _fsck(self, repository: Path) -> str:
        command = [self.git, "-C", str(repository), "fsck", "--no-progress", "--no-dangling"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = sorted((done.stdout + done.stderr).splitlines())
        kept = [line for line in lines if not line.startswith("notice:")]
        return "\n".join([*kept, f"exit status {done.returncode}"])


def copy_repository(repository: Path, copy: Path) -> None:
    """Copy a bare repository; its objects are links, for git never writes to one that is there."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(repository, copy, ignore=lambda _at, names: {"objects"} & set(names))
    shutil.copytree(repository / "objects", copy / "objects", copy_function=os.link)


def size_of_packs(repository: Path) -> int:
    """Return the bytes of all packs in a bare repository."""
    return sum(pack.stat().st_size for pack in repository.glob("objects/pack/*.pack"))


def count_lines(command: list[str]) -> tuple[int, str]:
    """Run *command*; returns how many lines it wrote, and their digest."""
    lines, digest = 0, hashlib.sha256()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while piece := process.stdout.read(1 << 20):
            lines += piece.count(b"\n")
            digest.update(piece)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
    return lines, digest.hexdigest()


def both_importers(git: str, fastio_options: list[str]) -> dict[str, Importer]:
    """Return git's importer and ours, in the order in which they run."""
    ours = ["import", "--no-progress", *fastio_options]
    return {
        "git": Importer([git], ["fast-import"], git, reads_files=False),
        "fastio": Importer(fastio_command(), ours, git, reads_files=True),
    }


def differences(git: Outcome, fastio: Outcome) -> list[str]:
    """Say in words in what the two repositories differ, nothing when they are the same."""
    found = []
    if git.best.status != fastio.best.status:
        found.append(f"exit status: git {git.best.status}, fastio {fastio.best.status}")
        said = git.best.stderr if git.best.status else fastio.best.stderr
        found += [f"what was said: {line}" for line in said.splitlines()[-1:]]
    if git.refs_digest != fastio.refs_digest:
        found.append(f"refs: git has {git.refs}, fastio {fastio.refs}, not the same ones")
    if git.objects_digest != fastio.objects_digest:
        found.append(f"objects: git has {git.objects}, fastio {fastio.objects}, not the same ones")
    if None not in (git.fsck, fastio.fsck) and git.fsck != fastio.fsck:
        found.append(f"fsck: git's {git.fsck!r}, fastio's {fastio.fsck!r}")
    return found


def machine(git: str) -> dict[str, object]:
    """Return what the figures were measured on."""
    cpuinfo = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", cpuinfo.read_text() if cpuinfo.exists() else "")
    version = subprocess.check_output([git, "version"], text=True).split()[2]
    return {
        "processor": model[1] if model else "unknown",
        "cores": len(os.sched_getaffinity(0)),
        "python": sys.version.split()[0],
        "git": version,
    }


def save(name: str, lines: list[str], figures: dict[str, object]) -> None:
    """Write a script's table and figures to bench/out."""
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.md").write_text("\n".join(lines) + "\n")
    (OUT / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n")
