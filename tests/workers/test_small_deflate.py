"""Deflating what is small: every reader reads it, and a library does no better."""

import random
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from isal import isal_zlib

from workers._small_deflate import MOST, deflate_small
from workers.codec import inflate
from workers.tasks import deflate_bound

FEW = settings(max_examples=200, derandomize=True, deadline=None)
WORDS = b"the of and to in is that commit tree parent Signed-off-by: if (x) return 1;\n".split(b" ")


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Words, some of them again and again, with bytes of any kind in between."""
    words = st.one_of(st.sampled_from(WORDS), st.binary(max_size=12))
    return b" ".join(draw(st.lists(words, min_size=1, max_size=300)))[:MOST] or b"x"


contents = st.one_of(
    texts(),
    st.binary(min_size=1, max_size=MOST),
    st.builds(
        lambda unit, times: (unit * times)[:MOST], st.binary(min_size=1), st.integers(1, 500)
    ),
)


@FEW
@given(contents)
@example(bytes(MOST))
@example(bytes(range(256)) * 4)
@example(b"a")
@example(b"aaaaa")
@example(b"ab" * 129 + b"a")  # the longest match, and what is left
def test_every_reader_reads_it(content: bytes) -> None:
    packed = deflate_small(content)
    if packed is None:
        return
    assert zlib.decompress(packed) == content
    assert isal_zlib.decompress(packed) == content
    assert inflate(packed, len(content)) == content
    assert len(packed) <= deflate_bound(len(content))


@pytest.mark.parametrize("size", [1, 40, 300, MOST])
def test_noise_is_not_worth_it(size: int) -> None:
    noise = random.Random(size).randbytes(size)
    packed = deflate_small(noise)
    assert packed is None or len(packed) <= deflate_bound(size)
    assert (packed is None) == (size > 40)


def fibonacci(count: int) -> bytes:
    """Bytes of which each is as frequent as the two before it: their codes are the longest."""
    weights = [1, 1]
    while len(weights) < count:
        weights.append(sum(weights[-2:]))
    content = [symbol for symbol, weight in enumerate(weights) for _ in range(weight)]
    random.Random(count).shuffle(content)
    return bytes(content)[:MOST]


@pytest.mark.parametrize("count", range(2, 16))
def test_codes_as_long_as_they_get(count: int) -> None:
    content = fibonacci(count)
    packed = deflate_small(content)
    assert packed is not None
    assert zlib.decompress(packed) == content


@pytest.mark.parametrize("seed", range(20))
def test_a_library_makes_no_less_of_text(seed: int) -> None:
    choose = random.Random(seed)
    content = b" ".join(choose.choices(WORDS, k=choose.randrange(30, 150)))[:MOST]
    packed = deflate_small(content)
    assert packed is not None
    assert len(packed) <= 1.02 * len(zlib.compress(content, 1))


def test_more_is_refused() -> None:
    for size in (0, MOST + 1):
        with pytest.raises(ValueError, match=f"{size} bytes are not small"):
            deflate_small(bytes(size))
