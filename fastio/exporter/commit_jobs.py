"""Jobs that make records of runs of commits, and their results in the order of the walk."""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastio.exporter.crew import Crew
    from fastio.exporter.walk import Walk
    from workers.jobs import Batch

__all__ = ["COMMITS", "COMMIT_JOB_SIZE", "CommitJobs", "split_commits", "unpack_commits"]

COMMITS = 3  # the kind of job
FIRST_RUN, LONGEST_RUN = 16, 2048
# A run whose records are longer than this is followed by shorter ones.
RUN_BYTES = 1 << 21
# Runs become shorter again in the end, so that nobody waits long for the last one.
LAST_RUNS = 4  # what is left is split for each worker, at least
AHEAD = 2  # jobs a worker has at most, so that it never waits for the coordinator

_JOB = struct.Struct("=2q")
COMMIT_JOB_SIZE = _JOB.size


def unpack_commits(job: bytes) -> tuple[int, int]:
    """Return the first row and the number of rows of a job."""
    first, count = _JOB.unpack(job)
    return first, count


def split_commits(job: bytes) -> list[bytes]:
    """Return jobs for one commit each."""
    first, count = unpack_commits(job)
    return [_JOB.pack(row, 1) for row in range(first, first + count)]


class CommitJobs:
    """Gives runs of commits to the crew.

    Runs are short at first, since nothing can be written before the first of them is there, and
    long later: the last trees of a run, and what they are deltas of, are read once more for the
    next one.

    Args:
        crew: Does the jobs.
        walk: The commits.
    """

    def __init__(self, crew: Crew, walk: Walk) -> None:
        self._crew, self._count = crew, len(walk)
        self._next = 0  # row to submit
        self._length = FIRST_RUN
        self._jobs: deque[tuple[int, int, int, Batch]] = deque()  # first row, rows, place, results

    @property
    def missing(self) -> Batch | None:
        """The oldest job that is not done."""
        return next((job[3] for job in self._jobs if job[3].missing), None)

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
        for _, _, place, _ in self._jobs:
            busy[place] += 1
        place = busy.index(min(busy))
        if busy[place] >= AHEAD:
            return False
        left = self._count - self._next
        share = left // (LAST_RUNS * self._crew.places)
        count = min(self._length, left, max(share, FIRST_RUN))
        job = _JOB.pack(self._next, count)
        batch = self._crew.submit(COMMITS, job, split=split_commits, place=place)
        self._jobs.append((self._next, count, place, batch))
        self._next += count
        return True

    def take(self) -> tuple[int, bytes] | None:
        """Return first row and records of the next run; None if they are not there."""
        if not self._jobs:
            return None
        first, count, _, batch = self._jobs[0]
        records = batch.results()
        if records is None:
            return None
        self._jobs.popleft()
        if len(records) > RUN_BYTES:
            self._length = max(self._length // 2, 1)
        elif count == self._length and 2 * len(records) < RUN_BYTES:
            self._length = min(2 * self._length, LONGEST_RUN)
        return first, records
