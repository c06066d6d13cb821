"""Jobs that write blobs' records to the arena: who does which, and what becomes of them.

Each worker has a queue of blobs in the order of the stream. A job takes as many from its front as
are likely to fill a segment; what did not fit goes back there. A blob that is larger than a segment
gets one of its own if there is room for it at that time. Otherwise, as with one that failed, it is
left to whoever writes the stream when its turn comes.
"""

from __future__ import annotations

import struct
import sys
from collections import deque
from typing import TYPE_CHECKING

from fastio.exporter.assembly import OTHER
from fastio.exporter.blob_records import (
    FAILED,
    LARGER,
    Outcome,
    pack_job,
    unpack_outcome,
)
from workers.jobs import Batch, whole

if TYPE_CHECKING:
    from fastio.exporter.assembly import Assembly
    from fastio.exporter.budget import Budget
    from fastio.exporter.crew import Crew
    from fastio.exporter.routing import Router
    from workers.arena import Arena

__all__ = ["BLOBS", "BROKEN", "LARGE", "BlobJobs"]

BLOBS = 4  # the kind of job
LARGE, BROKEN = OTHER, OTHER + 1  # states of blobs that are dealt with in their turn
LONGEST_JOB = 1024
AHEAD = 3  # jobs a worker has at most, so that it never waits for the coordinator
NUMBER = 8  # bytes of a packed number
FIRST_GUESS = 1 << 14  # bytes of a record, before any was seen


class _Job:
    """Blobs that are being written to a segment."""

    __slots__ = ("batch", "numbers", "segment")

    def __init__(self, numbers: bytes, segment: int, batch: Batch) -> None:
        self.numbers, self.segment, self.batch = numbers, segment, batch


class _Place:
    """What a worker has to do."""

    __slots__ = ("jobs", "queue", "segments")

    def __init__(self) -> None:
        self.queue = bytearray()  # packed numbers of blobs
        self.jobs: deque[_Job] = deque()
        self.segments = 0  # how many it has, to be filled or to be written out


