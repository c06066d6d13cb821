"""What is damaged or crafted: an error that names object, pack and place, or the right bytes."""

from __future__ import annotations

import contextlib
import random
import tracemalloc
import zlib
from pathlib import Path

import pytest

from fastio.errors import FastioError, ObjectError, PackError
from fastio.objects.kinds import BLOB, OFS_DELTA, REF_DELTA, Oid
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.exporter.crafted import Entry, number, write_pack
from tests.store.work import Work

A, B, C = (digit * 40 for digit in "abc")


def opened(work: Work, *, memory: int = 1 << 20, verify: bool = False) -> ObjectReader:
    store = ObjectStore(Repository.discover(str(work.path)))
    return ObjectReader(store, memory=memory, verify=verify)


def crafted(work: Work, *entries: Entry, offsets: dict[str, int] | None = None) -> ObjectReader:
    write_pack(work.path / ".git/objects/pack", list(entries), offsets=offsets)
    return opened(work)


def read(reader: ObjectReader, oid: str) -> tuple[int, bytes]:
    return reader.read(Oid(bytes.fromhex(oid)))


def assert_damaged(reader: ObjectReader, oid: str, message: str, offset: int | None = 12) -> None:
    place = "" if offset is None else f"entry at {offset}: "
    with pytest.raises(PackError, match=f"^object {oid}: .*pack-1.pack: {place}.*{message}"):
        read(reader, oid)


SOME = Entry(B, BLOB, b"some bytes")
COPY_ALL = number(10) + number(10) + b"\x90\x0a"


def test_the_crafted_packs_are_read_where_they_are_right(sha1_work: Work) -> None:
    reader = crafted(sha1_work, Entry(A, REF_DELTA, COPY_ALL, bytes.fromhex(B)), SOME)
    assert read(reader, A) == read(reader, B) == (BLOB, b"some bytes")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Entry(A, BLOB, b"abc", size=1 << 60), "too short for"),
        (Entry(A, BLOB, b"abc", size=4), "less than it should"),
        (Entry(A, BLOB, b"abc", size=2), "more than it should"),
        (Entry(A, BLOB, b"abc" * 9, deflated=b"\x78\x9cxyz" * 4), "damaged"),
        (Entry(A, 0, b"abc"), "type is unknown"),
        (Entry(A, 5, b"abc"), "type is unknown"),
        (Entry(A, OFS_DELTA, COPY_ALL, b"\x01"), "outside of the pack"),
        (Entry(A, OFS_DELTA, COPY_ALL, b"\x00"), "outside of the pack"),
        (Entry(A, OFS_DELTA, COPY_ALL, b"\xff" * 12 + b"\0"), "outside of the pack"),
        (Entry(A, REF_DELTA, COPY_ALL, bytes.fromhex(C)), f"delta base {C} is missing"),
        (Entry(A, REF_DELTA, COPY_ALL, bytes.fromhex(A)), "circular"),
        (Entry(A, REF_DELTA, number(9) + number(9), bytes.fromhex(B)), "another size"),
        (
            Entry(A, REF_DELTA, number(10) + number(10) + b"\x91\x01\x0a", bytes.fromhex(B)),
            "outside its base",
        ),
        (Entry(A, REF_DELTA, number(10) + number(1 << 60), bytes.fromhex(B)), ""),
        (Entry(A, REF_DELTA, b"", bytes.fromhex(B)), "cut short"),
    ],
)
def test_an_entry_that_cannot_be_is_named(sha1_work: Work, entry: Entry, message: str) -> None:
    reader = crafted(sha1_work, entry, SOME)
    if message:
        assert_damaged(reader, A, message)
    else:
        with pytest.raises(PackError, match=f"^object {A}: "):
            read(reader, A)
    assert read(reader, B) == (BLOB, b"some bytes")


