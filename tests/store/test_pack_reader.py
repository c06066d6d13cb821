import contextlib
import shutil
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastio.errors import DeltaError, PackError
from fastio.objects.kinds import BLOB, OFS_DELTA, REF_DELTA, SHA1, TREE
from fastio.store.entry_reader import entry_header, inflate_at, read_chain, read_info
from fastio.store.idx import PackIndex
from fastio.store.pack_reader import PackFile
from tests.store.work import Work


class Buffer:
    """A pack in memory, as an unfinished one is for its writer."""

    def __init__(self, content=b"PACK\0\0\0\2\0\0\0\0"):
        self.content = bytearray(content)

    def read_at(self, offset, length):
        return bytes(self.content[offset : offset + length])

    def append(self, kind, data, base=b""):
        offset, size = len(self.content), len(data)
        head = [kind << 4 | size & 15]
        size >>= 4
        while size:
            head[-1] |= 0x80
            head.append(size & 0x7F)
            size >>= 7
        self.content += bytes(head) + base + zlib.compress(data)
        return offset

    def append_ofs_delta(self, data, base):
        distance = len(self.content) - base
        groups = [distance & 0x7F]
        while distance := distance >> 7:
            distance -= 1
            groups.insert(0, distance & 0x7F | 0x80)
        return self.append(OFS_DELTA, data, bytes(groups))


def grow(size):
    """A delta that copies *size* bytes, fewer than 128, and appends an x."""
    return bytes([size, size + 1, 0x90, size, 1]) + b"x"


def test_a_chain_of_ofs_deltas_in_an_unfinished_pack():
    pack = Buffer()
    offset = pack.append(TREE, b"abc")
    for size in range(3, 100):
        offset = pack.append_ofs_delta(grow(size), offset)
    assert read_chain(pack, offset, SHA1) == (TREE, b"abc" + b"x" * 97)
    assert read_info(pack, offset, SHA1) == (TREE, 100)


def test_a_ref_delta_whose_base_is_elsewhere():
    pack = Buffer()
    offset = pack.append(REF_DELTA, grow(3), b"b" * 20)
    found = read_chain(
        *(pack, offset, SHA1), resolve_ref_delta={b"b" * 20: (BLOB, b"abc")}.__getitem__
    )
    assert found == (BLOB, b"abcx")
    with pytest.raises(PackError, match="should have none"):
        read_chain(pack, offset, SHA1)


def test_ref_deltas_in_a_circle():
    pack = Buffer()
    first = pack.append(REF_DELTA, grow(3), b"2" * 20)
    second = pack.append(REF_DELTA, grow(3), b"1" * 20)
    offsets = {b"1" * 20: first, b"2" * 20: second}
    with pytest.raises(PackError, match="circular"):
        read_chain(pack, second, SHA1, resolve_ref_delta=offsets.__getitem__)


@pytest.mark.parametrize(
    ("delta", "reason"),
    [
        (b"", "damaged"),
        (b"\x03", "damaged"),
        (b"\x09\x01\x01x", "damaged"),  # another base's size
        (b"\x03\x04\x91\x02\x04", "damaged"),  # copies past the base's end
        (b"\x03" + b"\xff" * 8 + b"\x01\x91\x00\x03", "damaged"),  # promises 2^56 bytes
    ],
)
def test_damaged_deltas(delta, reason):
    pack = Buffer()
    offset = pack.append_ofs_delta(delta, pack.append(BLOB, b"abc"))
    with pytest.raises(DeltaError, match=reason):
        read_chain(pack, offset, SHA1)


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"\xb0",  # the size goes on behind the end
        b"\xb0" + b"\xff" * 10 + b"\x01",  # a size beyond 64 bits
        b"\x00" + zlib.compress(b""),  # type 0
        b"\x50" + zlib.compress(b""),  # type 5
        b"\x60\x00" + zlib.compress(b""),  # its own base
        b"\x60\x01" + zlib.compress(b""),  # a base in the pack's header
        b"\x60\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",  # a base far before the pack
        b"\x70" + b"a" * 19,  # half an oid
        b"\x33" + zlib.compress(b"ab"),  # shorter than promised
        b"\x33" + zlib.compress(b"abcd"),  # longer
        b"\x33" + zlib.compress(b"abc")[:-1],
        b"\x33" + zlib.compress(b"abc")[:-1] + b"?",  # wrong checksum
        b"\xb3\xff\xff\xff\xff\x7f" + zlib.compress(b"abc"),  # promises 2 TB
    ],
)
def test_damaged_entries(entry):
    pack = Buffer()
    pack.content += entry
    with pytest.raises(PackError):
        read_chain(pack, 12, SHA1)


