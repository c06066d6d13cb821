"""Disks that fill up while an import writes: a clear error, and nothing half-written is left."""

import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fastio.importer.object_sink import ObjectSink
from fastio.store.new_files import refuse as refuse_file
from tests.importer import streams
from tests.importer.target import Target

MIB = 1 << 20
FIRST = streams.commit(1, streams.inline(b"a", b"first"))
NOISE = Random(5).randbytes(4 * MIB)
LARGE = b"".join(streams.blob(10 + at, NOISE[at << 15 : (at + 1) << 15]) for at in range(128))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(place)]
    if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("only root can mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def check_full(target: Target, refs: dict[str, str], marks: Path, errors: bytes) -> None:
    first = errors.decode().splitlines()[0]
    assert first.startswith("fatal: cannot write ")
    assert "objects/pack/tmp_" in first
    assert b"Traceback" not in errors
    assert (target.refs(), target.files()) == (refs, [])
    assert target.fsck() == ""
    assert all(target.has(line.split()[1]) for line in marks.read_text().splitlines())


@pytest.mark.parametrize("workers", [0, 2])
def test_full_disk(small_disk: Path, tmp_path: Path, workers: int) -> None:
    target = Target(small_disk / "target.git", "--bare")
    target.git("config", "fastimport.unpackLimit", "0")
    assert target.run(FIRST).returncode == 0
    refs, marks = target.refs(), tmp_path / "marks"
    done = target.run(FIRST + LARGE, f"--workers={workers}", f"--export-marks={marks}")
    assert done.returncode == 128
    assert b"No space left on device" in done.stderr
    check_full(target, refs, marks, done.stderr)
    assert target.run(FIRST).returncode == 0  # there is room again


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("words", [(), ("--big-file-threshold=20k",)], ids=["", "streamed"])
def test_file_that_may_not_grow(
    target: Target, tmp_path: Path, workers: int, words: tuple[str, ...]
) -> None:
    marks = tmp_path / "marks"
    marks_option = f"--export-marks={marks}"
    with target.running(f"--workers={workers}", marks_option, *words, preexec_fn=limit) as process:
        _, errors = process.communicate(FIRST + LARGE)
    assert process.returncode == 128
    assert b"File too large" in errors
    check_full(target, {}, marks, errors)


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, MIB))


def test_checkpoint_stays_when_the_disk_fills_up_later(target: Target, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    with target.running(f"--export-marks={marks}", preexec_fn=limit) as process:
        _, errors = process.communicate(FIRST + b"checkpoint\n" + LARGE)
    assert process.returncode == 128
    assert list(target.refs()) == ["refs/heads/main"]
    check_full(target, target.refs(), marks, errors)
    assert marks.read_text().startswith(":1 ")


def test_no_room_for_the_next_pack(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks, next_pack = tmp_path / "marks", ObjectSink.next_pack

    def refuse(sink: ObjectSink) -> None:
        monkeypatch.setattr(
            sink, "_open_pack", lambda: refuse_file(b"tmp_pack", OSError(28, "full"))
        )
        next_pack(sink)

    monkeypatch.setattr(ObjectSink, "next_pack", refuse)
    status, _ = target.here(FIRST + b"checkpoint\n", f"--export-marks={marks}")
    assert status == 128
    assert (target.refs(), target.fsck(), len(target.packs())) == ({}, "", 1)
    assert marks.read_text().startswith(":1 ")


def test_marks_that_cannot_be_written(target: Target) -> None:
    for place in ("/proc/marks", "/dev/full/marks", str(target.git_dir / "objects")):
        done = target.run(FIRST, f"--export-marks={place}")
        assert done.returncode == 1
        assert done.stderr.startswith(b"error: ")
        assert place.encode() in done.stderr
        assert list(target.refs()) == ["refs/heads/main"]


def test_crash_report_that_cannot_be_written(target: Target, tmp_path: Path) -> None:
    bad = b"bad\n"
    with target.running(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))) as it:
        _, errors = it.communicate(bad)
    assert it.returncode == 128
    assert b"error: can't write crash report: " in errors
    assert os.listdir(target.git_dir / "objects/pack") == []
