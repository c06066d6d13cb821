import os
from pathlib import Path

import pytest

from fastio.errors import RepositoryError
from fastio.objects.kinds import FORMATS
from fastio.store.repository import Repository
from tests.store.work import Work


@pytest.fixture
def here(work, monkeypatch):
    monkeypatch.chdir(work.path)
    return work


def test_from_the_current_directory(here):
    repository = Repository.discover()
    git_dir = bytes(here.path / ".git")
    assert (repository.git_dir, repository.common_dir) == (git_dir, git_dir)
    assert repository.objects_dir == git_dir + b"/objects"
    assert repository.object_format is FORMATS[here("rev-parse", "--show-object-format")]
    assert repository.ref_format == "files"
    assert (repository.is_bare, repository.prefix) == (False, b"")


def test_from_a_sub_directory(here, monkeypatch):
    (here.path / "a b/c").mkdir(parents=True)
    monkeypatch.chdir("a b/c")
    repository = Repository.discover()
    assert repository.prefix == b"a b/c/"
    assert repository.git_dir == bytes(here.path / ".git")


def test_line_ends_and_odd_bytes_in_paths(tmp_path):
    path = bytes(tmp_path) + b"/one\n\xff\n\nend\n"
    Work(Path(os.fsdecode(path)))
    os.mkdir(path + b"/a\nb")
    repository = Repository.discover(path + b"/a\nb")
    assert repository.git_dir == repository.common_dir == path + b"/.git"
    assert repository.objects_dir == path + b"/.git/objects"
    assert repository.prefix == b"a\nb/"


def test_by_path_and_by_environment(work, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    by_path = Repository.discover(str(work.path))
    by_environment = Repository.discover(None, {**os.environ, "GIT_DIR": "work/.git"})
    assert by_path.git_dir == by_environment.git_dir == bytes(work.path / ".git")
    assert by_environment.config.text("core.repositoryFormatVersion") in ("0", "1")


def test_a_bare_repository(work, tmp_path):
    work("clone", "-q", "--bare", ".", "../bare.git")
    repository = Repository.discover(bytes(tmp_path / "bare.git"))
    assert repository.is_bare
    assert repository.git_dir == bytes(tmp_path / "bare.git")


def test_a_linked_work_tree_has_its_own_and_a_common_directory(work, tmp_path):
    work("update-ref", "HEAD", work.commit())
    work("worktree", "add", "-q", "../linked", "-b", "linked")
    repository = Repository.discover(str(tmp_path / "linked"))
    assert repository.git_dir == bytes(work.path / ".git/worktrees/linked")
    assert repository.common_dir == bytes(work.path / ".git")
    assert repository.objects_dir == bytes(work.path / ".git/objects")


def test_another_object_directory(here, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    environment = {**os.environ, "GIT_OBJECT_DIRECTORY": str(tmp_path / "elsewhere")}
    assert Repository.discover(None, environment).objects_dir == bytes(tmp_path / "elsewhere")


def test_no_repository(tmp_path):
    with pytest.raises(RepositoryError, match="not a git repository") as caught:
        Repository.discover(str(tmp_path), {**os.environ, "GIT_CEILING_DIRECTORIES": "/"})
    assert caught.value.exit_status == 128


def test_no_git(work):
    with pytest.raises(RepositoryError, match="cannot run 'no-such-git'"):
        Repository.discover(str(work.path), program="no-such-git")


def test_another_git(work, tmp_path):
    script = Path(tmp_path / "other-git")
    script.write_text('#!/bin/sh\ntouch "$0.was-run"\nexec git "$@"\n')
    script.chmod(0o755)
    Repository.discover(str(work.path), program=str(script))
    assert Path(f"{script}.was-run").exists()


def test_a_broken_configuration_file(work):
    (work.path / ".git/config").write_text("[core\n")
    with pytest.raises(RepositoryError, match="bad config"):
        Repository.discover(str(work.path))


def test_the_environment_stays_out_of_what_may_be_logged(work):
    assert "PATH" not in repr(Repository.discover(str(work.path)))
