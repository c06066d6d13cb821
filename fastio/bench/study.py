"""Every codec measured on a sample: by form and size class, for all that the sample stands for."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fastio.bench.content import FORMS, Content, Payload
from fastio.bench.strata import size_class
from fastio.bench.timing import cpu_seconds
from fastio.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fastio.bench.codecs import Codec


@record
class Figures:
    """What a codec makes of some payloads and of those that they stand for.

    Attributes:
        count: How many.
        size: Their bytes.
        packed: The same, compressed.
        seconds: CPU for that, on one core.
    """

    count: float
    size: float
    packed: float
    seconds: float

    @property
    def speed(self) -> float:
        """Bytes a second."""
        return self.size / self.seconds

    @property
    def ratio(self) -> float:
        """Compressed bytes for each byte."""
        return self.packed / self.size if self.size else 1.0

    @property
    def each(self) -> float:
        """Seconds for one payload."""
        return self.seconds / self.count


def joined(several: Iterable[Figures]) -> Figures | None:
    """Add figures up; None if there are none."""
    found = list(several)
    if not found:
        return None
    return Figures(
        sum(one.count for one in found),
        sum(one.size for one in found),
        sum(one.packed for one in found),
        sum(one.seconds for one in found),
    )


Cells = dict[tuple[str, int], Figures]
"""Figures by form and size class."""


class Measured:
    """What was measured of one codec.

    Attributes:
        codec: It.
        cells: By form and size class.
    """

    def __init__(self, codec: Codec, cells: Cells) -> None:
        self.codec, self.cells = codec, cells

    def of(self, form: str) -> Figures | None:
        """Return the figures of a form, all sizes; None if there are no such payloads."""
        return joined(figures for (its, _), figures in self.cells.items() if its == form)

    @property
    def whole(self) -> Figures:
        """The figures of everything that is deflated."""
        return joined(self.cells.values()) or Figures(0, 0, 0, 0)


def measure_codecs(
    content: Content, codecs: Iterable[Codec], step: Callable[[], None]
) -> Iterator[Measured]:
    """Measure each codec.

    Args:
        content: What on.
        codecs: Which.
        step: Is called after each cell.
    """
    groups = grouped(content)
    for codec in codecs:
        cells = {}
        for key, payloads in groups.items():
            cells[key] = _measure(codec.compress, payloads)
            step()
        yield Measured(codec, cells)


def grouped(content: Content) -> dict[tuple[str, int], list[Payload]]:
    """Return the sample's payloads by form and size class, small ones first."""
    groups: dict[tuple[str, int], list[Payload]] = defaultdict(list)
    for form in FORMS:
        for payload in sorted(content.payloads[form], key=lambda one: one.size):
            groups[form, size_class(payload.size)].append(payload)
    return groups


def _measure(compress: Callable[[bytes], bytes], payloads: list[Payload]) -> Figures:
    data = [payload.data for payload in payloads]

    def run() -> None:
        for one in data:
            compress(one)

    seconds = cpu_seconds(run)
    size = sum(payload.weight * payload.size for payload in payloads)
    count = sum(payload.weight for payload in payloads)
    packed = sum(payload.scale * len(compress(payload.data)) for payload in payloads)
    sampled = sum(map(len, data))
    return Figures(
        count, size, packed, seconds * (size / sampled if sampled else count / len(data))
    )
