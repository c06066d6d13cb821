"""C-style quoting."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from fastio.errors import StreamError
from fastio.stream.quoting import quote, shown, unquote


@pytest.mark.parametrize("path", [b"", b"a b", b" ", b"a'b", b"a/b", b"~"])
def test_plain_paths_stay_plain(path: bytes) -> None:
    assert quote(path) == path


@pytest.mark.parametrize(
    ("path", "quoted"),
    [
        (b'a"b', rb'"a\"b"'),
        (b"a\\b", rb'"a\\b"'),
        (b"\a\b\t\n\v\f\r", rb'"\a\b\t\n\v\f\r"'),
        (b"\x01\x7f\x1f", rb'"\001\177\037"'),
    ],
)
def test_special_bytes_are_escaped(path: bytes, quoted: bytes) -> None:
    assert quote(path) == quote(path, quote_high=False) == quoted


def test_high_bytes_are_escaped_on_demand() -> None:
    assert quote(b"\xc3\xa4") == rb'"\303\244"'
    assert quote(b"\xc3\xa4", quote_high=False) == b"\xc3\xa4"
    assert quote(b"\xc3\t", quote_high=False) == b'"\xc3\\t"'


@given(st.binary().filter(lambda path: 0 not in path), st.binary(max_size=3), st.booleans())
def test_unquote_is_the_inverse_of_quote(path: bytes, rest: bytes, quote_high: bool) -> None:
    quoted = quote(path, quote_high=quote_high)
    if quoted.startswith(b'"'):
        assert unquote(quoted + rest) == (path, len(quoted))
    else:
        assert quoted == path


@given(st.lists(st.sampled_from([b'"', b"\\", b"1", b"7", b"4", b"n", b"x", b"\xff", b"\0"])))
def test_any_text_is_unquoted_or_refused(parts: list[bytes]) -> None:
    text = b'"' + b"".join(parts)
    try:
        path, end = unquote(text)
    except StreamError:
        return
    assert text[end - 1 : end] == b'"'
    assert 0 not in path


def test_errors_show_text_and_not_too_much_of_it() -> None:
    assert shown(b"a\xff") == "a\\xff"
    assert len(shown(b"a" * 1000)) < 300
