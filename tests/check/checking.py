"""Checking streams that are bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastio.check.checker import Checker
from fastio.check.options import CheckOptions


def check(
    stream: bytes, *, piece: int = 1 << 20, options: CheckOptions | None = None, **more: Any
) -> Checker:
    """Check a stream that comes in pieces."""
    checker = Checker(options or CheckOptions(**({"max_places": 100} | more)))
    pieces = iter([stream[at : at + piece] for at in range(0, len(stream), piece)])
    checker.run(lambda buffer: _fill(buffer, pieces))
    return checker


def _fill(buffer: memoryview, pieces: Iterator[bytes]) -> int:
    piece = next(pieces, b"")
    buffer[: len(piece)] = piece
    return len(piece)


def found(stream: bytes, **options: Any) -> list[tuple[str, int]]:
    """Return kind and offset of all that is found."""
    findings = check(stream, **options).findings
    return [(one.name, place.error.offset) for one in findings for place in one.places]
