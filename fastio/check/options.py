"""What a check can be told, and which features and options of a stream an import knows.

The importer's own reader of options cannot be asked: it applies what it reads, files included. A
test compares the two.
"""

from __future__ import annotations

import re
from typing import Final

from fastio.errors import StreamError
from fastio.records import record
from fastio.stream.dates import READERS as DATE_FORMATS
from fastio.stream.excerpt import visible

MAX_PLACES: Final = 5
UNSAFE: Final = frozenset((b"import-marks", b"import-marks-if-exists", b"export-marks"))
SIGNATURE_MODES: Final = (
    *("verbatim", "ignore", "warn-verbatim", "warn", "strip", "warn-strip", "abort"),
    *("strip-if-invalid", "sign-if-invalid", "abort-if-invalid"),
)

_FLAGS: Final = frozenset(
    (
        *(b"alias", b"cat-blob", b"get-mark", b"ls", b"notes"),
        *(b"done", b"force", b"relative-marks", b"no-relative-marks"),
    )
)
_NUMBER: Final = rb"[ \t\n\v\f\r]*(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)"
_LIMITS: Final = {b"depth": 8191, b"active-branches": 2**64 - 1}
_SIZE: Final = rb"[ \t\n\v\f\r]*[0-9]+[kKmMgG]?"
_MODE: Final = "|".join(SIGNATURE_MODES).encode()
_OPTION: Final = re.compile(
    rb"quiet|stats|allow-unsafe-features|(?:depth|active-branches)=%b"
    rb"|(?:big-file-threshold|max-pack-size)=%b|export-pack-edges=.*"
    rb"|signed-(?:commits|tags)=(?:%b|sign-if-invalid=.*)" % (_NUMBER, _SIZE, _MODE),
    re.DOTALL,
)


@record
class CheckOptions:
    """Options of a check.

    Attributes:
        date_format: How dates are written, whatever the stream says; None leaves it to the stream.
        done: Whether the stream has to end in ``done``.
        import_marks: Marks files whose marks count as declared, with whether they may be missing.
        allow_unsafe_features: Whether the stream may name files.
        strip_signatures: Whether signatures of commits are left out, so that no one minds them.
        max_places: How many places are kept of each kind of findings.
    """

    date_format: str | None = None
    done: bool = False
    import_marks: tuple[tuple[str, bool], ...] = ()
    allow_unsafe_features: bool = False
    strip_signatures: bool = False
    max_places: int = MAX_PLACES


def feature_error(name: bytes, value: bytes | None, *, allow_unsafe: bool) -> StreamError | None:
    """Return what an import says against a feature, if anything."""
    shown = visible(name)
    if name in UNSAFE and not allow_unsafe:
        return StreamError(f"feature '{shown}' names a file", kind="unsafe-feature")
    if name == b"date-format" and value is not None:
        if value.decode("utf-8", "replace") in DATE_FORMATS:
            return None
        return StreamError(f"unknown date format: {visible(value)}", kind="date-format")
    if name in _FLAGS if value is None else name in UNSAFE:
        return None
    if name in (b"rewrite-submodules-from", b"rewrite-submodules-to") and b":" in (value or b""):
        return None
    return StreamError(f"unknown feature: {shown}", kind="feature")


def option_error(text: bytes) -> StreamError | None:
    """Return what an import says against what follows ``option git``, if anything."""
    name, _, value = text.partition(b"=")
    if _OPTION.fullmatch(text) and not (name in _LIMITS and _is_above(value, _LIMITS[name])):
        return None
    return StreamError(f"unknown option, or a bad value: {visible(text)}", kind="feature")


def _is_above(text: bytes, limit: int) -> bool:
    text = text.strip()
    base = 16 if text[:2].lower() == b"0x" else 8 if text[:1] == b"0" else 10
    return len(text) > 30 or int(text, base) > limit
