"""Blobs larger than the memory pass through piece by piece."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from tests.importer.target import COMMAND, environment

MIB = 1 << 20
SIZE = 128 * MIB
BLOB = b"data %d\n" % SIZE
PIECE = bytes(range(256)) * (MIB // 256)


@pytest.fixture(scope="module", params=["packed", "loose"])
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a blob of 128 MiB and a small one."""
    path = tmp_path_factory.mktemp("large") / "large.git"
    limit = 1 if request.param == "packed" else 100
    settings = ["-c", "core.compression=1", "-c", f"fastimport.unpackLimit={limit}"]
    git = ["git", "-C", str(path), *settings]
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    with subprocess.Popen([*git, "fast-import", "--quiet"], stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        importer.stdin.write(b"blob\nmark :1\n" + BLOB)
        for _ in range(SIZE // MIB):
            importer.stdin.write(PIECE)
        importer.stdin.write(
            b"\ncommit refs/heads/main\ncommitter A <a@b> 1 +0000\ndata 0\n"
            b"M 100644 :1 large\nM 100644 inline small\ndata 5\nsmall\n\n"
        )
    assert importer.returncode == 0
    assert len(list((path / "objects/pack").glob("*.pack"))) == (request.param == "packed")
    return path


def digest_and_memory(path: Path, *words: str) -> tuple[str, int]:
    """Digest of the stream, and the most memory that the process had."""
    command = [*COMMAND, "-C", str(path), "export", "--all", "--memory=32m", "--workers=0", *words]
    digest, memory = hashlib.sha1(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment({})) as process:
        assert process.stdout is not None
        while piece := process.stdout.read(MIB):
            digest.update(piece)
            memory = most_memory(process.pid) or memory
    assert process.returncode == 0
    return digest.hexdigest(), memory


def most_memory(pid: int) -> int:
    """The most bytes that a process had since it was started; 0 when it has ended.

    What `os.wait4` tells would count the process that it was forked from.
    """
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def expected() -> str:
    digest = hashlib.sha1(b"blob\nmark :1\n" + BLOB)
    for _ in range(SIZE // MIB):
        digest.update(PIECE)
    digest.update(
        b"\nblob\nmark :2\ndata 5\nsmall\n"
        b"reset refs/heads/main\ncommit refs/heads/main\nmark :3\n"
        b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ndata 0\n"
        b"M 100644 :1 large\nM 100644 :2 small\n\n"
    )
    return digest.hexdigest()


@pytest.mark.parametrize("words", [(), ("--verify",)])
def test_a_large_blob_is_never_whole_in_memory(large: Path, words: tuple[str, ...]) -> None:
    digest, memory = digest_and_memory(large, *words)
    assert digest == expected()
    assert 16 * MIB < memory < 96 * MIB
