"""Where batches of tasks are done: here while little has come, in workers once it pays.

Both ways run the same pure function, so the results are the same bytes. Results of blobs leave in
the order of submission; a batch of commits is submitted apart, and asked for by whoever did that.
A batch of blobs that the caller would only wait for is done here at once: a question of a frontend
comes behind a few blobs, and the way to a worker and back costs more than they do.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from fastio.errors import WorkerError
from workers.errors import PoolError, WorkersError
from workers.tasks import Settings, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from workers.arena import Arena
    from workers.pool import Batch, Pool

    Ticket = bytes | Batch

# Starting a pool costs some 20 ms, about what one core needs for this much work.
POOL_PAYS_BYTES = 1 << 20
POOL_PAYS_TASKS = 4096


class Encoder:
    """Takes task batches in and gives their results back in the same order.

    Args:
        arena: Where the tasks' bytes lie.
        settings: What all tasks share: hash algorithm and compression level.
        workers: How many processes to start when it pays; 0 keeps all work in this one.

    Attributes:
        describe: Says what object a packed task is about; for errors.
        before_workers: Is called before workers are forked.
        sent: Batches that went to workers.

    Every method that runs tasks raises WorkerError when one cannot be done, however often it is
    tried, or when there are no workers to be had.
    """

    def __init__(self, arena: Arena, settings: Settings, *, workers: int) -> None:
        self._arena, self._settings, self.workers = arena, settings, workers
        self.describe: Callable[[bytes], str] = lambda _task: "an object"
        self.before_workers: Callable[[], None] = lambda: None
        # Results of batches in order of submission; None for one that is with the workers.
        self._results: deque[bytes | None] = deque()
        self._pool: Pool | None = None
        self.sent = 0
        self._bytes = self._tasks = 0

    @property
    def started(self) -> bool:
        """Whether workers are running."""
        return self._pool is not None

    def submit(self, tasks: bytes, count: int, raw_bytes: int) -> None:
        """Accept a batch of *count* packed tasks over *raw_bytes* bytes of blobs."""
        pool = self._pool_for(count, raw_bytes)
        if pool is None:
            self.submit_here(tasks)
            return
        try:
            pool.submit(tasks)
            pool.poll(0)  # a worker whose answer is in has room for another batch
        except WorkersError as error:
            raise self._ours(error) from error
        self._results.append(None)
        self.sent += 1

    def submit_apart(self, tasks: bytes, count: int, raw_bytes: int) -> Ticket:
        """Accept a batch that is done before what else waits; :meth:`wait_for` has its results."""
        pool = self._pool_for(count, raw_bytes)
        if pool is None:
            return self.encode_here(tasks)
        try:
            return pool.submit_apart(tasks)
        except WorkersError as error:
            raise self._ours(error) from error

    def wait_for(self, ticket: Ticket) -> bytes:
        """Return the results of a batch that was submitted apart."""
        if isinstance(ticket, bytes):
            return ticket
        assert self._pool is not None
        try:
            while (results := ticket.results()) is None:
                self._pool.poll(None, ticket)
        except WorkersError as error:
            raise self._ours(error) from error
        return results

    def _pool_for(self, count: int, raw_bytes: int) -> Pool | None:
        """Return the workers, if by now there is enough work to have any."""
        self._bytes += raw_bytes
        self._tasks += count
        if self._pool is None and self.workers and self._pays():
            self._start()
        return self._pool

    def submit_here(self, tasks: bytes) -> None:
        """Accept a batch of packed tasks and do it before returning."""
        self._results.append(self.encode_here(tasks))

    def _pays(self) -> bool:
        return self._bytes > POOL_PAYS_BYTES or self._tasks > POOL_PAYS_TASKS

    def _start(self) -> None:
        from workers.pool import Pool  # noqa: PLC0415 - small imports never need it

        self.before_workers()
        self._pool = Pool(self._arena, workers=self.workers, settings=self._settings)
        try:
            self._pool.start()
        except WorkersError as error:
            raise self._ours(error) from error

    def take(self) -> bytes | None:
        """Return the next batch's results, or None when they are not there yet."""
        if not self._results:
            return None
        results = self._results[0]
        if results is None and self._pool is not None:
            results = self._pool.take()
        if results is not None:
            self._results.popleft()
        return results

    def encode_here(self, tasks: bytes) -> bytes:
        """Do a batch at once, in this process."""
        try:
            return encode(self._arena, tasks, self._settings)
        except WorkersError as error:
            raise self._ours(error) from error

    def poll(self, timeout: float | None) -> None:
        """Let results of workers come in; wait up to *timeout* seconds for one."""
        if self._pool is not None and self._pool.outstanding:
            try:
                self._pool.poll(timeout)
            except WorkersError as error:
                raise self._ours(error) from error

    def _ours(self, error: WorkersError) -> WorkerError:
        """Turn the ground floor's error into ours, which names the object."""
        if not isinstance(error, PoolError):
            return WorkerError(str(error))
        where = f"{self.describe(error.task)}: " if error.task else ""
        return WorkerError(where + error.reason)

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
