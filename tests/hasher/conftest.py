"""Ways to hold hash-object against git's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hasher.place import Place
from tests.importer.conftest import _nothing_is_left

__all__ = ["_nothing_is_left"]

SIDES = ["fastio", pytest.param("git", marks=pytest.mark.git)]


@pytest.fixture(params=SIDES)
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Place]:
    """Makes repositories for one of the two programs; words are options for ``git init``."""

    def make(*options: str) -> Place:
        return Place(request.param, tmp_path / "place", *options)

    return make


@pytest.fixture
def place(new_place: Callable[..., Place]) -> Place:
    """A repository with a work tree."""
    return new_place()


@pytest.fixture
def ours(tmp_path: Path) -> Place:
    """A repository for what git does not do."""
    return Place("fastio", tmp_path / "place")
