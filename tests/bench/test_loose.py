"""Loose objects against a pack, step by step; and what is drawn and told of it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from fastio.bench import loose as module
from fastio.bench.content import FULL, Content, Payload
from fastio.bench.loose import LooseStudy, study_loose
from fastio.errors import FastioError
from fastio.store.config import Config


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OBJECTS", 20)


def study(work: Path, listing: bytes = b"") -> LooseStudy:
    content = Content("name", "folder", 2)
    content.add(FULL, Payload(b"small", 5, 3.0))
    content.add(FULL, Payload(b"larger" * 100, 600, 1.0))
    return study_loose(content, Config(listing), Random(1), str(work))


def test_every_step_is_told_and_nothing_stays(tmp_path: Path) -> None:
    found = study(tmp_path)
    assert list(tmp_path.iterdir()) == []
    names = ["hash", "deflate", "create", "write", "name", "close", "remove the other name"]
    assert [step.name for step in found.loose] == names
    assert [step.name for step in found.loose if step.of_file] == [names[2], *names[4:]]
    assert [step.name for step in found.pack] == ["create", "hash", "deflate", "write", "complete"]
    assert all(step.wall > 0 for step in (*found.loose, *found.pack))
    of_files = sum(step.wall for step in found.loose if step.of_file)
    assert found.file_share == of_files / sum(step.wall for step in found.loose)
    assert 0 < found.file_share_of_cpu < 1
    assert (found.objects, found.directory, found.fsync) == (20, str(tmp_path), False)
    assert 20 * 5 < found.size < 20 * 600


def test_loose_objects_are_hardened_where_that_is_configured(tmp_path: Path) -> None:
    found = study(tmp_path, b"core.fsync\nloose-object\0")
    assert found.fsync
    assert "fsync" in [step.name for step in found.loose]


def test_a_directory_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(FastioError, match=r"cannot write to '.*/missing/.*': No such file"):
        study(tmp_path / "missing")
