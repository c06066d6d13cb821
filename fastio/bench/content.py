"""What a study measures on: a sample of the payloads that an import would deflate."""

from __future__ import annotations

from fastio.records import record

FULL, DELTA = "full", "delta"
"""How an object is stored: as it is, or as a delta."""

FORMS = (FULL, DELTA)


@record
class Payload:
    """Bytes to deflate.

    Attributes:
        data: A whole object, a whole delta, or a piece of one that is too large.
        size: Bytes of the whole.
        weight: How many such payloads it stands for.
    """

    data: bytes
    size: int
    weight: float

    @property
    def scale(self) -> float:
        """How often what *data* takes is what all of them take."""
        return self.weight * (self.size / len(self.data) if self.data else 1)


class Content:
    """A sample, and what is known of all that it stands for.

    Attributes:
        name: What was looked at.
        kind: ``folder`` or ``repository``.
        objects: How many files or objects there are.
        size: Their bytes.
        payloads: The sample, by form.
        steered: How many of the objects are not blobs: an import's coordinator makes those.
        kept_size: Bytes that an import stores without deflating them.
        delta_seconds: CPU seconds for making all deltas.
        note: About the deltas.
    """

    def __init__(self, name: str, kind: str, objects: int) -> None:
        self.name, self.kind, self.objects = name, kind, objects
        self.payloads: dict[str, list[Payload]] = {form: [] for form in FORMS}
        self.size = self.steered = self.kept_size = self.delta_seconds = 0.0
        self.note = ""

    def add(self, form: str, payload: Payload) -> None:
        """Add a payload to the sample."""
        self.payloads[form].append(payload)

    def sampled(self, form: str) -> tuple[int, int]:
        """Tell how many payloads the sample has, and their bytes."""
        payloads = self.payloads[form]
        return len(payloads), sum(len(one.data) for one in payloads)

    def count(self, form: str) -> float:
        """Tell how many payloads there are altogether."""
        return sum(one.weight for one in self.payloads[form])
