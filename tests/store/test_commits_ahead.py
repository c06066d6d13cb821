"""Commits that a thread reads ahead: what is there is what the pack holds, and nothing else is."""

from __future__ import annotations

import functools
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import Buffer

from fastio.exporter._commit_table import CommitTable
from fastio.exporter._native_walk import DateWalk
from fastio.objects.kinds import COMMIT, SHA1, Oid
from fastio.store.commits_ahead import CommitsAhead
from fastio.store.idx import PackIndex
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.pack_reader import PackFile
from fastio.store.repository import Repository

COMMITS = 1500


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A packed repository with commits of many lengths, some of them alike."""
    path = tmp_path_factory.mktemp("ahead") / "history.git"
    rng = random.Random(7)
    stream = bytearray()
    for number in range(1, COMMITS + 1):
        text = rng.randbytes(rng.choice([3, 30, 300])).hex().encode() * rng.choice([1, 1, 5])
        stream += b"commit refs/heads/main\nmark :%d\n" % number
        stream += b"committer A <a@b> %d +0000\ndata %d\n%b\n" % (number, len(text), text)
        stream += b"M 644 inline f%d\ndata 2\n%02d\n" % (number % 9, number % 97)
    subprocess.run(["git", "init", "-q", "--bare", path], check=True)
    subprocess.run(["git", "fast-import", "--quiet"], input=stream, cwd=path, check=True)
    subprocess.run(["git", "repack", "-adfq"], cwd=path, check=True)
    return path


@pytest.fixture(scope="module")
def pack(history: Path) -> PackFile:
    path = bytes(next((history / "objects/pack").glob("*.pack")))
    file = PackFile(path, PackIndex(path.removesuffix(b".pack") + b".idx", SHA1), SHA1)
    file.read_at(12, 1)
    return file


@functools.cache
def commits_of(pack: PackFile) -> dict[int, bytes]:
    """The content of each commit that is stored whole, by offset."""
    offsets = [pack.index.offset_at(number) for number in range(len(pack))]
    heads = {at: pack.read(at) for at in offsets if pack.read_at(at, 1)[0] >> 4 & 7 == COMMIT}
    return {at: content for at, (_, content) in heads.items()}


def read_ahead(
    pack: PackFile, memory: int = 1 << 22, *, samples: bool = False, content: Buffer | None = None
) -> CommitsAhead:
    ahead = CommitsAhead(pack.content if content is None else content, oid_size=20, memory=memory)
    ahead.start(pack.index if samples else None)
    ahead.finish()
    return ahead


def test_all_commits_are_found_by_their_offsets_in_any_order(pack: PackFile) -> None:
    expected = commits_of(pack)
    ahead = read_ahead(pack)
    assert len(ahead) == len(expected) > COMMITS * 9 // 10
    offsets = sorted(expected)
    for order in (offsets, offsets[::-1], random.Random(1).sample(offsets, len(offsets))):
        for offset in order:
            found = ahead.find(offset)
            assert found is not None
            assert found[0] == expected[offset]
    ends = [ahead.find(offset)[1] for offset in offsets]  # type: ignore[index]
    assert all(end <= start for end, start in zip(ends, offsets[1:], strict=False))


def test_nothing_is_found_elsewhere(pack: PackFile) -> None:
    offsets = set(commits_of(pack))
    ahead = read_ahead(pack)
    for offset in range(os.path.getsize(pack.path)):
        assert (ahead.find(offset) is not None) == (offset in offsets)


def test_with_the_idx_the_first_ones_are_left_to_the_walk(pack: PackFile) -> None:
    offsets = sorted(commits_of(pack))
    ahead = read_ahead(pack, samples=True)
    first = next(number for number, offset in enumerate(offsets) if ahead.find(offset))
    assert len(offsets) // 8 < first < len(offsets) // 2
    assert len(ahead) == len(offsets) - first


@pytest.mark.parametrize("memory", [0, 100, 5000, 100_000])
def test_it_ends_when_the_memory_is_full(pack: PackFile, memory: int) -> None:
    ahead = read_ahead(pack, memory)
    expected = commits_of(pack)
    assert ahead.used <= memory
    assert len(ahead) < len(expected)
    for offset in sorted(expected)[: len(ahead)]:
        assert ahead.find(offset) is not None


@given(st.data())
def test_damage_ends_it_and_is_never_given_out(pack: PackFile, data: st.DataObject) -> None:
    expected = commits_of(pack)
    with open(pack.path, "rb") as file:
        content = bytearray(file.read())
    last = max(expected)
    place = data.draw(st.integers(12, last))
    content[place] ^= data.draw(st.integers(1, 255))
    ahead = read_ahead(pack, content=content[: data.draw(st.integers(last, len(content)))])
    found = {offset: ahead.find(offset) for offset in expected}
    before = sorted(offset for offset in expected if offset < place)
    for offset in before[:-1]:  # the last one may be the damaged one
        assert found[offset] is not None
    assert all(each is None or each[0] == expected[at] for at, each in found.items())


def test_stopping_leaves_what_was_read(pack: PackFile) -> None:
    ahead = CommitsAhead(pack.content, oid_size=20, memory=1 << 22)  # type: ignore[arg-type]
    ahead.start()
    ahead.stop()
    expected = commits_of(pack)
    for offset in sorted(expected)[: len(ahead)]:
        found = ahead.find(offset)
        assert found is not None
        assert found[0] == expected[offset]


def walk_of(history: Path, store: ObjectStore, memory: int) -> list[Oid]:
    """Walk all of a history, with so much memory for commits that are read ahead."""
    said = subprocess.run(
        ["git", "rev-parse", "main"], cwd=history, check=True, capture_output=True
    )
    head = Oid(bytes.fromhex(said.stdout.decode()))
    table = CommitTable(ObjectReader(store, memory=1 << 20), ahead=memory)
    walk = DateWalk(table).run([(head, False)], {head: b"refs/heads/main"}, None)
    return [walk.oid(row) for row in range(len(walk))]


@pytest.mark.parametrize("verify", [False, True])
def test_walks_and_readers_give_the_same_with_and_without(history: Path, verify: bool) -> None:
    stores = [ObjectStore(Repository.discover(str(history))) for _ in range(2)]
    oids, others = (
        walk_of(history, store, memory) for store, memory in zip(stores, (0, 1 << 22), strict=True)
    )
    assert oids == others
    assert stores[0].commits_ahead is None
    assert stores[1].commits_ahead is not None
    stores[1].commits_ahead[0].finish()
    assert len(stores[1].commits_ahead[0])
    plain, ahead = (ObjectReader(store, memory=1 << 20, verify=verify) for store in stores)
    for oid in oids:
        assert ahead.read(oid) == plain.read(oid)
    stores[1].close()  # the thread's bytes stay, but are nobody's any more
    for oid in oids[:: COMMITS // 10]:
        assert ahead.read(oid) == plain.read(oid)
    for store in stores:
        store.close()


def export(path: Path) -> tuple[bytes, str]:
    done = subprocess.run(
        [sys.executable, "-m", "fastio", "-C", path, "export", "--all", "--no-data"],
        capture_output=True,
    )
    return done.stdout, done.stderr.decode()


def test_an_export_has_the_commits_as_they_were_read(history: Path) -> None:
    said = subprocess.run(
        ["git", "fast-export", "--all", "--no-data"], cwd=history, check=True, capture_output=True
    )
    assert export(history) == (said.stdout, "")


@pytest.mark.parametrize("back", [9, 450, 1450])
def test_an_export_notices_where_the_idx_says_other_bytes(
    history: Path, tmp_path: Path, back: int
) -> None:
    """Whoever read the commit ahead: the walk, a thread, or nobody."""
    damaged = tmp_path / "damaged.git"
    shutil.copytree(history, damaged)
    idx = next((damaged / "objects/pack").glob("*.idx"))
    index = PackIndex(str(idx), SHA1)
    said = subprocess.run(
        ["git", "rev-parse", f"main~{back}"], cwd=history, check=True, capture_output=True
    )
    oid = bytes.fromhex(said.stdout.decode())
    place = next(at for at in range(len(index)) if index.oid_at(at) == oid)
    content = bytearray(idx.read_bytes())
    content[8 + 1024 + len(index) * 20 + 4 * place] ^= 1  # its checksum
    idx.chmod(0o644)
    idx.write_bytes(content)
    stream, warning = export(damaged)
    assert f"object {oid.hex()}" in warning
    assert "the checksum in the idx is another one" in warning
    assert stream == export(history)[0]  # git would not have noticed: the bytes are right
