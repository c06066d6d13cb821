"""The repositories that tests of the store begin with."""

from pathlib import Path

import pytest

from tests.store.work import Work


@pytest.fixture(params=["sha1", "sha256"])
def work(request: pytest.FixtureRequest, tmp_path: Path) -> Work:
    return Work(tmp_path / "work", request.param)


@pytest.fixture
def sha1_work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")
