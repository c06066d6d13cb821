"""Checksums of kernels: zlib is their model."""

import zlib

from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers._checksums import adler32, crc32

contents = st.builds(bytes.__mul__, st.binary(max_size=300), st.integers(0, 200))


@settings(max_examples=100, derandomize=True, deadline=None)
@given(contents)
@example(b"123456789")
@example(b"\xff" * 100_000)
def test_checksums_are_those_of_zlib(content: bytes) -> None:
    assert adler32(content) == zlib.adler32(content)
    assert crc32(content) == zlib.crc32(content)
