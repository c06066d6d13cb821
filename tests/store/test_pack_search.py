"""Types of objects and whether packs have them: what compiled code asks, git is the model."""

import random
from pathlib import Path

import pytest

from fastio.errors import PackError
from fastio.objects.kinds import BLOB, COMMIT, NUMBERS, Oid
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work

ABSENT = Oid(b"\x5a" * 20)


def opened(work: Work, *, most: int = 100) -> ObjectStore:
    return ObjectStore(Repository.discover(str(work.path)), max_open_packs=most)


@pytest.mark.parametrize("offsets", ["true", "false"])
@pytest.mark.parametrize("most", [1, 100])
def test_types_are_those_that_git_tells(work: Work, offsets: str, most: int) -> None:
    work.fill()
    work("-c", f"repack.useDeltaBaseOffset={offsets}", "repack", "-adfq", "--depth=50")
    work.fill()
    work("repack", "-dq")
    loose = Oid(bytes.fromhex(work("hash-object", "-w", "--stdin", text="loose")))
    with opened(work, most=most) as store:
        kinds = {oid: NUMBERS[kind] for oid, kind, _ in work.objects()}
        for _ in range(2):  # once more, out of the table
            assert {oid: store.kind(oid) for oid in kinds} == kinds
        assert store.kind(loose) == BLOB
        assert [oid for oid in kinds if not store.find_packed(oid)] == [loose]


def test_a_long_chain_is_walked_once(sha1_work: Work) -> None:
    sha1_work.fill(100)
    sha1_work("repack", "-adfq", "--depth=4000", "--window=200")
    with opened(sha1_work) as store:
        assert all(store.kind(oid) == NUMBERS[kind] for oid, kind, _ in sha1_work.objects())


def test_no_object_has_no_type(sha1_work: Work) -> None:
    with opened(sha1_work) as store:
        assert store.kind(ABSENT) is None
        sha1_work.fill(2)
        sha1_work("repack", "-adq")
        assert store.kind(ABSENT) is None


@pytest.mark.parametrize("oid", [b"", b"x" * 19, b"x" * 32])
def test_what_is_no_oid_is_refused(sha1_work: Work, oid: bytes) -> None:
    with opened(sha1_work) as store:
        for look_up in (store.kind, store.find_packed):
            with pytest.raises(PackError, match="not an oid"):
                look_up(Oid(oid))


def test_packs_that_come_and_go_are_noticed(sha1_work: Work) -> None:
    sha1_work.fill(3)
    sha1_work("repack", "-adq")
    with opened(sha1_work) as store:
        kinds = {oid: store.kind(oid) for oid, *_ in sha1_work.objects()}
        sha1_work("commit", "-q", "--allow-empty", "-m", "another")
        sha1_work("repack", "-adfq")
        new = Oid(bytes.fromhex(sha1_work("rev-parse", "HEAD")))
        assert store.kind(new) == COMMIT  # the store looks again when it finds nothing
        assert all(store.kind(oid) == kind for oid, kind in kinds.items())


def test_a_pack_that_is_cut_short_has_nothing(sha1_work: Work) -> None:
    sha1_work.fill(3)
    sha1_work("repack", "-adq")
    oids = [oid for oid, *_ in sha1_work.objects()]
    pack = sha1_work.pack()
    pack.chmod(0o600)
    pack.write_bytes(pack.read_bytes()[:-1])
    with opened(sha1_work) as store:
        assert not any(map(store.find_packed, oids))
        with pytest.raises(PackError):
            store.kind(oids[0])


def test_a_replacement_has_the_type_that_counts(sha1_work: Work) -> None:
    sha1_work.fill(2)
    sha1_work("repack", "-adq")
    commit, blob = sha1_work("rev-parse", "HEAD"), sha1_work("rev-parse", "HEAD:file")
    sha1_work("replace", "-f", blob, sha1_work("rev-parse", "HEAD:dir/new 1"))
    sha1_work("update-ref", f"refs/replace/{commit}", blob)
    with opened(sha1_work) as store:
        assert store.kind(Oid(bytes.fromhex(commit))) == BLOB


def test_damage_gives_a_type_or_a_pack_error(sha1_work: Work, tmp_path: Path) -> None:
    sha1_work.fill(20)
    sha1_work("repack", "-adfq", "--depth=50")
    oids = [oid for oid, *_ in sha1_work.objects()]
    pack, rng = sha1_work.pack(), random.Random(1)
    pack.chmod(0o600)
    content = pack.read_bytes()
    for _ in range(20):
        damaged = bytearray(content)
        for _ in range(200):
            damaged[rng.randrange(12, len(content) - 20)] = rng.randrange(256)
        pack.write_bytes(damaged)
        with opened(sha1_work) as store:
            for oid in oids:
                try:
                    assert store.kind(oid) in NUMBERS.values()
                except PackError:
                    continue
