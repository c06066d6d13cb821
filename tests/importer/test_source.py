"""Streams as people have them: a pipe, a file, lz4 frames in either; whole, cut or damaged."""

import os
from collections.abc import Callable

import lz4.frame
import pytest

from fastio.errors import StreamError
from fastio.importer.source import Source

STREAM = b"".join(b"progress %d\n" % number for number in range(60_000))
PACKED = lz4.frame.compress(STREAM)
TWO_FRAMES = lz4.frame.compress(STREAM[:1000]) + lz4.frame.compress(STREAM[1000:])


def read(data: bytes, size: int = 1 << 16, *, piped: bool = False) -> tuple[bytes, Source]:
    """Read all of *data* through a source, at most *size* bytes a time."""
    if piped:
        fd, writer = os.pipe()
        os.write(writer, data)
        os.close(writer)
    else:
        fd = os.memfd_create("stream")
        os.write(fd, data)
        os.lseek(fd, 0, os.SEEK_SET)
    try:
        source, found, buffer = Source(fd), bytearray(), memoryview(bytearray(size))
        while count := source.read_into(buffer):
            found += buffer[:count]
        return bytes(found), source
    finally:
        os.close(fd)


@pytest.mark.parametrize("data", [b"", b"#", b"\x04\x22", b"\x04\x22\x4d", b"blob\n", STREAM])
@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_plain_bytes_come_as_they_are(data: bytes, size: int) -> None:
    data = data[: 5000 * size]
    found, source = read(data, size)
    assert found == data
    assert (source.position, source.size) == (len(data), len(data))


@pytest.mark.parametrize("packed", [PACKED, TWO_FRAMES, PACKED + lz4.frame.compress(b"")])
@pytest.mark.parametrize("size", [1000, 1 << 20])
def test_lz4_frames_are_unpacked(packed: bytes, size: int) -> None:
    found, source = read(packed, size)
    assert found == STREAM
    assert source.position == len(packed)


def test_pipe_has_no_size() -> None:
    found, source = read(b"blob\n", piped=True)
    assert (found, source.size) == (b"blob\n", None)


@pytest.mark.parametrize("cut", [4, 10, len(PACKED) // 2, len(PACKED) - 1])
def test_cut_frame_is_an_error(cut: int) -> None:
    with pytest.raises(StreamError, match=rf"lz4 frame ends early, at byte {cut} of the file"):
        read(PACKED[:cut])


@pytest.mark.parametrize("at", [5, 6, 100, len(PACKED) // 2])
def test_damaged_frame_is_an_error(at: int) -> None:
    packed = bytearray(lz4.frame.compress(STREAM, content_checksum=True))
    packed[at] ^= 0xFF
    with pytest.raises(StreamError, match="lz4 frame"):
        read(bytes(packed))


def test_rubbish_behind_a_frame_is_an_error() -> None:
    with pytest.raises(StreamError, match="damaged lz4 frame"):
        read(PACKED + b"rubbish, and not a frame")


@pytest.mark.parametrize("use", [Source, lambda fd: Source(fd).read_into(memoryview(bytearray(9)))])
def test_what_cannot_be_read_is_an_error(use: Callable[[int], object]) -> None:
    fd = os.open("/", os.O_RDONLY)
    os.close(fd)
    with pytest.raises(StreamError, match="cannot read the stream"):
        use(fd)


def test_source_gives_what_there_is(tmp_path: object) -> None:
    reader, writer = os.pipe()
    source, buffer = Source(reader), memoryview(bytearray(100))
    os.write(writer, b"\x04")  # may be the start of a frame
    os.write(writer, b"one")
    assert bytes(buffer[: source.read_into(buffer)]) == b"\x04one"
    os.write(writer, b"two")
    assert bytes(buffer[: source.read_into(buffer)]) == b"two"
    os.close(writer)
    assert source.read_into(buffer) == 0
    os.close(reader)
