"""What workers do for an export, and the coordinator itself when it is a small one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fastio.exporter.blob_jobs import BLOBS
from fastio.exporter.blob_records import ROW_SIZE, blamed_blob, head_of, write_blobs
from fastio.exporter.commit_jobs import COMMIT_JOB_SIZE, COMMITS, unpack_commits
from fastio.exporter.commit_record import commit_records
from fastio.objects.kinds import Oid
from fastio.store.object_reader import ObjectReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastio.exporter.budget import Budget
    from fastio.exporter.commit_record import CommitRecords
    from fastio.exporter.options import ExportOptions
    from fastio.exporter.revisions import Plan
    from fastio.store.objects import ObjectStore
    from fastio.store.repository import Repository
    from workers.arena import Arena
    from workers.worker import Action

__all__ = ["ACTIONS", "Work"]


class Work:
    """What is the same for all jobs, and in each process a reader with its caches.

    Args:
        repository: What is exported.
        store: Its objects.
        plan: What of it.
        options: Those of the export.
        budget: How much memory a reader may take.
    """

    def __init__(
        self,
        repository: Repository,
        store: ObjectStore,
        plan: Plan,
        options: ExportOptions,
        budget: Budget,
    ) -> None:
        self._repository, self._store, self._plan = repository, store, plan
        self._options, self._budget = options, budget
        self._coordinator = os.getpid()
        self._reader: tuple[int, ObjectReader] | None = None
        self._records: tuple[ObjectReader, CommitRecords] | None = None

    @property
    def no_data(self) -> bool:
        """Whether blobs are left out."""
        return self._options.no_data

    @property
    def plan(self) -> Plan:
        """What is exported."""
        return self._plan

    @property
    def reader(self) -> ObjectReader:
        """This process's reader."""
        process = os.getpid()
        if self._reader is None or self._reader[0] != process:
            own = process == self._coordinator
            memory = self._budget.coordinator_cache if own else self._budget.worker_cache
            reader = ObjectReader(self._store, memory=memory, verify=self._options.verify)
            self._reader = process, reader
        return self._reader[1]

    def make_records(self, arena: Arena, job: bytes) -> bytes:
        """Do a job of commits."""
        reader = self.reader
        first, count, segment, room = unpack_commits(job)
        if self._records is None or self._records[0] is not reader:
            self._records = (
                reader,
                commit_records(
                    self._repository,
                    self._plan,
                    self._options,
                    reader,
                    memory=self._budget.trees,
                ),
            )
        return self._records[1].make(
            first, count, arena.view[segment : segment + room] if room else None
        )

    def write_blobs(self, arena: Arena, job: bytes) -> bytes:
        """Do a job of blobs."""
        return write_blobs(self.reader, arena, job, self._options.show_original_ids)

    def blob_pieces(self, row: bytes) -> Iterator[bytes]:
        """Read the record of one blob piece by piece, as far as it can be read like that.

        Args:
            row: As in a job.

        Raises:
            FastioError: It cannot be read.
        """
        oid_size = self.reader.oid_size
        oid = Oid(row[ROW_SIZE - 32 :][:oid_size])
        large = self.reader.open_large(oid, above=0)
        if large is None:
            _, content = self.reader.read(oid)
            yield head_of(len(content), row, oid_size, self._options.show_original_ids)
            yield content
        else:
            yield head_of(large.size, row, oid_size, self._options.show_original_ids)
            yield from large.pieces
        yield b"\n"

    def describe(self, arena: Arena, job: bytes) -> str:
        """Tell people what a worker did, or tried to, when it died of *job*."""
        if len(job) == COMMIT_JOB_SIZE:
            return f"commit {self._plan.walk.oid(unpack_commits(job)[0]).hex()}"
        return f"object {blamed_blob(arena, job)[: self.reader.oid_size].hex()}"


def _make_records(arena: Arena, job: bytes, work: Work) -> bytes:
    return work.make_records(arena, job)


def _write_blobs(arena: Arena, job: bytes, work: Work) -> bytes:
    return work.write_blobs(arena, job)


ACTIONS: dict[int, Action] = {COMMITS: _make_records, BLOBS: _write_blobs}
"""What is done for each kind of job."""
