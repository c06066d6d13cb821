import random
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers._codec import deflate_tiny, store
from workers.codec import TINY, compressor, crc32, deflate, inflate
from workers.errors import CodecError
from workers.tasks import deflate_bound

FEW = settings(max_examples=100, derandomize=True, deadline=None)
LEVELS = range(-1, 10)
contents = st.one_of(
    st.binary(max_size=100), st.builds(bytes.__mul__, st.binary(), st.integers(0, 500))
)


@FEW
@given(contents, st.sampled_from(LEVELS))
@example(b"", -1)
@example(b"", 0)
@example(bytes(65535), 0)
@example(bytes(65536), 0)
@example(b"\xff" * TINY, 9)
def test_zlib_reads_every_level(content: bytes, level: int) -> None:
    packed = deflate(content, level)
    assert zlib.decompress(packed) == content
    assert inflate(packed, len(content)) == content
    assert len(packed) <= deflate_bound(len(content))


@FEW
@given(contents, st.integers(0, 9))
def test_inflate_reads_zlib(content: bytes, level: int) -> None:
    packed = zlib.compress(content, level)
    assert inflate(packed + b"what comes behind", len(content)) == content


@FEW
@given(st.binary(max_size=TINY))
def test_tiny_payloads_are_one_block(content: bytes) -> None:
    packed = deflate_tiny(content)
    assert zlib.decompress(packed) == content
    assert len(packed) <= len(store(content))


def test_tiny_text_is_smaller_than_stored() -> None:
    assert len(deflate_tiny(b"abcd")) == 12
    assert len(store(b"abcd")) == 15


def test_deflate_tiny_refuses_more() -> None:
    with pytest.raises(ValueError, match="not tiny"):
        deflate_tiny(bytes(TINY + 1))


@pytest.mark.parametrize("size", [41, 1000, 65535, 65536, 1 << 20])
def test_noise_is_stored(size: int) -> None:
    noise = random.Random(size).randbytes(size)
    for level in LEVELS:
        packed = deflate(noise, level)
        assert zlib.decompress(packed) == noise
        assert len(packed) <= deflate_bound(size)


def test_levels_choose_their_library() -> None:
    chosen = [compressor(level) for level in LEVELS]
    modules = [choice and (choice[0].__module__.split(".")[0], choice[1]) for choice in chosen]
    assert modules[:5] == [("isal", 3), None, ("isal", 1), ("isal", 2), ("isal", 3)]
    assert modules[5:] == [("zlib_ng", level) for level in range(4, 10)]


@pytest.mark.parametrize("level", [-2, 10])
def test_unknown_levels_are_refused(level: int) -> None:
    with pytest.raises(CodecError, match=str(level)):
        deflate(b"x", level)


@FEW
@given(st.binary(max_size=60), st.integers(0, 30))
def test_damage_is_a_codec_error(nonsense: bytes, size: int) -> None:
    try:
        expected = zlib.decompress(nonsense)
    except zlib.error:
        expected = None
    if expected is None or len(expected) != size:
        with pytest.raises(CodecError):
            inflate(nonsense, size)


def test_cut_damaged_and_missized_streams_are_refused() -> None:
    content = b"some content, some content, some content, some content"
    packed = bytearray(zlib.compress(content))
    for end in range(len(packed)):
        with pytest.raises(CodecError):
            inflate(packed[:end], len(content))
    for size in (0, len(content) - 1, len(content) + 1):
        with pytest.raises(CodecError):
            inflate(packed, size)
    packed[-1] ^= 1
    with pytest.raises(CodecError):
        inflate(packed, len(content))


def test_inflate_does_not_build_more_than_promised() -> None:
    with pytest.raises(CodecError, match="does not hold 10 bytes"):
        inflate(zlib.compress(bytes(1 << 24)), 10)


def test_crc32_is_zlibs() -> None:
    assert crc32(b"123456789") == zlib.crc32(b"123456789") == 0xCBF43926
