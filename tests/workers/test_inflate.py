"""Our inflater: zlib is its model, for what is whole and for what is not."""

import random
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers._inflate import inflate, inflate_head
from workers.errors import CodecError

FEW = settings(max_examples=100, derandomize=True, deadline=None)
STRATEGIES = [
    zlib.Z_DEFAULT_STRATEGY,
    zlib.Z_FILTERED,
    zlib.Z_HUFFMAN_ONLY,
    zlib.Z_RLE,
    zlib.Z_FIXED,
]


def text(seed: int, size: int) -> bytes:
    """Words, numbers and noise, so that there are matches of all kinds and long codes."""
    rng = random.Random(seed)
    words = [rng.randbytes(rng.randrange(1, 12)) for _ in range(40)] + [b"the ", b"e" * 300]
    weights = [2.0 ** -(number % 17) for number in range(len(words))]
    parts: list[bytes] = []
    while sum(map(len, parts)) < size:
        parts.extend(rng.choices(words, weights, k=20))
        parts.append(bytes(int(rng.expovariate(0.05)) & 0xFF for _ in range(20)))
    return b"".join(parts)[:size]


contents = st.one_of(
    st.binary(max_size=100),
    st.builds(bytes.__mul__, st.binary(max_size=300), st.integers(0, 500)),
    st.builds(text, st.integers(0, 99), st.sampled_from([500, 5000, 100_000])),
)


def packed_by(content: bytes, level: int, strategy: int, cut: int = 0) -> bytes:
    """Deflate; with *cut*, a stored and an empty block stand in the middle."""
    packer = zlib.compressobj(level, strategy=strategy)
    packed = packer.compress(content[:cut]) + packer.flush(zlib.Z_FULL_FLUSH) if cut else b""
    return packed + packer.compress(content[cut:]) + packer.flush()


@FEW
@given(contents, st.integers(0, 9), st.sampled_from(STRATEGIES), st.integers(0, 200))
@example(b"", 9, zlib.Z_FIXED, 0)
@example(b"a", 9, zlib.Z_HUFFMAN_ONLY, 0)  # a single code of one bit
@example(b"a" * 100_000, 9, zlib.Z_DEFAULT_STRATEGY, 0)
def test_what_zlib_deflates_is_inflated(
    content: bytes, level: int, strategy: int, cut: int
) -> None:
    packed = packed_by(content, level, strategy, cut)
    assert inflate(packed, len(content)) == (content, len(packed))
    assert inflate(packed + b"what comes behind" * 9, len(content)) == (content, len(packed))


@FEW
@given(contents, st.integers(0, 9), st.sampled_from(STRATEGIES), st.integers(0, 400))
def test_the_head_of_a_stream_is_inflated(
    content: bytes, level: int, strategy: int, room: int
) -> None:
    assert inflate_head(packed_by(content, level, strategy), room) == content[:room]


@FEW
@given(contents, st.sampled_from(STRATEGIES), st.integers(1, 20))
def test_other_sizes_than_promised_are_refused(content: bytes, strategy: int, off: int) -> None:
    packed = packed_by(content, 6, strategy)
    with pytest.raises(CodecError, match="less than it should"):
        inflate(packed + bytes(50), len(content) + off)
    if len(content) >= off:
        with pytest.raises(CodecError, match="more than it should"):
            inflate(packed + bytes(50), len(content) - off)


@FEW
@given(contents, st.sampled_from(STRATEGIES), st.integers(1, 300))
def test_streams_cut_short_are_refused(content: bytes, strategy: int, cut: int) -> None:
    packed = packed_by(content, 6, strategy)
    with pytest.raises(CodecError):
        inflate(packed[: max(len(packed) - cut, 0)], len(content))


def unpacked_by_zlib(packed: bytes, size: int) -> tuple[bytes, int] | None:
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(packed, size + 1)
        # Only a call with room left sees that nothing comes any more.
        content += inflater.decompress(inflater.unconsumed_tail, 1)
    except zlib.error:
        return None
    whole = inflater.eof and len(content) == size
    return (content, len(packed) - len(inflater.unused_data)) if whole else None


@FEW
@given(contents, st.integers(0, 9), st.sampled_from(STRATEGIES), st.randoms(use_true_random=False))
def test_damage_is_found_where_zlib_finds_it(
    content: bytes, level: int, strategy: int, rng: random.Random
) -> None:
    packed = packed_by(content, level, strategy)
    for _ in range(20):
        damaged = bytearray(packed)
        # Most of what there is to damage stands in front.
        place = rng.choice([rng.randrange(len(packed)), rng.randrange(min(len(packed), 80))])
        damaged[place] ^= 1 << rng.randrange(8)
        expected = unpacked_by_zlib(bytes(damaged), len(content))
        if expected is None:
            with pytest.raises(CodecError):
                inflate(damaged, len(content))
        else:
            assert inflate(damaged, len(content)) == expected


@FEW
@given(st.binary(max_size=300))
def test_noise_is_refused_as_by_zlib(noise: bytes) -> None:
    for front in (b"\x78\x9c", b"\x78\x01\x05", b"\x78\x01\xed"):
        assert unpacked_by_zlib(front + noise, 1 << 16) is None
        with pytest.raises(CodecError):
            inflate(front + noise, 1 << 16)
