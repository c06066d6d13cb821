"""Dates as people and mail programs write them."""

from __future__ import annotations


def read_loose_date(text: bytes) -> tuple[int, int] | None:
    """Return seconds since the epoch and minutes east of UTC, or None if *text* is no date."""
    del text
    return None
