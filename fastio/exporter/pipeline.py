"""The commits' part of an export: from the walk to the stream, by all cores.

    walk ─► runs of commits ─► records ─► filled text ──────────────► stream
              (crew)            in order    │ new blobs               ▲ in order
                                            ▼                        │
                                  a queue for each worker ─► segments of the arena
                                            (crew)

The coordinator alone knows the order. It gives out runs of commits ahead of what is written, only
as far as needed so that workers have blobs to go on with; takes their records in order and gives
numbers to blobs and commits; deals new blobs to workers; and writes what is ready. What comes out
depends on the walk alone, whoever did what and when.

Whoever writes is not waited for by more than the arena holds: segments are freed when they are
written, and without a free segment a worker gets no more blobs, and without that no more commits.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from fastio.errors import FastioError, ObjectError
from fastio.exporter.assembly import WAITING, Assembly
from fastio.exporter.blob_jobs import BROKEN, LARGE, NUMBER, BlobJobs
from fastio.exporter.commit_jobs import CommitJobs
from fastio.exporter.fill import ROW_SIZE, Filled, Filler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fastio.exporter.anonymize import Anonymizer
    from fastio.exporter.budget import Budget
    from fastio.exporter.crew import Crew
    from fastio.exporter.output import Output
    from fastio.exporter.routing import Router
    from fastio.exporter.work import Work
    from fastio.objects.kinds import Oid
    from workers.arena import Arena

__all__ = ["Pipeline"]

PIECES = 128  # of the stream, that are written at once: some megabytes
# Workers are started when what is left would take so many seconds without them, to judge by the
# first commits. Starting them takes 50 ms, and ending them 20.
WORTH = 0.15
FIRST_COMMITS = 64


class Pipeline:
    """Writes blobs and commits.

    Args:
        work: What workers do, which this process does as well.
        crew: Does it.
        arena: Shared with the crew.
        filler: Gives numbers.
        output: Takes the stream.
        budget: Bounds memory.
        anonymizer: Replaces what tells of the repository, with ``--anonymize``.
        tell_blobs: Puts records of blobs, which are not read, into the text; None to read them.
        warn: Is told each warning.
        look: Is called now and then.

    Attributes:
        total: How many commits there are.
        commits: How many of them were filled in.
        written: Bytes written.
    """

    def __init__(
        self,
        work: Work,
        crew: Crew,
        arena: Arena,
        filler: Filler,
        output: Output,
        budget: Budget,
        *,
        anonymizer: Anonymizer | None = None,
        tell_blobs: Callable[[Filled], bytes] | None = None,
        warn: Callable[[str], None],
        look: Callable[[Pipeline], None] = lambda _pipeline: None,
    ) -> None:
        self._work, self._crew, self._filler = work, crew, filler
        self._output, self._budget, self._warn, self._look = output, budget, warn, look
        self._anonymizer, self._tell_blobs = anonymizer, tell_blobs
        self._assembly = Assembly(arena)
        self._commit_jobs = CommitJobs(crew, work.plan.walk, arena, budget.records)
        self._blob_jobs = BlobJobs(crew, self._assembly, arena, budget)
        self._router: Router | None = None
        self._death: bytes | None = None
        self.total = len(work.plan.walk)
        self.commits = self.written = 0
        self._started = time.process_time()

    def steps(self, tagged_blobs: Iterable[Oid]) -> Iterator[None]:
        """Write the blobs of tags, then all commits; what is yielded is a moment to look.

        Raises:
            FastioError: The export ends here; what stands before that in the stream is written.
        """
        for oid in tagged_blobs:
            self._add(self._filler.blob(oid))
        while not self._is_over:
            if self._grows and self._blob_jobs.is_idle:
                self._grow()
            progress = self._blob_jobs.take(self._router)
            progress |= self._take_records()
            self._submit()
            progress |= self._write()
            self._wait(progress)
            self._look(self)
            yield
        if self._death is not None:
            raise FastioError(self._death.decode(errors="surrogateescape"))

    @property
    def _is_over(self) -> bool:
        return (
            self._commit_jobs.all_taken
            and self._assembly.first == self._assembly.end
            and not self._assembly.held_text
        )

    @property
    def _grows(self) -> bool:
        if not self._crew.grows or self._commit_jobs.all_taken:
            return False
        spent = time.process_time() - self._started
        if self.commits < FIRST_COMMITS and spent < WORTH / 3:
            return False
        return spent * (self.total - self.commits) >= WORTH * self.commits

    @property
    def _wants_commits(self) -> bool:
        if self._grows or self._assembly.held_text >= self._budget.text:
            return False  # what waits is to be done first
        return self._work.no_data or not self._blob_jobs.has_enough

    def _grow(self) -> None:
        """Go on with worker processes."""
        from fastio.exporter.routing import Router  # noqa: PLC0415 - small exports have no workers

        self._crew.start()
        self._blob_jobs.grow()
        self._router = Router(self._work.reader, self._crew.places)

    def _submit(self) -> None:
        self._blob_jobs.submit()
        while self._wants_commits and self._commit_jobs.submit():
            pass

    def _take_records(self) -> bool:
        """Fill in the records of the next run of commits, if they are there."""
        taken = self._commit_jobs.take()
        if taken is None:
            return False
        first, records = taken
        if self._anonymizer is not None:
            records = memoryview(self._anonymizer.records(bytes(records)))
        filled = self._filler.fill(records, self._work.plan.walk, first)
        self.commits += filled.commits
        for warning in filled.warnings:
            self._warn(warning.decode(errors="surrogateescape"))
        if filled.death is not None:
            self._death = filled.death
            self._commit_jobs.stop()
        self._add(filled)
        return True

    def _add(self, filled: Filled) -> None:
        if self._tell_blobs is not None:
            self._assembly.add(self._tell_blobs(filled), b"")
            return
        first = self._assembly.add(filled.text, filled.blobs)
        if filled.blobs:
            count = len(filled.blobs) // ROW_SIZE
            self._blob_jobs.add(filled.blobs, first, count, self._router)

    def _wait(self, progress: bool) -> None:
        """Take in results; without *progress* wait for one, or see to it that things go on."""
        missing = self._blob_jobs.missing or self._commit_jobs.missing
        if missing is not None:
            self._crew.wait(missing, 0 if progress else None)
        elif not progress and self._assembly.state == WAITING:
            self._blob_jobs.leave_first()

    def _write(self) -> bool:
        """Write some of what is ready; False if nothing is."""
        pieces = self._assembly.take(PIECES)
        if pieces:
            self._put(pieces)
            for segment in self._assembly.free():
                self._blob_jobs.free(segment)
        elif self._assembly.state in (LARGE, BROKEN):
            self._write_apart()
        else:
            return False
        return True

    def _put(self, pieces: list[bytes | memoryview]) -> None:
        self._output.write(pieces)
        self.written += sum(map(len, pieces))

    def _write_apart(self) -> None:
        """Write the first blob, which no worker did."""
        number = self._assembly.first
        if self._assembly.state == BROKEN:
            raise ObjectError(self._blob_jobs.reasons[number])
        row = self._assembly.rows(number.to_bytes(NUMBER, sys.byteorder))
        for piece in self._work.blob_pieces(row):
            self._put([piece])
        self._assembly.skip()
