"""Numbers of the command line."""

import pytest

from fastio.numerals import MAX_WORKERS, parse_size, parse_uint, parse_workers


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("12", 12), ("0x10", 16), ("010", 8), (" 7", 7), ("0XfF", 255)]
)
def test_numbers_like_those_of_c(text: str, value: int) -> None:
    assert parse_uint(text) == value


@pytest.mark.parametrize("text", ["", "-1", "+1", "1 ", "5 elephants", "09", "0x", "1k", "٣"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        parse_uint(text)


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1), ("2k", 2048), ("3M", 3 << 20), ("1g", 1 << 30), ("010", 10)]
)
def test_sizes(text: str, value: int) -> None:
    assert parse_size(text) == value


@pytest.mark.parametrize("text", ["", "k", "1kb", "-1", "1.5m", "0x10", "1 k"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        parse_size(text)


def test_workers_have_a_limit() -> None:
    assert parse_workers(str(MAX_WORKERS)) == MAX_WORKERS
    with pytest.raises(ValueError, match=r"^"):
        parse_workers(str(MAX_WORKERS + 1))