class BlobJobs:
    """Gives blobs to the crew.

    Args:
        crew: Does the jobs.
        assembly: Is told where the records lie.
        arena: Where segments come from.
        budget: How large and how many they are.
    """

    def __init__(self, crew: Crew, assembly: Assembly, arena: Arena, budget: Budget) -> None:
        self._crew, self._assembly, self._arena, self._budget = crew, assembly, arena, budget
        self._places = [_Place()]
        self._owners: dict[int, int] = {}  # segment to place, -1 for one of a large blob
        self._large = 0  # bytes of segments for large blobs
        self._records, self._bytes = 1, FIRST_GUESS
        self.reasons: dict[int, str] = {}
        """Why a blob is BROKEN."""

    @property
    def is_idle(self) -> bool:
        """Whether no blob waits."""
        return not any(place.queue or place.jobs for place in self._places)

    @property
    def missing(self) -> Batch | None:
        """A job that is not done."""
        return next(
            (job.batch for place in self._places for job in place.jobs if job.batch.missing), None
        )

    @property
    def has_enough(self) -> bool:
        """Whether each worker has blobs for its next jobs."""
        wanted = 2 * self._per_job * NUMBER
        return all(len(place.queue) >= wanted for place in self._places)

    @property
    def _per_job(self) -> int:
        """How many records are likely to fill a segment."""
        return min(max(self._budget.segment * self._records // self._bytes, 1), LONGEST_JOB)

    def grow(self) -> None:
        """Have a queue for each place of the crew; none may have blobs now."""
        self._places = [_Place() for _ in range(self._crew.places)]

    def add(self, blobs: bytes, first: int, count: int, router: Router | None) -> None:
        """Queue new blobs, numbered from *first* on."""
        if router is None:
            self._places[0].queue += struct.pack(f"={count}q", *range(first, first + count))
            return
        for place, numbers in zip(self._places, router.deal(blobs, first), strict=True):
            place.queue += numbers

    def submit(self) -> None:
        """Give out jobs as far as workers have segments for them."""
        for number, place in enumerate(self._places):
            while (
                place.queue and len(place.jobs) < AHEAD and place.segments < self._budget.segments
            ):
                count = self._per_job
                if place.jobs and len(place.queue) < count * NUMBER:
                    break  # there will be more
                segment = self._arena.allocate(self._budget.segment)
                if segment < 0:
                    return
                numbers = bytes(place.queue[: count * NUMBER])
                del place.queue[: count * NUMBER]
                self._give(number, numbers, segment, self._budget.segment)

    def _give(self, number: int, numbers: bytes, segment: int, room: int) -> None:
        job = pack_job(segment, room, self._assembly.rows(numbers))
        batch = self._crew.submit(BLOBS, job, split=whole, place=number)
        place = self._places[number]
        place.jobs.append(_Job(numbers, segment, batch))
        place.segments += 1
        self._owners[segment] = number

    def take(self, router: Router | None) -> bool:
        """Deal with jobs that are done; False if there are none."""
        taken = False
        for number, place in enumerate(self._places):
            while place.jobs and (results := place.jobs[0].batch.results()) is not None:
                job = place.jobs.popleft()
                outcome = unpack_outcome(results)
                if router is not None:
                    router.done(number, outcome.done + (outcome.end >= LARGER))
                self._settle(number, job, outcome)
                taken = True
        return taken

    def _settle(self, number: int, job: _Job, outcome: Outcome) -> None:
        place, rest = self._places[number], job.numbers[outcome.done * NUMBER :]
        if outcome.done:
            self._assembly.place(job.numbers, outcome.places, job.segment)
            self._learn(outcome.places)
        else:
            self.free(job.segment)
        if outcome.end >= LARGER:
            first, rest = _number(rest), rest[NUMBER:]
            if outcome.end == FAILED:
                self.reasons[first] = outcome.reason.decode(errors="surrogateescape")
                self._assembly.mark(first, BROKEN)
            else:
                self._give_alone(number, first, outcome.room)
        if rest:
            self._put_back(place.queue, rest)

    def _put_back(self, queue: bytearray, numbers: bytes) -> None:
        """Queue blobs again, in order with those of other jobs that were put back before."""
        last, at = _number(numbers[-NUMBER:]), 0
        while at < len(queue) and _number(queue[at : at + NUMBER]) < last:
            at += NUMBER
        again = sorted(struct.iter_unpack("=q", queue[:at] + numbers))
        queue[:at] = b"".join(number.to_bytes(NUMBER, sys.byteorder) for (number,) in again)

    def _learn(self, places: bytes) -> None:
        """Take the sizes of records into account; those of long ago count less."""
        sizes = struct.unpack(f"={len(places) // NUMBER}q", places)[1::2]
        self._records += len(sizes)
        self._bytes += sum(sizes)
        if self._records > LONGEST_JOB:
            self._records, self._bytes = self._records // 2, self._bytes // 2

    def _give_alone(self, number: int, blob: int, room: int) -> None:
        """Give a large blob a segment of its own if there is room, or leave it to its turn."""
        if self._large + room <= self._budget.large:
            segment = self._arena.allocate(room)
            if segment >= 0:
                self._large += room
                self._give(number, blob.to_bytes(NUMBER, sys.byteorder), segment, room)
                self._places[number].segments -= 1
                self._owners[segment] = -1
                return
        self._assembly.mark(blob, LARGE)

    def free(self, segment: int) -> None:
        """Give back a segment that is written out."""
        owner = self._owners.pop(segment)
        if owner < 0:
            self._large -= self._arena.size_of(segment)
        else:
            self._places[owner].segments -= 1
        self._arena.free(segment)

    def leave_first(self) -> None:
        """Leave the first blob of the stream, for which there is no room at all, to its turn."""
        first = self._assembly.first.to_bytes(NUMBER, sys.byteorder)
        for place in self._places:
            if place.queue[:NUMBER] == first:
                del place.queue[:NUMBER]
        self._assembly.mark(self._assembly.first, LARGE)


def _number(packed: bytes | bytearray) -> int:
    """Return the first of packed numbers."""
    return int.from_bytes(packed[:NUMBER], sys.byteorder)
