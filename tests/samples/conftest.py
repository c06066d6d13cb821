"""Both importers, ready to run, and a way to see what each of them made."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
START = "from fastio.cli.main import program; program()"


@pytest.fixture(autouse=True)
def _find_fastio(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes in other directories import the fastio under test, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@dataclass
class Side:
    """One importer and the repository that it fills."""

    command: list[str]
    repository: Path

    def run(self, stream: bytes = b"", *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self.command, *arguments],
            input=stream,
            cwd=self.repository,
            capture_output=True,
            check=False,
        )

    def git(self, *arguments: str) -> str:
        return subprocess.check_output(["git", *arguments], cwd=self.repository, text=True)

    def refs(self) -> str:
        return self.git("for-each-ref")

    def objects(self) -> list[str]:
        return sorted(self.git("cat-file", "--batch-all-objects", "--batch-check").splitlines())


def new_side(command: list[str], repository: Path) -> Side:
    subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
    return Side(command, repository)


@pytest.fixture
def git_side(tmp_path: Path) -> Side:
    return new_side(["git", "fast-import", "--quiet"], tmp_path / "git.git")


@pytest.fixture
def fastio_side(tmp_path: Path) -> Side:
    return new_side([sys.executable, "-c", START, "import", "--quiet"], tmp_path / "fastio.git")


@pytest.fixture
def fastio_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shell scripts find a `fastio` that is the one under test."""
    script = tmp_path / "bin" / "fastio"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{START}" "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=":")
