import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.importer.target import Target, wait_until
from tests.leftovers import shared_files


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """A test that leaves a process, a descriptor or a shared file behind fails."""
    descriptors, files = set(os.listdir("/dev/fd")), shared_files()
    yield
    assert not multiprocessing.active_children()
    assert set(os.listdir("/dev/fd")) == descriptors
    wait_until(lambda: shared_files() <= files, "for shared files to go")


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """A bare repository in which every pack stays a pack."""
    repository = Target(tmp_path / "target.git", "--bare")
    repository.git("config", "fastimport.unpackLimit", "0")
    return repository
