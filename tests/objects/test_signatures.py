"""Signatures as text."""

from __future__ import annotations

import pytest

from fastio.objects.signatures import is_signature, split_signature


def test_a_signature_starts_at_the_last_line_that_begins_one() -> None:
    block = b"-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\n"
    assert split_signature(b"text\n" + block + block) == (b"text\n" + block, block)
    assert split_signature(block) == (b"", block)


@pytest.mark.parametrize("message", [b"", b"text\n", b"> -----BEGIN PGP SIGNATURE-----\n"])
def test_a_message_without_signature_is_all_message(message: bytes) -> None:
    assert split_signature(message) == (message, b"")


@pytest.mark.parametrize(
    "word", [b"PGP SIGNATURE", b"PGP MESSAGE", b"SIGNED MESSAGE", b"SSH SIGNATURE"]
)
def test_what_begins_as_a_signature_does(word: bytes) -> None:
    begin = b"-----BEGIN %b-----" % word
    assert is_signature(begin + b"\nabc\n")
    assert is_signature(begin)
    assert not is_signature(b"\n" + begin)
    assert not is_signature(begin[:-1])
