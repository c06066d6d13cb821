from pathlib import Path

import pytest

from tests.cli.field import Field
from tests.importer.conftest import _nothing_is_left, target
from tests.importer.target import Target

__all__ = ["_nothing_is_left", "target"]


@pytest.fixture
def field(target: Target, tmp_path: Path) -> Field:
    return Field(target, tmp_path)
