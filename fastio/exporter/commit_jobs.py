"""Jobs that make records of runs of commits, and their results in the order of the walk.

A job has room in the arena, where a worker puts its records behind their size. Where they find no
room they are what the job returns.
"""

from __future__ import annotations

import struct
import sys
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastio.exporter.crew import Crew
    from fastio.exporter.walk import Walk
    from workers.arena import Arena
    from workers.jobs import Batch

__all__ = ["COMMITS", "COMMIT_JOB_SIZE", "CommitJobs", "split_commits", "unpack_commits"]

COMMITS = 3  # the kind of job
FIRST_RUN, LONGEST_RUN = 16, 2048
# A run whose records are longer than this is followed by shorter ones.
RUN_BYTES = 1 << 21
SIZE = 8  # bytes in which records in the arena say theirs
# Runs become shorter again in the end, so that nobody waits long for the last one.
LAST_RUNS = 4  # what is left is split for each worker, at least
AHEAD = 2  # jobs a worker has at most, so that it never waits for the coordinator

_JOB = struct.Struct("=4q")
COMMIT_JOB_SIZE = _JOB.size


def unpack_commits(job: bytes) -> tuple[int, int, int, int]:
    """Return the first row of a job, the number of rows, and its segment and how long that is."""
    first, count, segment, room = _JOB.unpack(job)
    return first, count, segment, room


def split_commits(job: bytes) -> list[bytes]:
    """Return jobs for one commit each, none of which has a segment."""
    first, count, _, _ = unpack_commits(job)
    return [_JOB.pack(row, 1, 0, 0) for row in range(first, first + count)]


class _Job:
    """A run of commits under way."""

    __slots__ = ("batch", "count", "first", "place", "segment")

    def __init__(self, first: int, count: int, place: int, segment: int, batch: Batch) -> None:
        self.first, self.count, self.place, self.segment = first, count, place, segment
        self.batch = batch


class CommitJobs:
    """Gives runs of commits to the crew.

    Runs are short at first, since nothing can be written before the first of them is there, and
    long later: the last trees of a run, and what they are deltas of, are read once more for the
    next one.

    Args:
        crew: Does the jobs.
        walk: The commits.
        arena: Where segments for records come from.
        room: Bytes of each of them.
    """

    def __init__(self, crew: Crew, walk: Walk, arena: Arena, room: int) -> None:
        self._crew, self._count, self._arena, self._room = crew, len(walk), arena, room
        self._next = 0  # row to submit
        self._length = FIRST_RUN
        self._jobs: deque[_Job] = deque()
        self._taken = -1  # the segment of what was taken last, if it has one

    @property
    def missing(self) -> Batch | None:
        """The oldest job that is not done."""
        return next((job.batch for job in self._jobs if job.batch.missing), None)

    @property
    def all_taken(self) -> bool:
        """Whether there is nothing left to submit or to take."""
        return self._next == self._count and not self._jobs

    def stop(self) -> None:
        """Submit and take nothing more."""
        self._jobs.clear()
        self._next = self._count

    def submit(self) -> bool:
        """Submit one more run to whoever has fewest; False if that is no use now."""
        if self._next == self._count:
            return False
        busy = [0] * self._crew.places
        for job in self._jobs:
            busy[job.place] += 1
        place = busy.index(min(busy))
        if busy[place] >= AHEAD:
            return False
        left = self._count - self._next
        share = left // (LAST_RUNS * self._crew.places)
        count = min(self._length, left, max(share, FIRST_RUN))
        segment = self._arena.allocate(self._room)
        packed = _JOB.pack(self._next, count, segment, 0 if segment < 0 else self._room)
        batch = self._crew.submit(COMMITS, packed, split=split_commits, place=place)
        self._jobs.append(_Job(self._next, count, place, segment, batch))
        self._next += count
        return True

    def take(self) -> tuple[int, memoryview] | None:
        """Return first row and records of the next run, which stay until the next call.

        None if they are not there.
        """
        if self._taken >= 0:
            self._arena.free(self._taken)
            self._taken = -1
        if not self._jobs:
            return None
        job = self._jobs[0]
        results = job.batch.results()
        if results is None:
            return None
        self._jobs.popleft()
        self._taken = job.segment
        records = memoryview(results) if results else self._in_arena(job.segment)
        fitting = max(RUN_BYTES * job.count // len(records), 1)
        self._length = min(fitting, 2 * job.count, LONGEST_RUN)
        return job.first, records

    def _in_arena(self, segment: int) -> memoryview:
        start = segment + SIZE
        size = int.from_bytes(self._arena.view[segment:start], sys.byteorder)
        return self._arena.view[start : start + size]
