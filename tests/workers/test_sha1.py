import hashlib
import platform
import random
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers._sha1 import Rehasher, hash_objects, kernel_names

FEW = settings(max_examples=100, derandomize=True, deadline=None)
KINDS = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
NOISE = random.Random(1).randbytes(70_000)
# A block has 64 bytes, of which the first one's header and the last one's padding take some.
sizes = st.one_of(st.integers(0, 200), st.sampled_from([4000, 4096, 9999, 10_000, 65_536]))
objects = st.tuples(
    st.sampled_from(sorted(KINDS)), st.builds(lambda n, at: NOISE[at:][:n], sizes, sizes)
)
every_kernel = pytest.mark.parametrize("kernel", kernel_names())


def model(kind: int, content: bytes) -> bytes:
    return hashlib.sha1(b"%s %d\0" % (KINDS[kind], len(content)) + content).digest()


@every_kernel
@FEW
@given(batch=st.lists(objects, max_size=60))
def test_oids_agree_with_hashlib(kernel: str, batch: list[tuple[int, bytes]]) -> None:
    assert hash_objects(batch, kernel) == [model(*each) for each in batch]


@every_kernel
def test_every_length_around_the_blocks(kernel: str) -> None:
    batch = [(kind, NOISE[:size]) for kind in KINDS for size in range(260)]
    expected = [model(*each) for each in batch]
    assert hash_objects(batch, kernel) == expected
    assert [hash_objects([each], kernel)[0] for each in batch] == expected


@every_kernel
@pytest.mark.parametrize("count", [1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33])
def test_any_number_of_objects(kernel: str, count: int) -> None:
    for size in (0, 4, 55, 56, 1000):
        batch = [(3, bytes([k]) * size) for k in range(count)]
        assert hash_objects(batch, kernel) == [model(*each) for each in batch]


@every_kernel
def test_one_long_object_among_short_ones(kernel: str) -> None:
    batch = [(3, NOISE[:k]) for k in range(40)]
    batch[20] = (3, NOISE)
    assert hash_objects(batch, kernel) == [model(*each) for each in batch]


def test_the_best_kernel_is_taken_by_itself() -> None:
    assert kernel_names()[0] == "plain"
    assert hash_objects([(3, b"abc")]) == [model(3, b"abc")]
    assert hash_objects([]) == []


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="/proc names x86's features"
)
def test_the_kernels_are_those_of_the_processor() -> None:
    with open("/proc/cpuinfo") as file:
        flags = next(line for line in file if line.startswith("flags")).split()
    wanted = {"sha": {"sha_ni", "sse4_1"}, "avx2": {"avx2"}, "avx512": {"avx512f", "avx512bw"}}
    runs = [name for name, needs in wanted.items() if needs <= set(flags)]
    assert kernel_names() == ["plain", *runs]


def test_unknown_types_and_kernels_are_refused() -> None:
    for kind in (0, 5):
        with pytest.raises(ValueError, match=str(kind)):
            hash_objects([(kind, b"")])
    with pytest.raises(ValueError, match="mmx"):
        hash_objects([], "mmx")


@FEW
@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from([0, 1, 50, 57, 64, 4095, 4096, 4160, 10_000, 65_536]),
    st.lists(st.integers(0, 65_535), min_size=1, max_size=6),
)
@example(2, 10_000, [9_999, 0, 5_000])
def test_a_changed_object_is_hashed_from_the_change_on(
    kind: int, size: int, changes: list[int]
) -> None:
    content = bytearray(NOISE[:size])
    rehasher = Rehasher(kind, size)
    assert rehasher.hash(bytes(content), 0) == model(kind, bytes(content))
    for change in changes:
        if change < size:
            content[change] ^= 1
        assert rehasher.hash(bytes(content), min(change, size)) == model(kind, bytes(content))


def test_bytes_said_to_be_unchanged_are_not_hashed_again() -> None:
    rehasher = Rehasher(3, 20_000)
    oid = rehasher.hash(NOISE[:20_000], 0)
    assert rehasher.hash(b"x" + NOISE[1:20_000], 20_000) == oid


def test_a_rehasher_refuses_other_sizes() -> None:
    rehasher = Rehasher(3, 5)
    for content, unchanged in ((b"1234", 0), (b"12345", 6), (b"12345", -1)):
        with pytest.raises(ValueError, match="size"):
            rehasher.hash(content, unchanged)
    with pytest.raises(ValueError, match="type 7"):
        Rehasher(7, 5)
