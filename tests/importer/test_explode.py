"""Packs of few objects become loose ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fastio.importer import explode
from tests.importer import streams
from tests.importer.target import Target

STREAM = streams.history(files=5, size=400, commits=8)


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return Target(tmp_path / "target.git", "--bare")


def loose(target: Target) -> dict[str, int]:
    """Loose objects and their modes."""
    files = target.git_dir.glob("objects/??/*")
    return {path.parent.name + path.name: path.stat().st_mode for path in files}


@pytest.mark.parametrize("shared", ["umask", "group", "0640"])
def test_the_same_loose_objects_as_gits(tmp_path: Path, shared: str) -> None:
    ours, gits = Target(tmp_path / "ours"), Target(tmp_path / "gits")
    for target in (ours, gits):
        target.git("config", "core.sharedRepository", shared)
    assert ours.here(STREAM, workers=0)[0] == 0
    command = ["git", "fast-import", "--quiet"]
    subprocess.run(command, cwd=gits.path, input=STREAM, check=True)
    assert loose(ours) == loose(gits) != {}
    assert (ours.packs(), ours.files(), ours.fsck()) == ([], [], "")


def test_an_object_that_is_there_is_only_touched(target: Target) -> None:
    oid = target.git("hash-object", "-w", "--stdin", text=b"content")
    path = target.git_dir / "objects" / oid[:2] / oid[2:]
    before = path.stat()
    os.utime(path, (1, 1))
    assert target.here(streams.blob(1, b"content"), workers=0)[0] == 0
    assert (path.stat().st_ino, path.stat().st_mtime > 1) == (before.st_ino, True)


def test_what_is_large_stays_in_its_pack(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explode, "MAX_EXPLODED", 5000)
    stream = streams.blob(1, b"small") + streams.blob(2, bytes(6000))
    assert target.here(stream, workers=0)[0] == 0
    assert len(target.packs()) == 1
    assert (target.git("count-objects").split()[0], target.fsck()) == ("1", "")


def test_a_pack_is_kept_where_loose_objects_cannot_be_written(target: Target) -> None:
    for number in range(256):
        (target.git_dir / "objects" / f"{number:02x}").write_bytes(b"")
    assert target.here(STREAM, workers=0)[0] == 0
    assert len(target.packs()) == 1
    assert target.git("rev-list", "--count", "main") == "8"


def test_checkpoints_start_no_process(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    spawn, spawned = os.posix_spawnp, []
    monkeypatch.setattr(
        os, "posix_spawnp", lambda *words, **more: spawned.append(words[1]) or spawn(*words, **more)
    )
    commits = b"".join(streams.commit(n, streams.inline(b"f", b"%d" % n)) for n in range(1, 9))
    stream = commits.replace(b"commit refs", b"checkpoint\ncommit refs")
    assert target.here(stream, workers=0)[0] == 0
    assert target.git("rev-list", "--count", "main") == "8"
    assert sum(b"update-ref" in words or "update-ref" in words for words in spawned) == 1
    assert len(spawned) < 8
