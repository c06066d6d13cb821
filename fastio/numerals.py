"""Numbers of the command line."""

from __future__ import annotations

import re

MAX_WORKERS = 1024  # each is a process, and two descriptors here


def parse_uint(text: str) -> int:
    """Read a number as strtoul does with base 0: ``0x10`` and ``010`` work, signs do not."""
    match = re.fullmatch(r"\s*(?:0[xX]([0-9a-fA-F]+)|(0[0-7]*)|([1-9][0-9]*))", text)
    if match is None:
        raise ValueError(text)
    sixteen, eight, ten = match.groups()
    return int(sixteen, 16) if sixteen else int(eight, 8) if eight else int(ten)


def parse_size(text: str) -> int:
    """Read a decimal number with an optional k, m or g behind it."""
    match = re.fullmatch(r"\s*([0-9]+)([kKmMgG]?)", text)
    if match is None:
        raise ValueError(text)
    number, unit = match.groups()
    return int(number) << {"": 0, "k": 10, "m": 20, "g": 30}[unit.lower()]


def parse_workers(text: str) -> int:
    """Read a number of worker processes."""
    workers = parse_uint(text)
    if workers > MAX_WORKERS:
        raise ValueError(text)
    return workers
