"""The estimate of similarity: its chunks, against a model."""

from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from fastio.exporter._similarity import chunk_sums

WORD = 1 << 32


def model_chunks(data: bytes, *, as_text: bool) -> list[bytes]:
    """Chunks end with a line, or after 64 bytes that count."""
    chunks, chunk = [], b""
    for at, byte in enumerate(data):
        if as_text and data[at : at + 2] == b"\r\n":
            continue
        chunk += bytes([byte])
        if byte == 10 or len(chunk) == 64:
            chunks.append(chunk)
            chunk = b""
    return [*chunks, chunk] if chunk else chunks


def model_number(chunk: bytes) -> int:
    x = y = 0
    for byte in chunk:
        x, y = ((x << 7 ^ y >> 25) + byte) % WORD, (y << 7 ^ x >> 25) % WORD
    return (x + 97 * y) % WORD % 107927


pieces = st.sampled_from([b"\n", b"\r\n", b"\r", b"\0", b"a", b"\xff" * 31, b"b" * 62, b"c" * 63])


@given(st.lists(pieces | st.binary(max_size=70), max_size=30).map(b"".join), st.booleans())
@example(b"x" * 63 + b"\r\n", True)
@example(b"x" * 64 + b"\r\n", True)
@example(b"x" * 63 + b"\r", True)
def test_chunks_agree_with_their_model(data: bytes, as_text: bool) -> None:
    sums: Counter[int] = Counter()
    for chunk in model_chunks(data, as_text=as_text):
        sums[model_number(chunk)] += len(chunk)
    assert chunk_sums(data, as_text=as_text) == sums
