"""Submodules that are passed over are those that git passes over."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Container
from pathlib import Path

import pytest

from fastio.errors import OptionError, RepositoryError
from fastio.exporter.submodules import hidden_submodules
from fastio.store.repository import Repository

MODULES = [b"dir/two", b"mod", b"three"]
STREAM = b"commit refs/heads/main\ncommitter a <a> 0 +0000\ndata 0\n" + b"".join(
    b"M 160000 %b %b\n" % (b"1" * 40, path) for path in MODULES
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("modules") / "repository"
    subprocess.run(["git", "init", "-q", "-b", "main", path], check=True)
    subprocess.run(["git", "fast-import", "--quiet"], input=STREAM, cwd=path, check=True)
    (path / "dir").mkdir()
    return path


def of_git(directory: Path, *settings: str) -> list[bytes]:
    command = ["git", *settings, "fast-export", "--no-data", "main"]
    finished = subprocess.run(command, cwd=directory, capture_output=True, check=True)
    told = re.findall(rb"^M 160000 \S+ (.*)$", finished.stdout, re.MULTILINE)
    return [path for path in MODULES if path not in told]


def of_ours(directory: Path, *settings: tuple[str, str]) -> list[bytes]:
    count = {"GIT_CONFIG_COUNT": str(len(settings))}
    keys = {f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in enumerate(settings)}
    values = {f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(settings)}
    repository = Repository.discover(str(directory), dict(os.environ) | count | keys | values)
    hidden: Container[bytes] = hidden_submodules(repository, None) or ()
    return [path for path in MODULES if path in hidden]


LISTINGS = {
    "all": '[submodule "m"]\npath = mod\nignore = all\n[submodule "t"]\npath = dir/two\n',
    "unknown": '[submodule "m"]\npath = mod\nignore = ALL\n[submodule "t"]\npath = nowhere\n',
    "unknown-later": '[submodule "m"]\npath = mod\nignore = all\nignore = bogus\n',
    "twice": '[submodule "m"]\npath = mod\nignore = all\nignore = none\n',
    "moved": '[submodule "m"]\npath = mod\nignore = all\npath = three\n',
    "two-at-one-path": '[submodule "n"]\npath = mod\n[submodule "m"]\npath = mod\nignore = all\n',
    "the-other-later": '[submodule "m"]\npath = mod\nignore = all\n[submodule "n"]\npath = mod\n',
    "suspicious": '[submodule "../m"]\npath = mod\nignore = all\n',
    "slash": '[submodule "m"]\npath = mod/\nignore = all\n',
    "case": '[SUBMODULE "M.x"]\nPath = mod\nIgnore = all\n[submodule "m.x"]\npath = mod\n',
    "no-name": "[submodule]\npath = mod\nignore = all\n",
}
SETTINGS: list[tuple[tuple[str, str], ...]] = [
    (),
    (("submodule.m.ignore", "none"), ("submodule.t.ignore", "all")),
    (("submodule.three.ignore", "all"), ("submodule.three.path", "three")),
]


@pytest.mark.git
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("listing", LISTINGS)
def test_configured_submodules_are_hidden(
    repository: Path, listing: str, settings: tuple[tuple[str, str], ...]
) -> None:
    (repository / ".gitmodules").write_text(LISTINGS[listing])
    words = [word for key, value in settings for word in ("-c", f"{key}={value}")]
    assert of_ours(repository, *settings) == of_git(repository, *words)


@pytest.mark.git
def test_the_file_is_found_wherever_git_finds_it(repository: Path, tmp_path: Path) -> None:
    def git(*words: str, cwd: Path = repository) -> None:
        subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True)

    (repository / ".gitmodules").write_text(LISTINGS["all"])
    bare, linked = tmp_path / "bare", tmp_path / "linked"
    git("clone", "-q", "--bare", ".", str(bare))
    git("add", ".gitmodules")
    git("commit", "-qm", "list")
    git("worktree", "add", "-q", "--detach", str(linked))
    for place in (repository, repository / "dir", linked):
        assert of_ours(place) == of_git(place) == [b"mod"]
    for place in (repository / ".git", bare):
        assert of_ours(place) == of_git(place) == []
    (repository / ".gitmodules").unlink()
    assert of_ours(repository) == of_git(repository) == [b"mod"]  # the index has it
    (repository / ".git" / "index").unlink()
    assert of_ours(repository) == of_git(repository) == [b"mod"]  # and HEAD
    git("reset", "-q", "--soft", "HEAD~1")
    assert of_ours(repository) == of_git(repository) == []


@pytest.mark.git
def test_an_argument_counts_more(repository: Path) -> None:
    (repository / ".gitmodules").write_text(LISTINGS["all"])
    found = Repository.discover(str(repository))
    assert b"any" in (hidden_submodules(found, "all") or ())
    for argument in ("none", "dirty", "untracked"):
        assert hidden_submodules(found, argument) is None


@pytest.mark.git
def test_what_git_cannot_read_is_refused(repository: Path) -> None:
    (repository / ".gitmodules").write_text('[submodule "m"]\npath = mod\nignore\n')
    with pytest.raises(RepositoryError, match=r"missing value for 'submodule\.m\.ignore'"):
        of_ours(repository)
    (repository / ".gitmodules").write_text("[submodule\n")
    with pytest.raises(RepositoryError, match=r"cannot read \.gitmodules: bad config line 1"):
        of_ours(repository)
    (repository / ".gitmodules").write_text(LISTINGS["all"])
    with pytest.raises(OptionError, match="bad --ignore-submodules argument: bogus"):
        of_ours(repository, ("submodule.m.ignore", "bogus"))
