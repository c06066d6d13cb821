"""The repositories that every test of this room is given twice: one for git, one for ours."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.side import Side
from tests.importer.conftest import _nothing_is_left

__all__ = ["_nothing_is_left"]


@pytest.fixture(params=["fastio", pytest.param("git", marks=pytest.mark.git)])
def new_side(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Side]:
    """Makes repositories for one of the two programs; words are options for ``git init``."""

    def make(*options: str, name: str = "repository") -> Side:
        return Side(request.param, tmp_path / name, *options)

    return make


@pytest.fixture
def side(new_side: Callable[..., Side]) -> Side:
    """A bare repository in which every pack stays a pack."""
    return new_side("--bare")
