"""Large objects that are stored as deltas: none of them, nor of their bases, is held in memory."""

from __future__ import annotations

import errno
import os
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastio.errors import DeltaError, ObjectError, PackError
from fastio.objects.kinds import BLOB, REF_DELTA, SHA1, Oid
from fastio.store import large_deltas
from fastio.store.idx import PackIndex
from fastio.store.large_objects import LargeObject
from fastio.store.pack_reader import PackFile
from tests.exporter.crafted import Entry, write_pack
from workers.delta import encode_delta

MIB = 1 << 20
BASE = random.Random(4).randbytes(2 * MIB)
VERSIONS = [BASE, BASE[:5000] + b"new" + BASE[9000:], BASE + b"end", BASE[MIB:]]
OIDS = [Oid(bytes([number]) * 20) for number in range(1, len(VERSIONS) + 1)]


def delta(base: bytes, target: bytes) -> bytes:
    made = encode_delta(base, target, max_size=1 << 30)
    assert made is not None
    return made


ENTRIES = [Entry(OIDS[0].hex(), BLOB, BASE)] + [
    Entry(OIDS[n].hex(), REF_DELTA, delta(*VERSIONS[n - 1 : n + 1]), OIDS[n - 1])
    for n in range(1, len(VERSIONS))
]


def packed(directory: Path, entries: list[Entry]) -> PackFile:
    write_pack(directory, entries)
    (idx,) = directory.glob("*.idx")
    name = os.fsencode(idx)
    return PackFile(name[:-3] + b"pack", PackIndex(name, SHA1), SHA1)


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PackFile]:
    monkeypatch.setattr(large_deltas, "IN_MEMORY", MIB // 2)
    pack = packed(tmp_path / "pack", ENTRIES)
    yield pack
    pack.close()


@pytest.mark.parametrize("number", range(1, len(VERSIONS)))
def test_what_comes_is_what_the_deltas_build(pack: PackFile, number: int) -> None:
    tracemalloc.start()
    opened = pack.open(pack.find(OIDS[number]), above=MIB // 2)
    assert isinstance(opened, LargeObject)
    assert (opened.kind, opened.size) == (BLOB, len(VERSIONS[number]))
    at = 0
    for piece in opened.pieces:
        assert piece == VERSIONS[number][at : at + len(piece)]
        at += len(piece)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert at == opened.size
    assert most < 1.5 * MIB


def test_what_is_not_larger_than_that_is_read(pack: PackFile) -> None:
    last = len(VERSIONS) - 1
    assert pack.open(pack.find(OIDS[last]), above=len(VERSIONS[last])) == (BLOB, VERSIONS[last])


def test_chains_without_anything_large_are_read(tmp_path: Path) -> None:
    pack = packed(tmp_path / "pack", ENTRIES)
    assert pack.open(pack.find(OIDS[2]), above=0) == (BLOB, VERSIONS[2])
    pack.close()


@pytest.mark.parametrize("level", [0, 1, 2])
def test_damage_is_told_when_it_is_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: int
) -> None:
    monkeypatch.setattr(large_deltas, "IN_MEMORY", MIB // 2)
    entries = list(ENTRIES)
    bad = entries[level].content
    spoiled = bad[:-40] if level == 0 else bad[:8] + b"\0" + bad[9:]
    entries[level] = Entry(OIDS[level].hex(), entries[level].kind, spoiled, entries[level].base)
    pack = packed(tmp_path / "pack", entries)
    opened = pack.open(pack.find(OIDS[2]), above=0)
    assert isinstance(opened, LargeObject)
    with pytest.raises(PackError if level == 0 else DeltaError, match="pack-"):
        list(opened.pieces)
    pack.close()


@pytest.mark.parametrize("lie", [b"\xff\xff\xff\xff\xff\xff\x7f", b"\xff" * 12 + b"\x7f"])
def test_sizes_that_cannot_be_take_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: bytes
) -> None:
    monkeypatch.setattr(large_deltas, "IN_MEMORY", MIB // 2)
    spoiled = Entry(OIDS[1].hex(), REF_DELTA, ENTRIES[1].content[:4] + lie + b"\x01x", OIDS[0])
    pack = packed(tmp_path / "pack", [ENTRIES[0], spoiled])
    with pytest.raises(DeltaError):
        pack.open(pack.find(OIDS[1]), above=0)
    pack.close()


def test_a_disk_without_room_is_told(pack: PackFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    opened = pack.open(pack.find(OIDS[1]), above=0)
    assert isinstance(opened, LargeObject)
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(ObjectError, match="no room for the bases"):
        list(opened.pieces)
