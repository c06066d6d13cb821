"""Lines as people can read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.stream.excerpt import WIDTH, excerpt, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (b"plain", "plain"),
        (b"commit refs/heads/main\r", "commit refs/heads/main\\r"),
        (b"a\0b\tc\x1b[1m\x7f", "a\\0b\\tc\\x1b[1m\\x7f"),
        ("Zoë 名".encode(), "Zoë 名"),
        (b"latin-1 \xe9", "latin-1 \\xe9"),
        ("\ufeffblob\u200b".encode(), "\\ufeffblob\\u200b"),
        (b'"a\\tb"', '"a\\tb"'),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: bytes, shown: str) -> None:
    assert visible(text) == shown


def test_blanks_at_the_ends_are_visible() -> None:
    assert excerpt(b" # x") == "\\x20# x"
    assert excerpt(b"1 +0000  ") == "1 +0000\\x20\\x20"
    assert excerpt(b"  ") == "\\x20\\x20"


def test_long_line_is_cut_behind() -> None:
    assert excerpt(b"D " + b"a" * 500) == "D " + "a" * (WIDTH + 22) + "…"


def test_long_line_has_its_spot_in_view() -> None:
    path = b"dir/" * 100
    shown = excerpt(b"M 100644 :2 " + path + b".git/config", b"/.git/config")
    assert shown.startswith("M 100644 :2 dir/dir/dir/…")
    assert shown.endswith("dir/dir/.git/config")
    assert len(shown) < WIDTH + 30


def test_control_character_is_the_spot_of_a_line_without_one() -> None:
    assert "x\\ry" in excerpt(b"D " + b"a" * 500 + b"x\ry" + b"a" * 500)


def test_characters_are_not_halved() -> None:
    shown = excerpt(b"D " + "ä".encode() * 500 + b"!" + "ö".encode() * 500, b"!")
    assert set(shown) == set("D äö!…")


@given(st.binary(max_size=600), st.binary(max_size=3))
def test_result_is_short_and_printable(line: bytes, quoted: bytes) -> None:
    shown = excerpt(line, quoted)
    assert shown.isprintable()
    assert len(shown) <= 4 * (WIDTH + 24) + 2  # four for a byte that is escaped
