"""Exports as commands: those of the stream, blobs read on demand."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest

import fastio
from fastio.errors import FastioError, UsageError
from fastio.exporter.commands import ExportedBlob
from fastio.stream.commands import Blob, Commit
from fastio.stream.writer import write_command
from tests.exporter.packed_history import OPTIONS, git_stream, make_history


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "history.git"
    make_history(path, large=3000)
    return path


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("words", [[], ["--no-data"], ["--show-original-ids", "--progress=9"]])
def test_commands_are_those_of_the_stream(history: Path, workers: int, words: list[str]) -> None:
    options = ["--all", *words]
    expected = fastio.parse(io.BytesIO(git_stream(history, *options)))
    for command in fastio.export_commands(history, [*OPTIONS, *options], workers=workers):
        other = next(expected)
        if isinstance(command, ExportedBlob):
            assert isinstance(other, Blob)
            assert (command.mark, command.original_oid) == (other.mark, other.original_oid)
            assert command.data == other.data
        else:
            assert command == other
    assert next(expected, None) is None


def test_elsewhere_they_are_plain_blobs(history: Path) -> None:
    commands = fastio.export_commands(history, [*OPTIONS, "--all"])
    blob = next(command for command in commands if isinstance(command, ExportedBlob))
    copied = pickle.loads(pickle.dumps(blob))
    assert copied == Blob(blob.mark, None, blob.data)


def test_commands_can_be_written_again(history: Path) -> None:
    commands = fastio.export_commands(str(history), [*OPTIONS, "--all"])
    written = b"".join(write_command(command) for command in commands)
    parsed = fastio.parse(io.BytesIO(git_stream(history, "--all")))
    assert written == b"".join(write_command(command) for command in parsed)


def test_what_is_not_looked_at_is_not_read(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExportedBlob, "data", property(lambda _blob: pytest.fail("it was read")))
    commands = list(fastio.export_commands(history, [*OPTIONS, "--all"]))
    blobs = [command for command in commands if isinstance(command, ExportedBlob)]
    assert len(blobs) > 100
    assert sum(isinstance(command, Commit) for command in commands) == 150
    first = blobs[0]
    assert first.oid.hex() in repr(first)
    assert first != blobs[1]
    assert len(set(blobs)) == len(blobs)


def test_what_cannot_be_done_is_an_error(history: Path) -> None:
    with pytest.raises(FastioError, match="anonymized"):
        next(fastio.export_commands(history, ["--all", "--anonymize"]))
    with pytest.raises(UsageError):
        next(fastio.export_commands(history, ["--all", "--signed-tags=perhaps"]))
    with pytest.raises(FastioError, match="nowhere"):
        list(fastio.export_commands(history, ["nowhere"]))
