"""Repositories made by a real git, for tests of what reads and writes them."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


class Work:
    """A repository in a temporary directory."""

    def __init__(self, path: Path, object_format: str = "sha1", *options: str) -> None:
        self.path = path
        path.mkdir(parents=True)
        self("init", "-q", "-b", "main", f"--object-format={object_format}", *options, ".")

    def __call__(self, *arguments: str, text: str | bytes | None = None, check: bool = True) -> str:
        data = text.encode() if isinstance(text, str) else text
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, input=data, stdout=subprocess.PIPE, check=check
        )
        return done.stdout.decode().rstrip("\n")

    def commit(self, *parents: str, text: str = "") -> str:
        """A commit of the empty tree, on no branch."""
        tree = self("mktree", text="")
        with_parents = [word for parent in parents for word in ("-p", parent)]
        return self("commit-tree", tree, *with_parents, "-m", text or "commit")


@pytest.fixture(autouse=True)
def _own_git_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for person in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{person}_NAME", person)
        monkeypatch.setenv(f"GIT_{person}_EMAIL", "who@example.com")
    monkeypatch.setenv("LC_ALL", "C")


@pytest.fixture(params=["sha1", "sha256"])
def work(request: pytest.FixtureRequest, tmp_path: Path) -> Work:
    return Work(tmp_path / "work", request.param)


@pytest.fixture
def sha1_work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")
