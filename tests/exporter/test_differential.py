"""Some random histories, the same ones every time; the campaign takes any number."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.side import git_version
from tests.differential.campaign import fast_directory
from tests.exporter.differential import Comparer, Finding
from tests.exporter.round_trip import Traveller

SEEDS_A_TEST = 5


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=fast_directory()) as name:
        yield Path(name)


@pytest.fixture(scope="module")
def git() -> str:
    found = shutil.which("git")
    assert found is not None
    return os.path.realpath(found)


@pytest.mark.git
@pytest.mark.skipif(git_version() < (2, 52), reason="git does many other things before 2.52")
@pytest.mark.parametrize("first", range(0, 40, SEEDS_A_TEST))
def test_random_command_lines_give_what_git_gives(first: int, git: str, directory: Path) -> None:
    comparer = Comparer(git, directory / "compare")
    results = [one for seed in range(first, first + SEEDS_A_TEST) for one in comparer.compare(seed)]
    found = [str(result) for _, result in results if isinstance(result, Finding)]
    assert not found, "\n".join(found)
    assert {theirs.status for theirs, _ in results} > {0}


@pytest.mark.git
@pytest.mark.parametrize("first", range(0, 20, SEEDS_A_TEST))
def test_all_refs_come_back_as_they_were(first: int, git: str, directory: Path) -> None:
    traveller = Traveller(git, directory / "travel", signatures=git_version() >= (2, 52))
    found = [
        text for seed in range(first, first + SEEDS_A_TEST) for text in traveller.complaints(seed)
    ]
    assert not found, "\n".join(found)