@given(st.binary(max_size=100), st.integers(12, 2**40))
def test_any_bytes_are_a_header_or_a_pack_error(head, offset):
    try:
        header = entry_header(head, offset, 20)
    except PackError:
        return
    assert header.length <= len(head)
    assert not isinstance(header.base, int) or 12 <= header.base < offset


class Trickle(Buffer):
    """Gives at most so many bytes a read."""

    def read_at(self, offset, length):
        return super().read_at(offset, min(length, 7))


@given(st.binary(max_size=2000), st.integers(1, 50), st.integers(0, 9))
@example(b"", 1, 0)
def test_inflate_in_small_pieces(data, repeats, level):
    data *= repeats
    assert inflate_at(Trickle(zlib.compress(data, level)), 0, len(data)) == data


def test_a_size_that_lies_is_found_before_all_is_inflated():
    bomb = Buffer(zlib.compress(bytes(50 << 20), 9))
    with pytest.raises(PackError, match="promised 10 bytes"):
        inflate_at(bomb, 0, 10)


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A pack with ofs-deltas and one with ref-deltas: (path, idx path, {oid: object})."""
    work = Work(tmp_path_factory.mktemp("packed") / "work")
    work.fill(8)
    found = []
    for offsets in ("true", "false"):
        work("-c", f"repack.useDeltaBaseOffset={offsets}", "repack", "-adfq", "--depth=50")
        path = tmp_path_factory.mktemp("copy") / "pack.pack"
        shutil.copy(work.pack(), path)
        shutil.copy(work.pack().with_suffix(".idx"), path.with_suffix(".idx"))
        found.append((path, [oid for oid, *_ in work.objects()]))
    return found


def open_pack(path):
    index = PackIndex(bytes(path.with_suffix(".idx")), SHA1)
    return PackFile(bytes(path), index, SHA1)


def header_bytes(path, oids):
    """Where the entry headers lie, which no checksum guards but the oid."""
    pack, content = open_pack(path), path.read_bytes()
    for offset in map(pack.find, oids):
        length = entry_header(content[offset : offset + 64], offset, 20).length
        yield from range(offset, offset + length)
    pack.close()


@settings(max_examples=60)
@given(data=st.data(), which=st.integers(0, 1))
def test_a_flipped_bit_is_an_error_or_changes_nothing(packed, data, which, tmp_path_factory):
    path, oids = packed[which]
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1) | st.sampled_from([*header_bytes(path, oids)]))
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    damaged = tmp_path_factory.mktemp("damaged") / "pack.pack"
    damaged.write_bytes(content)
    shutil.copy(path.with_suffix(".idx"), damaged.with_suffix(".idx"))
    pack = open_pack(damaged)
    for oid in oids:
        with contextlib.suppress(PackError):
            found = pack.read(pack.find(oid))
            assert SHA1.hash_object(*found) == oid or at in header_bytes(path, oids)
    pack.close()


@pytest.mark.parametrize("content", [b"", b"PACK", b"PACK\0\0\0\2\0\0\0\0", b"x" * 100])
def test_what_is_no_pack(packed, tmp_path, content):
    path, oids = packed[0]
    shutil.copy(path.with_suffix(".idx"), tmp_path / "x.idx")
    (tmp_path / "x.pack").write_bytes(content)
    pack = open_pack(tmp_path / "x.pack")
    with pytest.raises(PackError, match=r"x\.pack"):
        pack.read(pack.find(oids[0]))
    pack.close()


def test_an_idx_of_another_pack_is_noticed(packed, tmp_path):
    shutil.copy(packed[0][0], tmp_path / "x.pack")
    shutil.copy(packed[1][0].with_suffix(".idx"), tmp_path / "x.idx")
    pack = open_pack(tmp_path / "x.pack")
    with pytest.raises(PackError, match="belongs to another pack"):
        pack.info(12)
    pack.close()
