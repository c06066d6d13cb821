"""The git to compare with, and the repositories that every stream starts from."""

import shutil

import pytest

from tests.differential.world import World, make_worlds


@pytest.fixture(scope="session")
def real_git() -> str:
    git = shutil.which("git")
    assert git is not None
    return git


@pytest.fixture(scope="session")
def worlds(real_git, tmp_path_factory) -> list[World]:
    return make_worlds(real_git, tmp_path_factory.mktemp("worlds"))
