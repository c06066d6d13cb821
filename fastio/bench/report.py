"""All that a study found, in one place for whoever tells of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.bench.content import DELTA, FULL
from fastio.bench.strata import BOUNDS
from fastio.records import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastio.bench.codecs import Codecs
    from fastio.bench.content import Content
    from fastio.bench.estimate import Advice, Beside, Estimate
    from fastio.bench.loose import LooseStudy
    from fastio.bench.study import Measured

TITLES = {FULL: "full objects", DELTA: "deltas"}
"""What people are told of the forms."""


@record
class Report:
    """All that a study found.

    Attributes:
        content: What was measured on.
        codecs: What there was to measure.
        measured: Of each codec.
        beside: What an import takes beside its codec.
        estimates: Of an import with each codec.
        advice: Drawn from those.
        loose: Loose objects against a pack.
    """

    content: Content
    codecs: Codecs
    measured: Sequence[Measured]
    beside: Beside
    estimates: Sequence[Estimate]
    advice: Advice
    loose: LooseStudy


def class_name(number: int) -> str:
    """Return what tables call a size class."""
    if number < len(BOUNDS):
        return f"to {_short(BOUNDS[number])}"
    return f"over {_short(BOUNDS[-1])}"


def _short(size: int) -> str:
    return f"{size >> 10}K" if size >= 1 << 10 else str(size)
