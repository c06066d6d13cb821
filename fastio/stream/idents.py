"""Idents: ``Name <email> date``.

Source: git-fast-import(1), "committer".
"""

from __future__ import annotations

import re
from typing import Final

from fastio.errors import StreamError
from fastio.stream.dates import read_date
from fastio.stream.quoting import shown

# The usual spelling with a raw date, to find that nothing is to be done: it saves half of the time.
_USUAL: Final = re.compile(
    rb"[^<>]*+(?<= )<[^<>]*+> [0-9]{1,18}+ [+-](?:0[0-9]{3}|1[0-3][0-9]{2}|1400)"
)


def read_ident(text: bytes, date_format: str = "raw") -> bytes:
    """Return the ident as it stands in an object, the date in git's own form.

    Nothing but the date is changed, except that an ident without a name gets the SP in front of
    ``<`` that it lacks.

    Raises:
        StreamError: The brackets are not where they should be, or the date cannot be read.
    """
    if date_format == "raw" and _USUAL.fullmatch(text) is not None:
        return text
    opening = text.find(b"<")
    closing = text.find(b">")
    if opening < 0:
        raise StreamError(f"missing < in ident string: {shown(text)}", kind="ident")
    if 0 <= closing < opening:
        raise StreamError(f"no < before > in ident string: {shown(text)}", kind="ident")
    if opening and text[opening - 1] != 0x20:
        raise StreamError(f"missing space before < in ident string: {shown(text)}", kind="ident")
    if closing < 0 or text.find(b"<", opening + 1, closing) >= 0:
        raise StreamError(f"missing > in ident string: {shown(text)}", kind="ident")
    if text[closing + 1 : closing + 2] != b" ":
        raise StreamError(f"missing space after > in ident string: {shown(text)}", kind="ident")
    date = read_date(text[closing + 2 :], date_format)
    head = text[: closing + 2] if opening else b" " + text[: closing + 2]
    return head + date
