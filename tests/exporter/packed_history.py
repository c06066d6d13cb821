"""A repository to export whole, and exports of it in this process."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fastio.exporter import pipeline
from fastio.exporter.exporter import Exporter
from fastio.exporter.options import parse_options
from fastio.exporter.pipeline import Pipeline
from fastio.store.repository import Repository

OPTIONS = ("--signed-tags=strip", "--reencode=no")


class Sink:
    """Takes a stream into memory."""

    def __init__(self) -> None:
        self.stream = bytearray()
        self.before_write: Callable[[], None] = lambda: None

    def write(self, pieces: list[bytes | memoryview]) -> None:
        self.before_write()
        for piece in pieces:
            self.stream += piece

    def close(self) -> None:
        pass


def make_history(path: Path, *, commits: int = 150, large: int = 0) -> None:
    """Import commits on two branches that touch a few of many files, and pack them."""
    rng = random.Random(commits)
    files = {b"dir%d/file %d" % (number % 7, number): [b"%d\n" % number] for number in range(60)}
    lines = [b"feature done"]
    mark = 0
    tips: dict[bytes, int] = {}

    def data(content: bytes) -> list[bytes]:
        return [b"data %d" % len(content), content]

    for number in range(commits):
        branch = b"refs/heads/side" if number % 9 > 5 else b"refs/heads/main"
        changes = []
        for name in rng.sample(sorted(files), rng.randint(0, 5)):
            files[name].insert(rng.randint(0, len(files[name])), b"line %d\n" % rng.getrandbits(64))
            if large and rng.random() < 0.05:
                files[name].append(rng.randbytes(large))
            mark += 1
            lines += [b"blob", b"mark :%d" % mark, *data(b"".join(files[name]))]
            changes.append(b'M 100644 :%d "%s"' % (mark, name))
        mark += 1
        lines += [b"commit %s" % branch, b"mark :%d" % mark]
        lines += [b"committer A <a@b> %d +0000" % (1_000_000_000 + number)]
        lines += data(b"commit %d\n" % number)
        if branch in tips:
            lines.append(b"from :%d" % tips[branch])
        elif tips:
            lines.append(b"from :%d" % next(iter(tips.values())))
        if number % 9 == 3 and len(tips) == 2:
            lines.append(b"merge :%d" % tips[b"refs/heads/side"])
        lines += [*changes, b""]
        tips[branch] = mark
    lines += [
        b"tag v1",
        b"from :%d" % mark,
        b"tagger A <a@b> 1 +0000",
        *data(b"a tag\n"),
        b"done\n",
    ]
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    subprocess.run(
        ["git", "-C", str(path), "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet"],
        input=b"\n".join(lines),
        check=True,
    )
    subprocess.run(["git", "-C", str(path), "repack", "-adfq", "--depth=50"], check=True)


def git_stream(path: Path, *words: str) -> bytes:
    command = ["git", "-C", str(path), "fast-export", *OPTIONS, *words]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def export(
    path: Path,
    *words: str,
    sink: Sink | None = None,
    look: Callable[[Exporter, Pipeline], None] | None = None,
) -> bytes:
    """Export in this process, and return the stream."""
    options, arguments = parse_options([*OPTIONS, *words])
    sink = sink or Sink()
    warnings: list[str] = []
    exporter = Exporter(
        Repository.discover(str(path)),
        options,
        arguments,
        sink,
        stdin=lambda: b"",
        warn=warnings.append,
    )
    if look is not None:
        exporter.look = lambda pipeline: look(exporter, pipeline)
    exporter.run()
    assert not warnings
    return bytes(sink.stream)


def start_workers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "WORTH", 0)
