"""Who does the jobs of an export: this process at first, worker processes when it takes longer.

Both do the same things to the same bytes. An export of a few commits would be over before workers
have started, so none are; and they are forked from a process that knows the walk, so that a job is
only a few numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.errors import WorkerError
from fastio.exporter.work import ACTIONS
from workers.errors import PoolError, WorkersError
from workers.jobs import Batch, Split

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.exporter.work import Work
    from workers.arena import Arena
    from workers.pool import Pool

__all__ = ["Crew", "load_pool"]


def load_pool() -> None:
    """Import what starts workers, for which a tenth of a long walk is needed."""
    import workers.pool  # noqa: F401, PLC0415 - small exports never need it


class Crew:
    """Does jobs, here or in workers.

    Args:
        arena: Shared with the workers.
        work: What is to be done for each kind of job.
        workers: How many processes to start; 0 to do everything here.
        before_workers: Is called before the first is forked.
    """

    def __init__(
        self,
        arena: Arena,
        work: Work,
        *,
        workers: int,
        before_workers: Callable[[], None] = lambda: None,
    ) -> None:
        self._arena, self._work, self._workers = arena, work, workers
        self._before_workers = before_workers
        self._pool: Pool | None = None

    @property
    def places(self) -> int:
        """How many can be busy at the same time."""
        return 1 if self._pool is None else self._workers

    @property
    def grows(self) -> bool:
        """Whether there are workers that have not been started."""
        return self._pool is None and self._workers > 0

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers."""
        return [] if self._pool is None else self._pool.pids

    def start(self) -> None:
        """Start the workers.

        Raises:
            WorkerError: Not even one can be started.
        """
        from workers.pool import Pool  # noqa: PLC0415 - small exports never need it

        self._before_workers()
        self._pool = Pool(self._arena, workers=self._workers, settings=self._work, actions=ACTIONS)
        try:
            self._pool.start()
        except WorkersError as error:
            raise WorkerError(str(error)) from error

    def submit(self, kind: int, payload: bytes, *, split: Split, place: int) -> Batch:
        """Hand in a job for the worker at *place*; done at once where there are no workers."""
        if self._pool is not None:
            return self._pool.submit_job(kind, payload, split=split, place=place)
        batch = Batch()
        batch.parts[0] = ACTIONS[kind](self._arena, payload, self._work)
        batch.missing = 0
        return batch

    def wait(self, batch: Batch, timeout: float | None = None) -> None:
        """Let results come in, and wait up to *timeout* seconds for some while *batch* is missing.

        Raises:
            WorkerError: A job failed three times, or no worker can be started.
        """
        if self._pool is None:
            return
        try:
            self._pool.poll(timeout, batch)
        except PoolError as error:
            where = f"{self._work.describe(self._arena, error.task)}: " if error.task else ""
            raise WorkerError(where + error.reason) from error
        except WorkersError as error:
            raise WorkerError(str(error)) from error

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
