"""Samples of a repository's objects."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from fastio.bench import repository as module
from fastio.bench.content import DELTA, FULL, Content
from fastio.bench.drawing import Urn
from fastio.bench.repository import RepositorySample
from fastio.errors import FastioError, ObjectError, PackError
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work

pytestmark = pytest.mark.git


def sample(work: Work, budget: int = 1 << 22, seed: int = 1) -> Content:
    repository = Repository.discover(str(work.path))
    warnings: list[str] = []
    taker = RepositorySample(
        repository, "name", Random(seed), progress=lambda: None, warn=warnings.append
    )
    content = taker.take(budget)
    assert warnings == []
    return content


def filled(path: Path, object_format: str = "sha1") -> Work:
    work = Work(path, object_format)
    work.fill()
    return work


def pack(work: Work) -> None:
    work("repack", "-qad")
    work("prune-packed")


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("state", ["loose", "packed", "both", "borrowed"])
def test_everything_is_there_once(tmp_path: Path, object_format: str, state: str) -> None:
    work = filled(tmp_path / "work", object_format)
    if state != "loose":
        pack(work)
    if state == "both":
        (work.path / "more").write_bytes(b"one more")
        work("add", "more")
    if state == "borrowed":
        other = Work(tmp_path / "other", object_format)
        alternates = other.path / ".git/objects/info/alternates"
        alternates.write_text(f"{work.path}/.git/objects\n")
        work = other
    content = sample(work)
    every = list(work.objects())
    assert content.objects == len(every)
    assert content.size == sum(size for _, _, size in every)
    assert content.steered == sum(kind != b"blob" for _, kind, _ in every)
    assert content.count(DELTA) == 11
    assert content.delta_seconds > 0


def test_full_objects_come_as_they_are(tmp_path: Path) -> None:
    work = Work(tmp_path / "work")
    (work.path / "file").write_bytes(b"content")
    work("add", "file")
    [payload] = sample(work).payloads[FULL]
    assert (payload.data, payload.size, payload.weight) == (b"content", 7, 1)


def test_deltas_are_those_of_our_own_coder(tmp_path: Path) -> None:
    work = filled(tmp_path / "work")
    loose = sorted(one.data for one in sample(work).payloads[DELTA])
    pack(work)
    packed = [one.data for one in sample(work).payloads[DELTA]]
    assert len(loose) == len(packed) == 11
    assert all(len(delta) < 100 for delta in (*loose, *packed))


def test_small_deltas_of_trees_are_stored(tmp_path: Path) -> None:
    work = Work(tmp_path / "work")
    for number in range(60):
        (work.path / f"file {number}").write_bytes(b"%d" % number)
    for _ in range(2):
        work("add", ".")
        work("commit", "-qm", "x")
        (work.path / "file 7").write_bytes(b"changed")
    pack(work)
    content = sample(work)
    assert 0 < content.kept_size < 200
    assert content.payloads[DELTA] == []


@pytest.mark.parametrize("state", ["loose", "packed"])
@pytest.mark.parametrize("largest", [1 << 20, 4 << 20])
def test_large_objects_give_a_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, largest: int
) -> None:
    monkeypatch.setattr(module, "LARGE", largest)
    work = Work(tmp_path / "work")
    (work.path / "file").write_bytes(bytes(range(256)) * (3 << 12))
    work("add", "file")
    if state == "packed":
        work("commit", "-qm", "x")
        pack(work)
    [payload] = [one for one in sample(work).payloads[FULL] if one.size > 1000]
    assert (len(payload.data), payload.size) == (1 << 16, 3 << 20)
    assert bytes(range(256)) in payload.data


def test_what_is_drawn_is_drawn_once(tmp_path: Path) -> None:
    work = filled(tmp_path / "work")
    oids = {oid for oid, _, _ in work.objects()}
    for state in ("loose", "packed"):
        with ObjectStore(Repository.discover(str(work.path))) as store:
            urn = Urn(store)
            assert urn.count == len(oids)
            few = [one.oid for one in urn.draw(Random(1), 7)]
            assert len(set(few)) == len(few) == 7
            assert oids.issuperset(few)
            assert {one.oid for one in urn.draw(Random(1), 1000)} == oids
        if state == "loose":
            pack(work)


def test_a_damaged_pack(tmp_path: Path) -> None:
    work = filled(tmp_path / "work")
    pack(work)
    path = work.pack()
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[100:-20] = bytes(len(content) - 120)
    path.write_bytes(content)
    with pytest.raises(PackError, match=rf"{path}: "):
        sample(work)
    path.write_bytes(b"PACK")
    with pytest.raises(PackError, match=rf"{path}: not a pack"):
        sample(work)


def test_a_damaged_loose_object(tmp_path: Path) -> None:
    work = Work(tmp_path / "work")
    (work.path / "file").write_bytes(b"content" * 100)
    work("add", "file")
    [path] = [path for path in (work.path / ".git/objects").rglob("*") if path.is_file()]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ObjectError, match="has not the promised 700 bytes"):
        sample(work)
    path.write_bytes(b"nonsense")
    with pytest.raises(ObjectError, match=r"loose object [0-9a-f]{40} is damaged"):
        sample(work)


def test_a_history_that_git_cannot_read(tmp_path: Path) -> None:
    work = filled(tmp_path / "work")
    head = work("rev-parse", "HEAD~3")
    os.remove(work.path / ".git/objects" / head[:2] / head[2:])
    with pytest.raises(FastioError, match="git log failed: "):
        sample(work)


def test_a_version_before_that_is_not_here_makes_no_delta(tmp_path: Path) -> None:
    work = filled(tmp_path / "work")
    oid = work("rev-parse", "HEAD~11:file")
    os.remove(work.path / ".git/objects" / oid[:2] / oid[2:])
    content = sample(work)
    assert content.count(DELTA) == 10
    assert content.objects == len(list(work.objects()))


def test_an_object_directory_that_cannot_be_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = filled(tmp_path / "work")
    listdir = os.listdir

    def refuse(path: bytes) -> list[bytes]:
        if os.path.basename(path) == b"objects":
            raise PermissionError(13, "Permission denied", path)
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(FastioError, match=r"cannot read .*/\.git/objects: Permission denied"):
        sample(work)


def test_too_many_packs(tmp_path: Path) -> None:
    work = filled(tmp_path / "work")
    pack(work)
    store = ObjectStore(Repository.discover(str(work.path)), max_open_packs=0)
    with store, pytest.raises(FastioError, match="too many packs"):
        Urn(store)
