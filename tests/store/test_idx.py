"""The idx writer against a model, the reader against every kind of damage."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastio.errors import PackError
from fastio.objects.kinds import FORMATS, SHA1, SHA256, ObjectFormat
from fastio.store.idx import IndexView, PackIndex, SortedIds, write_index
from fastio.store.objmap import ObjectMap

Entries = dict[bytes, tuple[int, int]]  # oid: (offset, crc)
TRAILER = {name: bytes(range(hash_.oid_size)) for name, hash_ in FORMATS.items()}

offsets = st.one_of(
    st.integers(12, 2**31 - 1),
    st.sampled_from([2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**48 - 1]),
)


def contents(object_format: ObjectFormat, offset: st.SearchStrategy[int]) -> st.SearchStrategy:
    size = object_format.oid_size
    oids = st.one_of(  # uniform ones, and such that share all but their last byte
        st.binary(min_size=size, max_size=size),
        st.integers(0, 255).map(lambda last: b"\x80" + bytes(size - 2) + bytes([last])),
    )
    return st.dictionaries(oids, st.tuples(offset, st.integers(0, 2**32 - 1)), max_size=120)


def write_idx(entries: Entries, object_format: ObjectFormat, version: int = 2) -> bytes:
    objects = ObjectMap(object_format.oid_size)
    objects.insert(object_format.new(b"of another pack").digest(), pack=6, offset=12, kind=3)
    for oid, (offset, crc) in entries.items():
        objects.insert(oid, pack=7, offset=offset, kind=3, crc=crc)
    trailer = TRAILER[object_format.name]
    with tempfile.TemporaryFile() as file:
        ids = SortedIds(objects, 7)
        write_index(file.fileno(), ids, trailer, object_format, version=version)
        return file.read()


def model_idx(entries: Entries, object_format: ObjectFormat, version: int) -> bytes:
    """The file as gitformat-pack(5) describes it."""
    oids = sorted(entries)
    counts = [sum(oid[0] <= first for oid in oids) for first in range(256)]
    body = b"".join(count.to_bytes(4, "big") for count in counts)
    large = [entries[oid][0] for oid in oids if entries[oid][0] >= 2**31]
    if version == 1 and not large:
        body += b"".join(entries[oid][0].to_bytes(4, "big") + oid for oid in oids)
    else:
        body = b"\xfftOc\0\0\0\x02" + body + b"".join(oids)
        body += b"".join(entries[oid][1].to_bytes(4, "big") for oid in oids)
        for offset in (entries[oid][0] for oid in oids):
            shown = offset if offset < 2**31 else 2**31 + large.index(offset)
            body += shown.to_bytes(4, "big")
        body += b"".join(offset.to_bytes(8, "big") for offset in large)
    body += TRAILER[object_format.name]
    return body + hashlib.new(object_format.name, body).digest()


def distinct_offsets(entries: Entries) -> Entries:
    seen: set[int] = set()
    return {
        oid: place for oid, place in entries.items() if not (place[0] in seen or seen.add(place[0]))
    }


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("object_format", [SHA1, SHA256], ids=lambda hash_: hash_.name)
@given(data=st.data())
@settings(max_examples=40, derandomize=True)
def test_an_idx_agrees_with_its_model(
    version: int, object_format: ObjectFormat, data: st.DataObject
) -> None:
    entries = distinct_offsets(data.draw(contents(object_format, offsets)))
    written = write_idx(entries, object_format, version)
    assert written == model_idx(entries, object_format, version)


@pytest.mark.parametrize("version", [1, 2])
@given(
    entries=contents(SHA1, st.integers(12, 2**31 - 1)), absent=st.binary(min_size=20, max_size=20)
)
@settings(max_examples=40, derandomize=True)
def test_an_idx_finds_what_it_was_made_of(version: int, entries: Entries, absent: bytes) -> None:
    view = IndexView(write_idx(entries, SHA1, version), 20)
    assert view.version == version
    assert view.pack_trailer == TRAILER["sha1"]
    assert [view.oid_at(n) for n in range(len(view))] == sorted(entries)
    for _ in range(2):
        assert {oid: view.find(oid) for oid in entries} == {o: p[0] for o, p in entries.items()}
        assert view.find(absent) == entries.get(absent, (-1,))[0]
        view.refine()
    crcs = [entries[oid][1] if version == 2 else None for oid in sorted(entries)]
    assert [view.crc_at(n) for n in range(len(view))] == crcs


def test_many_objects_are_sorted_across_pieces() -> None:
    numbers = range(150_000)
    entries = {hashlib.sha1(b"%d" % n).digest(): (12 + (n << 20), n) for n in numbers}
    view = IndexView(write_idx(entries, SHA1), 20)
    assert [view.oid_at(n) for n in numbers] == sorted(entries)
    assert all(view.find(oid) == offset for oid, (offset, _) in entries.items())


@pytest.mark.parametrize("refined", [False, True])
@pytest.mark.parametrize("place", [0, 1, 7, 8, 19])
def test_oids_that_are_far_from_uniform_are_found(place: int, refined: bool) -> None:
    oids = [b"\x80" * place + n.to_bytes(2, "big") + bytes(20) for n in range(0, 3000, 3)]
    entries = {oid[:20]: (12 + n, n) for n, oid in enumerate(oids)}
    view = IndexView(write_idx(entries, SHA1), 20)
    if refined:
        view.refine()
    assert all(view.find(oid) == offset for oid, (offset, _) in entries.items())
    absent = [b"\x80" * place + n.to_bytes(2, "big") + bytes(20) for n in range(1, 3000, 3)]
    assert all(view.find(oid[:20]) == entries.get(oid[:20], (-1,))[0] for oid in absent)


@pytest.mark.git
@pytest.mark.parametrize("object_format", [SHA1, SHA256], ids=lambda hash_: hash_.name)
def test_git_reads_64_bit_offsets(object_format: ObjectFormat) -> None:
    places = [12, 2**31 - 1, 2**31, 2**32 + 5, 2**48 - 1]
    entries = {object_format.hash_object(3, b"%d" % n): (n, n & 0xFFFF) for n in places}
    shown = subprocess.run(
        ["git", "show-index", f"--object-format={object_format.name}"],
        input=write_idx(entries, object_format),
        capture_output=True,
        check=True,
    ).stdout
    lines = [b"%d %s (%08x)" % (entries[o][0], o.hex().encode(), entries[o][1]) for o in entries]
    assert sorted(shown.splitlines()) == sorted(lines)


SAMPLES = [
    write_idx(
        {SHA1.hash_object(3, b"%d" % n): (n << shift, n) for n in range(1, 20)}, SHA1, version
    )
    for version, shift in ((1, 4), (2, 4), (2, 28))
]


def use(idx: bytes) -> None:
    """Open an idx and look up everything in it; PackError is the only way to fail."""
    try:
        view = IndexView(idx, 20)
    except PackError:
        return
    oids = [view.oid_at(position) for position in range(len(view))]
    for position, oid in enumerate([*oids, bytes(20), b"\xff" * 20] * 2):
        if position == len(oids) + 2:
            view.refine()
        for look_up in (lambda oid=oid: view.find(oid), lambda at=position: view.offset_at(at)):
            try:
                assert look_up() < 2**63
            except PackError:
                continue


@given(
    idx=st.sampled_from(SAMPLES),
    cut=st.integers(0, 3000),
    changes=st.lists(st.tuples(st.integers(0, 2999), st.integers(0, 255)), max_size=4),
)
@example(idx=SAMPLES[2], cut=3000, changes=[(8 + 1024 + 19 * 24 + 8, 0xFF)])
@example(idx=SAMPLES[1], cut=3000, changes=[(7, 3)])
@settings(max_examples=300, derandomize=True)
def test_damage_is_a_pack_error(idx: bytes, cut: int, changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(idx[:cut])
    for at, value in changes:
        if at < len(damaged):
            damaged[at] = value
    use(bytes(damaged))


@given(
    head=st.sampled_from([b"", b"\xfftOc\0\0\0\x02"]),
    counts=st.lists(st.integers(0, 2**32 - 1), min_size=256, max_size=256).map(sorted),
    rest=st.binary(max_size=200),
)
@settings(max_examples=50, derandomize=True)
def test_counts_that_the_file_does_not_hold_are_a_pack_error(
    head: bytes, counts: list[int], rest: bytes
) -> None:
    with pytest.raises(PackError):
        IndexView(head + b"".join(n.to_bytes(4, "big") for n in counts) + rest, 20)


def test_a_large_offset_outside_its_table_is_a_pack_error() -> None:
    idx = bytearray(SAMPLES[2])
    first_offset = 8 + 1024 + 19 * (20 + 4)
    idx[first_offset : first_offset + 4] = b"\xff\xff\xff\xff"
    view = IndexView(idx, 20)
    with pytest.raises(PackError, match="large offsets"):
        view.find(view.oid_at(0))


@pytest.mark.parametrize("content", [None, b"", b"\xfftOc", bytes(1063), bytes(1065)])
def test_a_file_that_is_no_idx_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "pack-1.idx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PackError, match=r"pack-1\.idx"):
        PackIndex(str(path), SHA1)


def test_a_pack_index_is_used_and_closed() -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(SAMPLES[1])
        file.flush()
        index = PackIndex(file.name, SHA1)
    oid = SHA1.hash_object(3, b"5")
    assert index.find(oid) == 5 << 4
    assert dict(index.items())[oid] == 5 << 4
    index.close()
    assert (index.find(oid), len(index)) == (-1, 0)


def test_verify_notices_a_changed_byte(tmp_path: Path) -> None:
    path = tmp_path / "pack-1.idx"
    path.write_bytes(SAMPLES[1])
    PackIndex(str(path), SHA1).verify()
    path.write_bytes(SAMPLES[1][:1100] + b"?" + SAMPLES[1][1101:])
    with pytest.raises(PackError):
        PackIndex(str(path), SHA1).verify()


def test_version_3_is_refused() -> None:
    with pytest.raises(PackError):
        write_idx({}, SHA1, 3)
