"""The reader of many objects: what it gives is what git has."""

import subprocess
import sys
from pathlib import Path

import pytest

from fastio.errors import ObjectError
from fastio.objects.kinds import BLOB, NAMES, TREE, Oid
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work

ABSENT = Oid(b"\x5a" * 20)


def opened(work: Work, *, memory: int = 1 << 20, verify: bool = False) -> ObjectReader:
    store = ObjectStore(Repository.discover(str(work.path)))
    return ObjectReader(store, memory=memory, verify=verify)


def assert_reads_all(work: Work, reader: ObjectReader) -> None:
    for oid, kind_name, size in work.objects():
        kind, content = reader.read(oid)
        assert NAMES[kind] == kind_name
        assert work.format.hash_object(kind, content) == oid
        assert reader.size(oid) == (kind, size)


def test_loose_objects(work: Work) -> None:
    work.fill(3)
    assert_reads_all(work, opened(work))


@pytest.mark.parametrize("offsets", ["true", "false"])
@pytest.mark.parametrize("verify", [False, True])
def test_packed_objects(work: Work, offsets: str, verify: bool) -> None:
    work.fill()
    work("-c", f"repack.useDeltaBaseOffset={offsets}", "repack", "-adfq", "--depth=50")
    assert_reads_all(work, opened(work, verify=verify))


def test_a_missing_object_is_named(sha1_work: Work) -> None:
    for look_up in (opened(sha1_work).read, opened(sha1_work).size):
        with pytest.raises(ObjectError, match=f"^object {ABSENT.hex()} is missing$"):
            look_up(ABSENT)


def test_in_a_partial_clone_a_missing_object_comes_with_the_command_to_fetch_it(
    sha1_work: Work,
) -> None:
    sha1_work("config", "remote.far.away.promisor", "true")
    with pytest.raises(ObjectError, match=r"far\.away .*'git cat-file -e 5a5a5a"):
        opened(sha1_work).read(ABSENT)


def test_packs_that_import_writes(sha1_work: Work, tmp_path: Path) -> None:
    sha1_work.fill(30)
    stream = sha1_work("fast-export", "--all").encode() + b"\n"
    other = Work(tmp_path / "other")
    other("config", "fastimport.unpackLimit", "1")
    command = [sys.executable, "-m", "fastio", "-C", str(other.path), "import", "--depth=5"]
    subprocess.run(command, input=stream, check=True, stderr=subprocess.DEVNULL)
    assert other.pack().exists()
    assert_reads_all(other, opened(other))


@pytest.mark.parametrize("memory", [0, 3000, 100_000])
def test_little_memory_makes_reading_slow_and_not_wrong(sha1_work: Work, memory: int) -> None:
    sha1_work.fill(20)
    sha1_work("repack", "-adfq", "--depth=50")
    assert_reads_all(sha1_work, opened(sha1_work, memory=memory))


def test_replaced_objects_are_read_under_their_old_names(sha1_work: Work) -> None:
    sha1_work.fill(3)
    old, new = (sha1_work("rev-parse", name) for name in ("HEAD", "HEAD~2"))
    sha1_work("replace", old, new)
    sha1_work("repack", "-adq")
    reader = opened(sha1_work, verify=True)
    found = [reader.read(Oid(bytes.fromhex(name))) for name in (old, new)]
    assert found[0] == found[1]


def test_a_repack_meanwhile_is_noticed(sha1_work: Work) -> None:
    sha1_work.fill(5)
    sha1_work("repack", "-adfq")
    reader = opened(sha1_work)
    assert_reads_all(sha1_work, reader)
    sha1_work.fill(6)
    sha1_work("repack", "-adfq", "--depth=1")
    assert_reads_all(sha1_work, reader)


def test_reading_into_a_room(sha1_work: Work) -> None:
    oid = Oid(bytes.fromhex(sha1_work("hash-object", "-w", "--stdin", text="content")))
    reader, room = opened(sha1_work), bytearray(7)
    assert reader.read_into(oid, bytearray(6)) == -1
    assert reader.read_into(oid, room, BLOB) == 7
    assert room == b"content"
    with pytest.raises(ObjectError, match=f"object {oid.hex()} is a blob, not a tree"):
        reader.read_into(oid, room, TREE)


def test_objects_of_a_family_are_told_by_the_same_number(sha1_work: Work) -> None:
    sha1_work.fill(10)
    sha1_work("repack", "-adfq", "--depth=50", "--window=50")
    reader = opened(sha1_work)
    versions = sha1_work("log", "--format=%H:file").split()
    oids = [Oid(bytes.fromhex(sha1_work("rev-parse", version))) for version in versions]
    assert len({reader.family(oid) for oid in oids}) == 1
    assert reader.family(ABSENT) != reader.family(oids[0])


def test_large_objects_come_in_pieces(sha1_work: Work) -> None:
    content = bytes(range(256)) * 8000
    oid = Oid(bytes.fromhex(sha1_work("hash-object", "-w", "--stdin", text=content)))
    reader = opened(sha1_work, verify=True)
    assert reader.open_large(oid, above=len(content)) is None
    large = reader.open_large(oid, above=1000)
    assert large is not None
    assert (large.kind, b"".join(large.pieces)) == (BLOB, content)
