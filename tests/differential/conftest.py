"""The git to compare with, and the repositories that every stream starts from."""

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.differential.campaign import fast_directory
from tests.differential.compare import Comparer, version_of
from tests.differential.worlds import Maker


@pytest.fixture(scope="session")
def comparer():
    git = shutil.which("git")
    assert git is not None
    with tempfile.TemporaryDirectory(dir=fast_directory()) as name:
        worlds = Maker(git, Path(name), version_of(git)).all()
        comparer = Comparer(git, worlds, Path(name))
        yield comparer
        comparer.close()


@pytest.fixture
def world(comparer):
    """An empty repository."""
    return next(world for world in comparer.worlds if world.name == "sha1-empty")


@pytest.fixture
def filled_world(comparer):
    """One that holds some of everything."""
    return next(world for world in comparer.worlds if world.name == "sha1-filled")
