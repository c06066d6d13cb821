"""One zlib stream, whatever number of threads deflates it and however its bytes come."""

import threading
import zlib
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers import deflater
from workers.codec import deflate
from workers.deflater import PIECE, ParallelDeflater, deflate_piece
from workers.errors import CodecError

RNG = Random(1)
WORDS = [RNG.randbytes(9) for _ in range(300)]
TEXT = b"".join(RNG.choices(WORDS, k=250_000))


def ignore(_: bytearray) -> None:
    pass


def packed(data: bytes, *, threads: int = 2, cut: int = 100_000, level: int = -1) -> bytes:
    out: list[bytes] = []
    stream = ParallelDeflater(level, threads, ignore, out.append)
    for start in range(0, len(data), cut):
        stream.write(memoryview(data)[start : start + cut])
    stream.finish()
    return b"".join(out)


@pytest.mark.parametrize("level", [-1, 0, 1, 3, 4, 9])
def test_stream_is_the_same_for_any_threads_and_cuts(level: int) -> None:
    data = TEXT if level < 4 else TEXT[: PIECE + 10]
    whole = packed(data, level=level, threads=1, cut=len(data))
    assert zlib.decompress(whole) == data
    for threads, cut in ((2, PIECE), (3, 77_777), (5, PIECE + 1)):
        assert packed(data, level=level, threads=threads, cut=cut) == whole


@settings(max_examples=60)
@given(data=st.binary(max_size=400), cut=st.integers(1, 50), piece=st.integers(1, 90))
def test_any_bytes_come_back(data: bytes, cut: int, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deflater, "PIECE", piece)
        assert zlib.decompress(packed(data, cut=cut)) == data


def test_pieces_know_what_came_before() -> None:
    assert len(packed(TEXT)) < 1.01 * len(deflate(TEXT))
    assert len(deflate_piece(TEXT[:900], TEXT[:900], -1)) < 50


def test_all_is_looked_at_in_order() -> None:
    seen = bytearray()
    stream = ParallelDeflater(1, 3, seen.extend, len)
    stream.write(TEXT)
    stream.finish()
    assert seen == TEXT


def test_what_a_thread_raises_comes_out() -> None:
    def refuse(_: bytearray) -> None:
        raise ValueError("seen enough")

    stream = ParallelDeflater(-1, 2, refuse, len)
    with pytest.raises(ValueError, match="seen enough"):
        stream.write(bytes(9 * PIECE))
    stream.close()


def test_level_that_is_none() -> None:
    with pytest.raises(CodecError, match="no compression level 10"):
        deflate_piece(b"x", b"", 10)


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    packed(TEXT)
    left = ParallelDeflater(-1, 2, ignore, len)
    left.write(TEXT)
    assert threading.active_count() > before
    left.close()
    assert threading.active_count() == before
