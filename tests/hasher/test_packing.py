"""The loops for many small files beside plain Python."""

import struct
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.errors import PackError
from fastio.hasher._packing import add_blobs
from fastio.hasher.deflated import Deflated
from fastio.hasher.files import OUT_ROOM, QUICK, FileReader
from fastio.objects.kinds import BLOB, SHA1, Oid
from fastio.store.objmap import ObjectMap
from fastio.store.pack_writer import PackWriter
from workers.codec import compressor, deflate

FEW = settings(max_examples=50, derandomize=True, deadline=None)
repeated = st.builds(bytes.__mul__, st.binary(max_size=9), st.integers(0, QUICK))
contents = st.lists(st.one_of(st.binary(max_size=60), repeated), max_size=6)
lines = st.sampled_from([b"", b"a", b"\r", b"a\r\n"])
levels = st.sampled_from(range(-1, 10))


def sizes_of(body: bytes, payload: bytes) -> bytes:
    return struct.pack("=2q", len(body), len(payload))


def read_all(directory: str, bodies: list[bytes]) -> FileReader:
    paths = [Path(directory, str(number)) for number in range(len(bodies))]
    for path, body in zip(paths, bodies, strict=True):
        path.write_bytes(body)
    reader = FileReader()
    assert reader.read([bytes(path) for path in paths]) == len(bodies)
    return reader


@FEW
@given(contents, levels, st.data())
def test_deflated_as_by_the_codec(bodies: list[bytes], level: int, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.sampled_from(range(len(bodies))))) if bodies else []
    out = bytearray(OUT_ROOM)
    with tempfile.TemporaryDirectory() as directory:
        sizes, end = read_all(directory, bodies).deflate(numbers, compressor(level), out)
    found = list(Deflated([Oid(b"") for _ in numbers], sizes, bytes(out[:end])).each())
    assert sum(len(payload) for _, _, payload in found) == end
    for (_, size, payload), number in zip(found, numbers, strict=True):
        assert size == len(bodies[number])
        assert zlib.decompress(payload) == bodies[number]
        if level != 1 or size >= QUICK:
            assert payload == deflate(bodies[number], level)


def test_no_more_is_deflated_than_there_is_room_for(tmp_path: Path) -> None:
    reader, out = read_all(str(tmp_path), [b"abcd", b"efgh"]), bytearray(25)
    assert reader.deflate([0, 1], compressor(1), out)[1] == 24
    with pytest.raises(ValueError, match="no room for 4 bytes"):
        reader.deflate([0, 1, 0], compressor(1), out)


@FEW
@given(st.lists(st.tuples(lines, st.booleans()), max_size=6))
def test_the_first_watched_file_with_a_cr(files: list[tuple[bytes, bool]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        reader = read_all(directory, [body for body, _ in files])
    numbers = [n for n, (body, watched) in enumerate(files) if watched and b"\r" in body]
    assert reader.find_cr(bytes(watched for _, watched in files)) == min(numbers, default=-1)
    with pytest.raises(ValueError, match="files are not"):
        reader.find_cr(bytes(len(files) + 1))


@FEW
@given(st.lists(contents, max_size=3))
def test_added_as_one_by_one(batches: list[list[bytes]]) -> None:
    packed, model = ObjectMap(20), ObjectMap(20)
    with tempfile.TemporaryDirectory() as directory:
        pack, model_pack = (PackWriter(directory, SHA1, fsync=False) for _ in range(2))
        for bodies in batches:
            oids = [SHA1.hash_object(BLOB, body) for body in bodies]
            payloads = [deflate(body) for body in bodies]
            sizes = b"".join(map(sizes_of, bodies, payloads))
            add_blobs(pack.entries, packed, 1, oids, sizes, b"".join(payloads))
            for oid, body, payload in zip(oids, bodies, payloads, strict=True):
                if model.find(oid) < 0:
                    offset = model_pack.append(BLOB, len(body), payload)
                    model.insert(oid, pack=1, offset=offset, kind=BLOB, crc=model_pack.last_crc)
        assert pack.read_at(0, pack.offset) == model_pack.read_at(0, model_pack.offset)
        for oid in (SHA1.hash_object(BLOB, body) for bodies in batches for body in bodies):
            number = packed.find(oid)
            assert number == model.find(oid)
            assert packed.offset(number) == model.offset(number)
            assert packed.crc(number) == model.crc(number)
        pack.abort()
        model_pack.abort()


def test_what_does_not_fit_together_is_refused(tmp_path: Path) -> None:
    pack = PackWriter(bytes(tmp_path), SHA1, fsync=False)
    payload, oid = deflate(b""), Oid(bytes(20))
    sizes = sizes_of(b"", payload)
    with pytest.raises(PackError, match="no oid here"):
        add_blobs(pack.entries, ObjectMap(32), 1, [oid], sizes, payload)
    with pytest.raises(PackError, match="no sizes"):
        add_blobs(pack.entries, ObjectMap(20), 1, [oid], sizes[1:], payload)
    with pytest.raises(PackError, match="cut short"):
        add_blobs(pack.entries, ObjectMap(20), 1, [oid], sizes, payload[1:])
    pack.abort()
