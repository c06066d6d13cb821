"""Two ways to hold an import against git's.

With ``side`` a test is run twice, for git and for ours, each with a repository of its own. With
``both`` a stream is given to both in one test, and all that came of it must be the same.
"""

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.side import Side
from tests.conformance.trial import Trial
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


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], Path]:
    """Gives for a stream the repository into which git has imported it."""

    @functools.cache
    def make(stream: bytes) -> Path:
        repository = Side("git", tmp_path_factory.mktemp("base") / "repository", "--bare")
        if stream:
            repository.git("fast-import", "--quiet", text=stream)
        return repository.path

    return make


@pytest.fixture
def both(tmp_path: Path, base: Callable[[bytes], Path]) -> Trial:
    """Gives a stream to us and to git."""
    return Trial(tmp_path, base)
