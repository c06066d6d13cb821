"""Where batches of blob tasks are done: here while little has come, in workers once it pays.

Both ways run the same pure function, so the results are the same bytes. Results leave in the order
of submission: those done here come first, since workers only start once and stay.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastio.errors import WorkerError
from workers.errors import PoolError, WorkersError
from workers.tasks import Settings, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workers.arena import Arena
    from workers.pool import Pool

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

    Every method that runs tasks raises WorkerError when one cannot be done, however often it is
    tried, or when there are no workers to be had.
    """

    def __init__(self, arena: Arena, settings: Settings, *, workers: int) -> None:
        self._arena, self._settings, self.workers = arena, settings, workers
        self.describe: Callable[[bytes], str] = lambda _task: "an object"
        self.before_workers: Callable[[], None] = lambda: None
        self._here: deque[bytes] = deque()
        self._pool: Pool | None = None
        self._bytes = self._tasks = 0

    @property
    def started(self) -> bool:
        """Whether workers are running."""
        return self._pool is not None

    def submit(self, tasks: bytes, count: int, raw_bytes: int) -> None:
        """Accept a batch of *count* packed tasks over *raw_bytes* bytes of blobs."""
        self._bytes += raw_bytes
        self._tasks += count
        if self._pool is None and self.workers and self._pays():
            self._start()
        if self._pool is None:
            self._here.append(tasks)
        else:
            with self._translated():
                self._pool.submit(tasks)
                self._pool.poll(0)  # a worker whose answer is in has room for another batch

    def _pays(self) -> bool:
        return self._bytes > POOL_PAYS_BYTES or self._tasks > POOL_PAYS_TASKS

    def _start(self) -> None:
        from workers.pool import Pool  # noqa: PLC0415 - small imports never need it

        self.before_workers()
        self._pool = Pool(self._arena, workers=self.workers, settings=self._settings)
        with self._translated():
            self._pool.start()

    def take(self) -> bytes | None:
        """Return the next batch's results, or None when they are not there yet."""
        if self._here:
            return self.encode_here(self._here.popleft())
        if self._pool is None:
            return None
        return self._pool.take()

    def encode_here(self, tasks: bytes) -> bytes:
        """Do a batch at once, in this process."""
        with self._translated():
            return encode(self._arena.view, tasks, self._settings)

    def poll(self, timeout: float | None) -> None:
        """Let results of workers come in; wait up to *timeout* seconds for one."""
        if self._pool is not None:
            with self._translated():
                self._pool.poll(timeout)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn the ground floor's errors into ours, which name the object."""
        try:
            yield
        except PoolError as error:
            where = f"{self.describe(error.task)}: " if error.task else ""
            raise WorkerError(where + error.reason) from error
        except WorkersError as error:
            raise WorkerError(str(error)) from error

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
