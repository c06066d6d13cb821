import os
import random
import zlib

import pytest

from fastio.errors import ObjectError, PackError
from fastio.objects.kinds import BLOB, NAMES, Oid
from fastio.store.loose import loose_path
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository


def assert_reads_all(work):
    with ObjectStore(Repository.discover(str(work.path))) as store:
        found = list(work.objects())
        for oid, kind_name, size in found:
            kind, content = store.read(oid)
            assert NAMES[kind] == kind_name
            assert store.object_format.hash_object(kind, content) == oid
            assert store.info(oid) == (kind, size)
    return len(found)


def test_loose_objects(work):
    work.fill()
    assert assert_reads_all(work) > 40
    store = ObjectStore(Repository.discover(str(work.path)))
    assert not any(store.find_packed(oid) for oid, *_ in work.objects())


@pytest.mark.parametrize(
    "settings",
    [
        ("repack.useDeltaBaseOffset=true",),
        ("repack.useDeltaBaseOffset=false",),
        ("pack.indexVersion=1",),
        ("core.compression=0",),
    ],
)
def test_packed_objects(work, settings):
    work.fill()
    options = [word for setting in settings for word in ("-c", setting)]
    work(*options, "repack", "-adfq", "--depth=50")
    assert assert_reads_all(work) > 40
    with ObjectStore(Repository.discover(str(work.path))) as store:
        assert all(store.find_packed(oid) for oid, *_ in work.objects())


def test_a_long_chain(sha1_work):
    sha1_work.fill(60)
    sha1_work("repack", "-adfq", "--depth=4000", "--window=100")
    assert_reads_all(sha1_work)


def test_a_large_blob(sha1_work):
    content = random.Random(2).randbytes(700_000) + bytes(700_000)
    (sha1_work.path / "large").write_bytes(content)
    oid = Oid(bytes.fromhex(sha1_work("hash-object", "-w", "large")))
    with ObjectStore(Repository.discover(str(sha1_work.path))) as store:
        assert store.read(oid) == (BLOB, content)
        sha1_work("add", "large")
        sha1_work("commit", "-q", "-m", "large")
        sha1_work("repack", "-adq")
        assert not store.find_packed(oid)
        assert store.reload()
        assert store.find_packed(oid)
        assert store.read(oid) == (BLOB, content)


def test_many_packs_with_few_open(work):
    for number in range(6):
        (work.path / "file").write_text(str(number))
        work("add", ".")
        work("commit", "-q", "-m", str(number))
        work("repack", "-dq")
    with ObjectStore(Repository.discover(str(work.path)), max_open_packs=2) as store:
        oids = [oid for oid, *_ in work.objects()]
        before = len(os.listdir("/proc/self/fd"))
        for oid in oids * 2:
            assert store.find_packed(oid)
            store.read(oid)
        assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_pack_is_not_relied_on(sha1_work, damage):
    sha1_work.fill(2)
    sha1_work("repack", "-adq")
    oid, *_ = next(iter(sha1_work.objects()))
    if damage == "cut":
        sha1_work.pack().chmod(0o644)
        os.truncate(sha1_work.pack(), 200)
    with ObjectStore(Repository.discover(str(sha1_work.path))) as store:
        assert store._known_packs()  # by name; none is open
        if damage == "gone":
            sha1_work.pack().unlink()
        assert not store.find_packed(oid)
        with pytest.raises((PackError, ObjectError)):
            store.read(oid)


def test_what_is_missing(work):
    work.fill(1)
    missing = Oid(b"\x11" * Repository.discover(str(work.path)).object_format.oid_size)
    with ObjectStore(Repository.discover(str(work.path))) as store:
        assert store.info(missing) is None
        with pytest.raises(ObjectError, match="1111"):
            store.read(missing)


def test_objects_that_moved_to_another_pack_are_found_again(sha1_work):
    sha1_work.fill(2)
    sha1_work("repack", "-adq")
    with ObjectStore(Repository.discover(str(sha1_work.path))) as store:
        first, *_ = sha1_work.objects()
        assert store.find_packed(first[0])
        sha1_work.fill(3)
        sha1_work("repack", "-adq")
        for oid, *_ in sha1_work.objects():
            assert store.info(oid)


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "header"])
def test_a_damaged_loose_object(sha1_work, damage):
    oid = Oid(bytes.fromhex(sha1_work("hash-object", "-w", "--stdin", text="x" * 1000)))
    repository = Repository.discover(str(sha1_work.path))
    path = loose_path(repository.objects_dir, oid)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if damage == "cut":
        del data[-5:]
    elif damage == "flip":
        data[len(data) // 2] ^= 0x55
    os.unlink(path)
    with open(path, "wb") as file:
        file.write(
            {"empty": b"", "header": b"\x78\x9c\x4b\x04\x00\x00\x62\x00\x62"}.get(damage, data)
        )
    with ObjectStore(repository) as store, pytest.raises(ObjectError, match=oid.hex()):
        store.read(oid)


@pytest.mark.parametrize(
    "header", [b"blob 03\0", b"blob  3\0", b"blub 3\0", b"blob 3 \0", b"blob \0"]
)
def test_headers_that_git_refuses(sha1_work, header):
    repository = Repository.discover(str(sha1_work.path))
    oid = Oid(b"\x5a" * 20)
    path = loose_path(repository.objects_dir, oid)
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(zlib.compress(header + b"abc"))
    with (
        ObjectStore(repository) as store,
        pytest.raises(ObjectError, match=r"5a5a has no proper header"),
    ):
        store.read(oid)


def test_a_pack_with_a_damaged_idx_is_left_out(sha1_work):
    sha1_work.fill(2)
    sha1_work("repack", "-adq")
    oid, *_ = next(iter(sha1_work.objects()))
    idx = sha1_work.pack().with_suffix(".idx")
    idx.chmod(0o644)
    os.truncate(idx, 1000)
    told = []
    with ObjectStore(Repository.discover(str(sha1_work.path)), warn=told.append) as store:
        assert not store.find_packed(oid)
        assert store.info(oid) is None
        with pytest.raises(ObjectError, match="missing"):
            store.read(oid)
    assert [str(idx) in text for text in told] == [True]
