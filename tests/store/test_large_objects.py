import os
import random
import zlib

import pytest

from fastio.errors import ObjectError, PackError
from fastio.objects.kinds import BLOB, SHA1, Oid
from fastio.store.large_objects import PIECE, LargeObject, inflated_pieces, large_entry
from fastio.store.loose import loose_path
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository

CONTENT = random.Random(4).randbytes(700_000) + bytes(1_700_000)


class Buffer:
    def __init__(self, content: bytes) -> None:
        self.content, self.longest = content, 0

    def read_at(self, offset: int, length: int) -> bytes:
        self.longest = max(self.longest, length)
        return self.content[offset : offset + length]


def test_content_comes_in_pieces_none_of_them_large() -> None:
    source = Buffer(b"before" + zlib.compress(CONTENT) + b"behind")
    pieces = list(inflated_pieces(source, 6, len(CONTENT)))
    assert b"".join(pieces) == CONTENT
    assert max(map(len, pieces)) <= PIECE >= source.longest
    assert list(inflated_pieces(Buffer(zlib.compress(b"")), 0, 0)) == []


@pytest.mark.parametrize("size", [0, 1, len(CONTENT) - 1, len(CONTENT) + 1])
def test_size_that_lies_is_noticed(size: int) -> None:
    pieces = inflated_pieces(Buffer(zlib.compress(CONTENT)), 0, size)
    with pytest.raises(PackError, match=f"the promised {size} bytes"):
        sum(map(len, pieces))


@pytest.mark.parametrize("cut", [0, 1, 100_000, -1])
def test_data_that_is_cut_short_is_noticed(cut: int) -> None:
    pieces = inflated_pieces(Buffer(zlib.compress(CONTENT)[:cut]), 0, len(CONTENT))
    with pytest.raises(PackError, match="the promised"):
        sum(map(len, pieces))


def test_damage_is_noticed_where_it_stands() -> None:
    packed = bytearray(zlib.compress(CONTENT))
    packed[400_000] ^= 0xFF
    taken = []
    with pytest.raises(PackError, match=r"is damaged|the promised"):
        taken += inflated_pieces(Buffer(bytes(packed)), 0, len(CONTENT))


def test_only_what_is_large_is_opened() -> None:
    header = bytes([0x80 | BLOB << 4 | 100 & 15, 100 >> 4])
    source = Buffer(bytes(12) + header + zlib.compress(bytes(100)))
    assert large_entry(source, 12, SHA1, above=100) is None
    opened = large_entry(source, 12, SHA1, above=99)
    assert (opened.kind, opened.size, b"".join(opened.pieces)) == (BLOB, 100, bytes(100))


@pytest.mark.git
@pytest.mark.parametrize("packed", [False, True])
def test_store_opens_large_objects_and_reads_others(work, packed: bool) -> None:
    (work.path / "large").write_bytes(CONTENT)
    (work.path / "small").write_bytes(b"small")
    work("add", ".")
    work("commit", "-q", "-m", "both")
    if packed:
        work("repack", "-adq")
    large, small = (
        Oid(bytes.fromhex(work("rev-parse", f":{name}"))) for name in ("large", "small")
    )
    with ObjectStore(Repository.discover(str(work.path))) as store:
        assert store.open(small, above=1 << 20) == (BLOB, b"small")
        assert store.open(Oid(bytes(len(small))), above=1 << 20) is None
        opened = store.open(large, above=1 << 20)
        assert isinstance(opened, LargeObject)
        assert (opened.kind, opened.size) == (BLOB, len(CONTENT))
        assert b"".join(opened.pieces) == CONTENT
        assert store.open(large, above=len(CONTENT)) == (BLOB, CONTENT)


def test_loose_object_whose_file_cannot_hold_so_much_is_refused_at_once(sha1_work) -> None:
    repository = Repository.discover(str(sha1_work.path))
    oid = Oid(b"7" * 20)
    path = loose_path(repository.objects_dir, oid)
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(zlib.compress(b"blob %d\0content" % (1 << 40)))
    with ObjectStore(repository) as store, pytest.raises(ObjectError, match="is too short for"):
        store.open(oid, above=1 << 20)


def test_damaged_loose_object_is_named(sha1_work) -> None:
    (sha1_work.path / "large").write_bytes(CONTENT)
    oid = Oid(bytes.fromhex(sha1_work("hash-object", "-w", "large")))
    repository = Repository.discover(str(sha1_work.path))
    path = loose_path(repository.objects_dir, oid)
    os.chmod(path, 0o644)
    os.truncate(path, os.path.getsize(path) - 100)
    with ObjectStore(repository) as store:
        opened = store.open(oid, above=1 << 20)
        with pytest.raises(ObjectError, match=f"{oid.hex()} cannot be read"):
            sum(map(len, opened.pieces))
