"""The reader of many objects: what it gives is what git has."""

import pytest

from fastio.errors import ObjectError
from fastio.objects.kinds import NAMES, Oid
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
