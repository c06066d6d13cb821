"""Loose objects: the slow reader is the quick one's model."""

import os
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastio.errors import ObjectError
from fastio.objects.kinds import BLOB, TAG, Oid
from fastio.store._loose import LooseReader, touch_loose
from fastio.store.loose import loose_info, loose_path, read_loose, write_loose
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work

OID = Oid(bytes(range(20)))
OTHER = Oid(b"\0\x01" + bytes(18))  # in the same directory
BYTES = bytes(range(256))

headers = st.one_of(
    st.builds(b"%s %d\0".__mod__, st.tuples(st.sampled_from([b"tag", b"blob"]), st.integers(0, 9))),
    st.sampled_from(
        [
            b"blob 03\0",
            b"blob  3\0",
            b"blob 3",
            b"blub 3\0",
            b"blob \0",
            b"tree -1\0",
            b"tag 1%019d\0" % 0,
        ]
    ),
    st.builds(b"commit %d\0".__mod__, st.integers(10**16, 10**18 - 1)),
)


def put(directory: Path, packed: bytes, oid: Oid = OID) -> None:
    path = Path(loose_path(bytes(directory), oid).decode())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed)


def expected(directory: Path) -> tuple[int, bytes] | None:
    """What the slow reader reads; None for an error as for nothing."""
    try:
        return read_loose(bytes(directory), OID)
    except ObjectError:
        return None


def expected_info(directory: Path) -> tuple[int, int] | None:
    try:
        return loose_info(bytes(directory), OID)
    except ObjectError:
        return None


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    headers,
    st.binary(max_size=9),
    st.integers(0, 9),
    st.sampled_from([None, -1, -5]),
    st.booleans(),
)
@example(b"blob 3\0", b"abc", 6, None, False)
@example(b"blob 0\0", b"", 6, None, False)
@example(b"blob 3\0", b"abc", 6, None, True)  # something behind the end
@example(b"blob 3\0", b"abc", 6, -1, False)  # cut short
@example(b"blob 3\0", b"abcd", 6, None, False)
@example(b"blob 3\0", b"ab", 6, None, False)
def test_the_quick_reader_agrees_with_the_slow_one(
    header: bytes, content: bytes, level: int, end: int | None, behind: bool
) -> None:
    packed = zlib.compress(header + content, level)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        reader = LooseReader(20, lambda: [bytes(directory)])
        put(directory, packed)
        info = expected_info(directory)
        assert reader.info(OID) == info
        put(directory, packed[:end] + b"more" * behind)
        assert reader.read(OID) == expected(directory)
        assert reader.info(OID) in (info, None)


@pytest.mark.parametrize("at", range(30))
def test_every_damaged_byte_is_noticed(tmp_path: Path, at: int) -> None:
    packed = bytearray(zlib.compress(b"blob 21\0damaged, or is it not"))
    packed[at] ^= 0x10
    put(tmp_path, packed)
    assert LooseReader(20, lambda: [bytes(tmp_path)]).read(OID) == expected(tmp_path)


@pytest.mark.parametrize("size", [0, 1, 4096, 100_000, (1 << 19) - 12, (1 << 19) - 11, 1 << 20])
def test_what_does_not_fit_is_left(tmp_path: Path, size: int) -> None:
    content = (BYTES * (size // 256 + 1))[:size]
    write_loose(bytes(tmp_path), OID, BLOB, content)
    fits = size + len(b"blob %d\0" % size) <= 1 << 19
    reader = LooseReader(20, lambda: [bytes(tmp_path)])
    assert reader.info(OID) == (BLOB, size)
    assert reader.read(OID) == ((BLOB, content) if fits else None)


@pytest.mark.parametrize("size", [(1 << 16) - 1, 1 << 16])
def test_a_file_that_fills_the_buffer_is_left(tmp_path: Path, size: int) -> None:
    packed = zlib.compress(b"tag 65000\0" + BYTES * 250, 0)
    put(tmp_path, packed + bytes(size - len(packed)))
    reader = LooseReader(20, lambda: [bytes(tmp_path)])
    assert reader.info(OID) == ((TAG, 65000) if size < 1 << 16 else None)


def test_directories_are_looked_into_in_turn(tmp_path: Path) -> None:
    directories = [tmp_path / name for name in ("none", "first", "second")]
    reader = LooseReader(20, lambda: [bytes(directory) for directory in directories])
    assert reader.read(OID) is None
    write_loose(bytes(directories[2]), OID, BLOB, b"second")
    assert reader.read(OID) == (BLOB, b"second")
    write_loose(bytes(directories[1]), OTHER, BLOB, b"first")
    assert reader.read(OTHER) == (BLOB, b"first")
    assert reader.info(OID) == (BLOB, 6)
    assert reader.read(OID) == (BLOB, b"second")


def test_loose_objects_of_an_alternate_are_read(sha1_work: Work, tmp_path: Path) -> None:
    sha1_work.fill(2)
    borrower = Work(tmp_path / "borrower")
    alternates = borrower.path / ".git/objects/info/alternates"
    alternates.write_text(f"{sha1_work.path}/.git/objects\n")
    reader = ObjectReader(ObjectStore(Repository.discover(str(borrower.path))), memory=1 << 20)
    for oid, _, size in sha1_work.objects():
        kind, content = reader.read(oid)
        assert sha1_work.format.hash_object(kind, content) == oid
        assert reader.size(oid) == (kind, size)


@pytest.mark.parametrize("verify", [False, True])
def test_an_object_under_another_name_is_noticed_if_asked_for(
    sha1_work: Work, verify: bool
) -> None:
    write_loose(bytes(sha1_work.path / ".git/objects"), OID, BLOB, b"content")
    store = ObjectStore(Repository.discover(str(sha1_work.path)))
    reader = ObjectReader(store, memory=1 << 20, verify=verify)
    if not verify:
        assert reader.read(OID) == (BLOB, b"content")
        return
    with pytest.raises(ObjectError, match=f"{OID.hex()} is damaged: its content has another oid"):
        reader.read(OID)


few_oids = st.sampled_from([OID, OTHER, Oid(b"\xff" * 20), Oid(b"\xff" * 19 + b"\0")])


@settings(max_examples=30)
@given(st.lists(st.tuples(few_oids, st.booleans())), st.sets(few_oids))
def test_files_look_new(asked: list[tuple[Oid, bool]], stored: set[Oid]) -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for oid in stored:
            put(directory, b"", oid)
            os.utime(loose_path(bytes(directory), oid), (1, 1))
        found = [known for _, known in asked]
        touch_loose(bytes(directory), [oid for oid, _ in asked], found)
        assert found == [known or oid in stored for oid, known in asked]
        touched = {oid for oid, known in asked if not known}
        for oid in stored:
            is_new = os.stat(loose_path(bytes(directory), oid)).st_mtime > 1
            assert is_new == (oid in touched)


def test_oids_of_several_lengths() -> None:
    with pytest.raises(ObjectError, match="31 bytes are not 2 oids"):
        touch_loose(b".", [OID, OID[:11]], [False, False])  # type: ignore[list-item]
