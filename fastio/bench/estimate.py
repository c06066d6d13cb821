"""What an import would take with each codec, estimated, and which level to recommend.

An import's CPU time is made of parts, each measured here on the sample and multiplied by what it
stands for: deflating, hashing, making deltas. To these comes the coordinator, which is not measured
here: STEERED and BYTE say what it took in other imports. What the pack has beside the payloads is
an entry's header each.

The recommendation is the level with the least sum of CPU time and of the time that the pack's
bytes take on a line, by default one of 100 Mbit/s: a pack is made once, but it is stored and sent
as well. The default stays unless another level is better by more than measuring again would change
(MARGIN).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.bench.content import FULL, Content
from fastio.bench.options import WORTH
from fastio.bench.timing import cpu_seconds
from fastio.objects.kinds import BLOB, SHA1, ObjectFormat
from fastio.records import record
from workers._sha1 import hash_objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastio.bench.codecs import Codec
    from fastio.bench.study import Measured

# What the coordinator takes: seconds for a tree, commit or tag, and for a byte of all objects. The
# imports of boost, git, jquery and pdf.js took between a tenth less and a quarter more.
STEERED, BYTE = 8e-6, 0.6e-9
HEADER = 4  # bytes of an entry beside its payload: type, size, distance to the base
MARGIN = 0.03


@record
class Beside:
    """What an import takes beside deflating, whatever the codec.

    Attributes:
        hashing: CPU seconds for all oids.
        deltas: CPU seconds for making deltas.
        coordinator: CPU seconds of who reads the stream and writes the pack.
        size: Bytes of the pack that no codec touches.
    """

    hashing: float
    deltas: float
    coordinator: float
    size: float

    @property
    def seconds(self) -> float:
        """All CPU seconds."""
        return self.hashing + self.deltas + self.coordinator


@record
class Estimate:
    """What an import would take with one codec.

    Attributes:
        codec: It.
        seconds: CPU seconds of all processes.
        size: Bytes of the pack.
    """

    codec: Codec
    seconds: float
    size: float

    def cost(self, worth: float) -> float:
        """Return seconds for time and size, a second being worth so many bytes."""
        return self.seconds + self.size / worth


@record
class Advice:
    """Which level to take, and what others would give.

    Attributes:
        worth: Bytes of pack that a second of CPU is worth.
        best: Is recommended.
        default: What an import takes without being told.
        fastest: The least CPU.
        smallest: The smallest pack.
        beyond: The best of what ``--compression`` cannot choose.
    """

    worth: float
    best: Estimate
    default: Estimate
    fastest: Estimate
    smallest: Estimate
    beyond: Estimate | None


def estimate_beside(content: Content, object_format: ObjectFormat | None = None) -> Beside:
    """Estimate what is the same for all codecs."""
    bodies = [payload.data for payload in content.payloads[FULL]]
    sampled = sum(map(len, bodies))
    pairs = [(BLOB, body) for body in bodies]

    def run() -> None:
        if object_format is None or object_format is SHA1:
            hash_objects(pairs)
        else:
            for body in bodies:
                object_format.hash_object(BLOB, body)

    hashing = cpu_seconds(run) * (content.size / sampled if sampled else 1.0)
    return Beside(
        hashing,
        content.delta_seconds,
        content.steered * STEERED + content.size * BYTE,
        content.kept_size + content.objects * HEADER,
    )


def estimate(measured: Measured, beside: Beside) -> Estimate:
    """Estimate an import with one codec."""
    whole = measured.whole
    return Estimate(measured.codec, beside.seconds + whole.seconds, beside.size + whole.packed)


def advise(estimates: Sequence[Estimate], default: Codec, worth: float = WORTH) -> Advice:
    """Choose a level.

    Args:
        estimates: Of all codecs.
        default: Which of them an import takes without being told.
        worth: Bytes of pack that a second of CPU is worth.
    """

    def cost(one: Estimate) -> float:
        return one.cost(worth)

    own = [one for one in estimates if one.codec.choice is not None]
    usual = next(one for one in own if one.codec is default)
    best = min(own, key=cost)
    others = [one for one in estimates if one.codec.choice is None and one.codec.library != "lz4"]
    return Advice(
        worth,
        best if cost(best) < cost(usual) * (1 - MARGIN) else usual,
        usual,
        min(own, key=lambda one: one.seconds),
        min(own, key=lambda one: one.size),
        min(others, key=cost, default=None),
    )