@pytest.mark.parametrize("size", [(1 << 62) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
@pytest.mark.parametrize("where", ["entry", "delta", "loose"])
def test_sizes_that_cannot_be_are_told(sha1_work: Work, where: str, size: int) -> None:
    if where == "loose":
        path = sha1_work.path / ".git/objects" / A[:2] / A[2:]
        path.parent.mkdir()
        path.write_bytes(zlib.compress(b"blob %d\0text" % size))
        reader = opened(sha1_work)
    elif where == "delta":
        delta = number(10) + number(size) + b"\x90\x0a"
        reader = crafted(sha1_work, Entry(A, REF_DELTA, delta, bytes.fromhex(B)), SOME)
    else:
        reader = crafted(sha1_work, Entry(A, BLOB, b"text", size=size))
    oid = Oid(bytes.fromhex(A))
    for ask in (reader.read, reader.store.read, lambda oid: reader.read_into(oid, bytearray(9))):
        with pytest.raises((ObjectError, PackError)):
            ask(oid)
    for ask in (reader.size, reader.store.info):
        with contextlib.suppress(ObjectError, PackError):
            assert ask(oid) == (BLOB, size)


def test_a_circle_of_deltas_is_found(sha1_work: Work) -> None:
    reader = crafted(
        sha1_work,
        Entry(A, REF_DELTA, COPY_ALL, bytes.fromhex(B)),
        Entry(B, REF_DELTA, COPY_ALL, bytes.fromhex(A)),
    )
    assert_damaged(reader, A, "circular")
    reader.family(Oid(bytes.fromhex(A)))


@pytest.mark.parametrize("offset", [0, 11, 4000, (1 << 63) - 1])
def test_places_outside_of_the_pack_are_named(sha1_work: Work, offset: int) -> None:
    reader = crafted(sha1_work, SOME, offsets={B: offset})
    assert_damaged(reader, B, "outside of the pack", offset)
    reader.family(Oid(bytes.fromhex(B)))


def test_another_object_at_the_place_is_noticed_by_its_checksum(sha1_work: Work) -> None:
    reader = crafted(sha1_work, Entry(A, BLOB, b"0123456789"), SOME, offsets={B: 12})
    assert_damaged(reader, B, "checksum in the idx")
    assert read(reader, A) == (BLOB, b"0123456789")


def test_verifying_finds_what_has_another_oid(sha1_work: Work) -> None:
    crafted(sha1_work, SOME)
    with pytest.raises(ObjectError, match=f"object {B} is damaged: its content has another oid"):
        read(opened(sha1_work, verify=True), B)


def test_deltas_that_build_more_and_more_take_no_memory(sha1_work: Work) -> None:
    """Each level is a hundred times its base: the last would have 10**18 bytes."""
    entries, size = [Entry(f"{0:040x}", BLOB, bytes(100))], 100
    for level in range(1, 9):
        whole = b"\xf0" + size.to_bytes(3, "little") if size < 1 << 24 else b"\x80"
        size, base = 100 * size, size
        delta = number(base) + number(size) + whole * 100
        entries.append(Entry(f"{level:040x}", REF_DELTA, delta, bytes.fromhex(f"{level - 1:040x}")))
    reader = crafted(sha1_work, *entries)
    assert read(reader, f"{1:040x}") == (BLOB, bytes(10_000))
    tracemalloc.start()
    with pytest.raises(FastioError, match=f"{8:040x}"):
        read(reader, f"{8:040x}")
    assert tracemalloc.get_traced_memory()[1] < 300 << 20
    tracemalloc.stop()


def filled(work: Work) -> tuple[Path, dict[Oid, tuple[int, bytes]]]:
    """A packed repository, and what is in it."""
    work.fill(20)
    work("repack", "-adfq", "--depth=50", "--window=50")
    reader = opened(work)
    return work.pack(), {oid: reader.read(oid) for oid, *_ in work.objects()}


def refused_of(objects: dict[Oid, tuple[int, bytes]], reader: ObjectReader) -> int:
    """How many objects are refused; the others are what they were."""
    refused = 0
    for oid, (_, content) in objects.items():
        try:
            assert reader.read(oid)[1] == content
            reader.size(oid)
            reader.family(oid)
        except FastioError as error:
            refused += oid.hex() in str(error) or "idx" in str(error)
    return refused


@pytest.mark.parametrize("what", ["pack", "idx"])
def test_flipped_bits_are_noticed(sha1_work: Work, what: str) -> None:
    pack, objects = filled(sha1_work)
    path = pack.with_suffix(f".{what}")
    path.chmod(0o600)
    whole, rng = path.read_bytes(), random.Random(1)
    refused = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.unlink()  # what is mapped must not change
        path.write_bytes(damaged)
        reader = opened(sha1_work)
        refused += refused_of(objects, reader) > 0
        reader.store.close()
    assert refused > 20


def test_a_pack_that_is_cut_short_is_refused(sha1_work: Work) -> None:
    pack, objects = filled(sha1_work)
    whole = pack.read_bytes()
    for size in (0, 1, 11, 12, 40, len(whole) // 2, len(whole) - 1):
        pack.unlink()
        pack.write_bytes(whole[:size])
        assert refused_of(objects, opened(sha1_work)) == len(objects)
