"""What the pool hands to its workers, and what it waits for."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Batch", "Job", "Split", "whole"]

Split = Callable[[bytes], list[bytes]]
"""Takes a job's tasks apart; gives one part where they belong together."""


def whole(tasks: bytes) -> list[bytes]:
    """Leave tasks together."""
    return [tasks]


class Batch:
    """Results of what was submitted at once, as far as they are there."""

    __slots__ = ("missing", "parts")

    def __init__(self) -> None:
        self.parts: list[bytes] = [b""]
        self.missing = 1

    def split(self, count: int) -> None:
        """Let results come one by one."""
        self.parts = [b""] * count
        self.missing = count

    def results(self) -> bytes | None:
        """Return the packed results, None while some are missing."""
        return None if self.missing else b"".join(self.parts)


class Job:
    """A batch, or one task of it, that some worker has to do.

    Args:
        batch: Whose results it gives.
        kind: Of message.
        tasks: What is to be done.
        number: Tells its answer from others.
        split: Takes the tasks apart.
        part: Which of the batch's results it gives.
        place: The worker it is bound to; None for any.
    """

    __slots__ = ("attempts", "batch", "kind", "number", "part", "place", "split", "tasks")

    def __init__(
        self,
        batch: Batch,
        kind: int,
        tasks: bytes,
        number: int,
        split: Split,
        *,
        part: int = 0,
        place: int | None = None,
    ) -> None:
        self.batch, self.kind, self.tasks, self.number = batch, kind, tasks, number
        self.split, self.part, self.place = split, part, place
        self.attempts = 0
