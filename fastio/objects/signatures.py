"""Signatures as text: how they begin, and where in a tag's message they stand."""

from __future__ import annotations

import re

# Compiled when first used: most streams have no signature.
_BEGIN = rb"(?m)^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SIGNED MESSAGE|SSH SIGNATURE)-----"


def is_signature(text: bytes) -> bool:
    """Tell whether *text* begins as a signature of OpenPGP, X.509 or SSH does."""
    return re.match(_BEGIN, text) is not None


def split_signature(message: bytes) -> tuple[bytes, bytes]:
    """Return a tag's message and the signature that ends it, which may be empty.

    The signature starts at the last line that begins one; an earlier block is plain text.
    """
    at = max((begin.start() for begin in re.finditer(_BEGIN, message)), default=len(message))
    return message[:at], message[at:]
