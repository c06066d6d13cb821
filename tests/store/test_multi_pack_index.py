"""The multi-pack-index: as good as asking each pack, and not relied on where it is not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fastio.errors import FastioError, ObjectError
from fastio.objects.kinds import SHA1, Oid
from fastio.store._multi_pack import MultiPackView
from fastio.store.idx import PackIndex
from fastio.store.multi_pack_index import open_multi_pack_index
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work

ABSENT = Oid(b"\x5a" * 20)


def filled(work: Work) -> Path:
    """A repository of five packs with a multi-pack-index."""
    work("config", "maintenance.auto", "false")
    for number in range(5):
        (work.path / "file").write_text(f"{number}\n" * 100)
        work("add", ".")
        work("commit", "-q", "-m", str(number))
        work("repack", "-dq")
    work("multi-pack-index", "write")
    return work.path / ".git/objects/pack"


def opened(work: Work) -> ObjectReader:
    return ObjectReader(ObjectStore(Repository.discover(str(work.path))), memory=1 << 20)


def assert_reads_all(work: Work, reader: ObjectReader, oids: list[Oid] | None = None) -> None:
    for oid in oids or [oid for oid, *_ in work.objects()]:
        kind, content = reader.read(oid)
        assert work.format.hash_object(kind, content) == oid
        assert reader.store.find_packed(oid)


def test_each_object_has_its_place(work: Work) -> None:
    folder = filled(work)
    index = open_multi_pack_index(bytes(folder), work.format)
    assert index is not None
    packs = [PackIndex(path + b".idx", work.format) for path in index.paths()]
    oids = [oid for oid, *_ in work.objects()]
    assert len(packs) == 5
    assert len(index) == len(oids)
    for oid in oids:
        assert index.find(oid) == packs[index.pack_of(oid)].find(oid) > 0
    assert index.find(bytes(work.format.oid_size)) == index.pack_of(b"short") == -1
    assert_reads_all(work, opened(work))


def test_packs_that_it_does_not_name_are_asked_as_well(sha1_work: Work) -> None:
    filled(sha1_work)
    (sha1_work.path / "file").write_text("newer")
    sha1_work("commit", "-qam", "newer")
    sha1_work("repack", "-dq")
    reader = opened(sha1_work)
    assert_reads_all(sha1_work, reader)
    with pytest.raises(ObjectError, match="is missing"):
        reader.read(ABSENT)


def test_one_that_names_a_pack_that_is_gone_is_left_aside(sha1_work: Work) -> None:
    folder = filled(sha1_work)
    stale = (folder / "multi-pack-index").read_bytes()
    sha1_work("repack", "-adfq")
    oids = [oid for oid, *_ in sha1_work.objects()]  # git itself may be led astray
    (folder / "multi-pack-index").write_bytes(stale)
    assert_reads_all(sha1_work, opened(sha1_work), oids)


def test_one_that_leads_astray_is_left_aside(sha1_work: Work) -> None:
    folder = filled(sha1_work)
    path = folder / "multi-pack-index"
    whole = path.read_bytes()
    path.unlink()
    oids = [oid for oid, *_ in sha1_work.objects()]  # git itself is led astray
    at = whole.index(b"OOFF") + 4
    places = int.from_bytes(whole[at : at + 8], "big")
    for damage in (b"\0\0\0\0\0\0\0\x0c", b"\0\0\0\1\xff\xff\xff\xff", b"\0\0\0\x09\0\0\0\x0c"):
        path.unlink(missing_ok=True)
        path.write_bytes(whole[:places] + damage * len(oids) + whole[places + 8 * len(oids) :])
        assert_reads_all(sha1_work, opened(sha1_work), oids)


def test_damage_is_never_worse_than_an_error(sha1_work: Work) -> None:
    folder = filled(sha1_work)
    path, rng = folder / "multi-pack-index", random.Random(1)
    whole, oids = path.read_bytes(), [oid for oid, *_ in sha1_work.objects()]
    store = ObjectStore(Repository.discover(str(sha1_work.path)))
    for number in range(80):
        damaged = bytearray(whole)
        place = rng.randrange(160 if number % 2 else len(whole))
        damaged[place] ^= 1 << rng.randrange(8)
        path.unlink()
        path.write_bytes(damaged[: len(whole) if number % 3 else rng.randrange(len(whole))])
        store.search.forget()
        reader = ObjectReader(store, memory=1 << 20)
        for oid in rng.sample(oids, 5):
            assert SHA1.hash_object(*reader.read(oid)) == oid
        assert not store.find_packed(ABSENT)


@pytest.mark.parametrize("content", [b"", b"MIDX", b"MIDX\1\1\0\0" + bytes(60), b"x" * 2000])
def test_what_is_none_is_refused(content: bytes) -> None:
    with pytest.raises(FastioError, match="multi-pack-index"):
        MultiPackView(content, SHA1.oid_size)


def test_a_configuration_without_it_is_heeded(sha1_work: Work) -> None:
    folder = filled(sha1_work)
    (folder / "multi-pack-index").unlink()
    (folder / "multi-pack-index").mkdir()
    sha1_work("config", "core.multiPackIndex", "false")
    assert not Repository.discover(str(sha1_work.path)).config.use_multi_pack_index
    assert_reads_all(sha1_work, opened(sha1_work))
