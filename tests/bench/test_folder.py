"""Samples of a folder's files."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fastio.bench.content import DELTA, FULL, Content
from fastio.bench.folder import FolderSample
from fastio.bench.strata import PIECE
from fastio.errors import FastioError


def sample(path: Path, budget: int = 1 << 20, seed: int = 1) -> tuple[FolderSample, Content]:
    taker = FolderSample(str(path), Random(seed), lambda: None)
    return taker, taker.take(budget)


def test_a_large_file_gives_a_piece_of_itself(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(os.urandom(3 * PIECE))
    _, content = sample(tmp_path)
    [payload] = content.payloads[FULL]
    assert (len(payload.data), payload.size, payload.scale) == (PIECE, 3 * PIECE, 3)
    assert payload.data in (tmp_path / "large").read_bytes()


def test_a_seed_always_gives_the_same_sample(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / str(number)).write_bytes(b"%d" % number * 100)
    first, again, other = (
        [one.data for one in sample(tmp_path, 1000, seed)[1].payloads[FULL]] for seed in (1, 1, 2)
    )
    assert first == again != other


def test_only_files_below_the_folder_count(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    (inside / ".git").mkdir(parents=True)
    (tmp_path / "outside").write_bytes(b"outside")
    (inside / "file").write_bytes(b"inside")
    (inside / ".git" / "file").write_bytes(b"git's")
    (inside / "a link").symlink_to(tmp_path / "outside")
    (inside / "a link to a folder").symlink_to(tmp_path)
    os.mkfifo(inside / "a fifo")
    _, content = sample(inside)
    assert [one.data for one in content.payloads[FULL]] == [b"inside"]
    assert content.payloads[DELTA] == []
    assert (content.objects, content.size) == (1, 6)


def test_what_cannot_be_read_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good").write_bytes(b"good")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret file").write_bytes(b"secret")
    scandir, open_file = os.scandir, os.open

    def guarded(call: Any) -> Any:
        def refuse(path: bytes, *arguments: Any, **options: Any) -> Any:
            if b"secret" in path:
                raise PermissionError(13, "Permission denied", path)
            return call(path, *arguments, **options)

        return refuse

    monkeypatch.setattr(os, "scandir", guarded(scandir))
    monkeypatch.setattr(os, "open", guarded(open_file))
    taker, content = sample(tmp_path)
    assert [one.data for one in content.payloads[FULL]] == [b"good"]
    assert taker.left_out == 2
    assert taker.reason == (
        f": 2 cannot be read, the first is '{tmp_path}/secret' (Permission denied)"
    )


def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for name, reason in [("file", "Not a directory"), ("none", "No such file or directory")]:
        with pytest.raises(FastioError, match=rf"cannot read '.*/{name}': {reason}"):
            sample(tmp_path / name)


def test_a_folder_with_nothing_readable_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"secret")

    def refuse(path: bytes, *_arguments: Any) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(
        FastioError, match=r"no file to measure with .*: 1 cannot be read, the first"
    ):
        sample(tmp_path)
