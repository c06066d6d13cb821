"""Ways to hold an export against git's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.exporter.source import Source
from tests.importer.conftest import _nothing_is_left

__all__ = ["_nothing_is_left"]


@pytest.fixture(params=["fastio", pytest.param("git", marks=pytest.mark.git)])
def new_source(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Source]:
    """Makes repositories for one of the two programs; words are options for ``git init``."""

    def make(*options: str, name: str = "repository") -> Source:
        return Source(request.param, tmp_path / name, *options)

    return make


@pytest.fixture
def source(new_source: Callable[..., Source]) -> Source:
    """A bare repository."""
    return new_source("--bare")
