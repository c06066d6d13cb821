"""Repositories to import into, and ways to run an import: here, or as a process."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fastio.importer.importer import Importer
from fastio.importer.options import ImportOptions
from fastio.importer.source import Source
from fastio.store.repository import Repository

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "fastio"]
PATIENCE = 20.0  # seconds after which what is waited for will not happen any more
Done = subprocess.CompletedProcess[bytes]


class Target:
    """A repository."""

    command = (*COMMAND, "import")  # what runs in `running`

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main", *options, ".")
        self.git_dir = path / self.git("rev-parse", "--git-dir")

    def git(self, *arguments: str, text: bytes = b"", check: bool = True) -> str:
        command = ["git", *arguments]
        done = subprocess.run(
            command, cwd=self.path, input=text, stdout=subprocess.PIPE, check=check
        )
        return done.stdout.decode(errors="surrogateescape").rstrip("\n")

    # --- running --------------------------------------------------------------------------------

    def fastio(self, *words: str, stream: bytes = b"", cwd: Path | None = None, **env: str) -> Done:
        """Run ``fastio`` as a process to its end."""
        return subprocess.run(
            [*COMMAND, *words],
            cwd=cwd or self.path,
            input=stream,
            capture_output=True,
            env=environment(env),
            check=False,
            timeout=60,
        )

    def run(self, stream: bytes, *words: str) -> Done:
        """Run ``fastio import`` as a process to its end."""
        return self.fastio("import", "--quiet", *words, stream=stream)

    @contextlib.contextmanager
    def running(self, *words: str, **keywords: object) -> Iterator[subprocess.Popen[bytes]]:
        """Have ``fastio import`` running, with pipes; whatever happens, it is gone afterwards."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with subprocess.Popen(
            [*self.command, "--quiet", *words],
            cwd=self.path,
            env=environment({}),
            **{**pipes, **keywords},  # type: ignore[call-overload]
        ) as process:
            try:
                yield process
            finally:
                process.kill()
                for pipe in (process.stdin, process.stdout, process.stderr):
                    if pipe is not None:
                        with contextlib.suppress(BrokenPipeError):
                            pipe.close()

    def here(self, stream: bytes, *words: str, **own: int) -> tuple[int, Importer]:
        """Import in this process; returns the status and the importer for a look inside.

        *words* are git's options, *own* fastio's.
        """
        fd = os.memfd_create("stream")
        try:
            os.write(fd, stream)
            os.lseek(fd, 0, os.SEEK_SET)
            return self.here_from(Source(fd), *words, **own)
        finally:
            os.close(fd)

    def here_from(self, source: Source, *words: str, **own: int) -> tuple[int, Importer]:
        """The same from a source."""
        options = ImportOptions()
        for name, value in own.items():
            setattr(options, name, value)
        importer = Importer(Repository.discover(self.path), options, words)
        return importer.run(source), importer

    # --- looking --------------------------------------------------------------------------------

    def refs(self) -> dict[str, str]:
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split() for line in lines)

    def packs(self) -> list[Path]:
        return sorted((self.git_dir / "objects/pack").glob("*.pack"))

    def digest(self) -> str:
        """One digest over the bytes of all packs."""
        return hashlib.sha256(b"".join(pack.read_bytes() for pack in self.packs())).hexdigest()

    def files(self) -> list[str]:
        """What lies beside the packs, packs and idx files left out."""
        names = os.listdir(self.git_dir / "objects/pack")
        return sorted(name for name in names if not name.endswith((".pack", ".idx")))

    def fsck(self) -> str:
        """What git fsck says, dangling objects left out; empty when all is well."""
        command = ["git", "fsck", "--strict", "--no-dangling", "--no-progress"]
        done = subprocess.run(command, cwd=self.path, capture_output=True, check=False)
        lines = (done.stdout + done.stderr).decode().splitlines()
        usual = ("notice: HEAD points to an unborn branch", "notice: No default references")
        return "\n".join(line for line in lines if not line.startswith(usual))

    def crash_report(self) -> str:
        [path] = self.git_dir.glob("fast_import_crash_*")
        return path.read_text(errors="surrogateescape")

    def last_commands(self) -> list[str]:
        """The last lines of the stream, as the crash report has them."""
        _, _, behind = self.crash_report().partition("Before Crash\n")
        return behind.partition("\n\n")[0].splitlines()[1:]

    def has(self, name: str) -> bool:
        return (
            subprocess.run(
                ["git", "cat-file", "-e", name],
                cwd=self.path,
                check=False,
                stderr=subprocess.DEVNULL,
            ).returncode
            == 0
        )


def settled(path: Path, stream: bytes) -> Path:
    """A file that nobody wrote to lately, which may be mapped."""
    path.write_bytes(stream)
    os.utime(path, (time.time() - 60,) * 2)
    return path


def environment(more: dict[str, str]) -> dict[str, str]:
    """Our own, with the package in reach and *more*."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def blob_oid(data: bytes, algorithm: str = "sha1") -> str:
    return hashlib.new(algorithm, b"blob %d\0%b" % (len(data), data)).hexdigest()


# --- processes ------------------------------------------------------------------------------------


def wait_until(condition: Callable[[], object], what: str = "") -> None:
    """Wait for something that will happen soon."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain {what}"
        os.sched_yield()


def workers_of(pid: int) -> list[int]:
    """Children of a process that run the same program, as forked workers do."""
    return [child for child in children_of(pid) if _program(child) == _program(pid) != ""]


def children_of(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
