"""A pool of forked workers that do batches of tasks; results come in the order of submission.

A *batch* is what the caller submits. It goes to a worker as one *job*, or, after a worker died of
it, as one job for each of its tasks: so the task to blame is found and all others get done. A job
whose worker died before answering is given to another one. Only the oldest unanswered job of a
dead worker is blamed, for workers do them in order: with its third worker lost, a single task is
given up (PoolError). An exception in a worker is blamed like a death, but costs no worker.

Workers have *places*, numbered from 0. A job may be bound to a place, where what it needs is cached
perhaps; whoever takes a dead worker's place does that one's jobs.

Nothing here can block: a worker is sent no more than fits its pipe while it is not reading, the
rest waits in a queue, and answers are read only when a selector says that there are some.
"""

from __future__ import annotations

import itertools
import logging
import multiprocessing
import os
import selectors
import signal
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess

from workers import messages, rows, worker
from workers.arena import Arena
from workers.errors import MessageError, PoolError
from workers.jobs import Batch, Job, Split
from workers.logs import LogRelay, open_descriptors
from workers.messages import Message

__all__ = ["MAX_BATCH", "Batch", "Pool"]

logger = logging.getLogger(__name__)

MAX_BATCH = 512
"""Most tasks of one batch: a frame of 32 KiB."""

_AHEAD = 3  # jobs a worker has at most, so that it never waits for the coordinator
_PIPE_ROOM = 56 * 1024  # bytes on their way to a worker at most; a pipe holds 64 KiB or more
_ATTEMPTS = 3
_PATIENCE = 2.0  # seconds that a worker has to finish its job once the pool is closed


class _Worker:
    """The coordinator's side of one worker process."""

    __slots__ = ("jobs", "pipe", "place", "process", "sent")

    def __init__(self, place: int, process: ForkProcess, pipe: Connection) -> None:
        self.place, self.process, self.pipe = place, process, pipe
        self.jobs: deque[Job] = deque()
        self.sent = 0

    def has_room(self, job: Job) -> bool:
        size = len(job.tasks) + messages.FRAME_OVERHEAD
        return len(self.jobs) < _AHEAD and self.sent + size <= _PIPE_ROOM

    def send(self, job: Job) -> None:
        self.jobs.append(job)
        self.sent += len(job.tasks) + messages.FRAME_OVERHEAD
        self.pipe.send_bytes(messages.pack(Message(job.kind, job.number, job.tasks)))

    def take_first(self) -> Job:
        job = self.jobs.popleft()
        self.sent -= len(job.tasks) + messages.FRAME_OVERHEAD
        return job


class Pool:
    """Forked workers that share *arena* with the coordinator.

    Args:
        arena: Where the tasks' bytes lie.
        workers: How many processes.
        settings: The same for all tasks.
        actions: What workers do for each kind of job.
    """

    def __init__(
        self,
        arena: Arena,
        *,
        workers: int,
        settings: object,
        actions: Mapping[int, worker.Action] = worker.ACTIONS,
    ) -> None:
        self._arena, self._count, self._settings = arena, workers, settings
        self._actions = actions
        self._workers: list[_Worker] = []
        self._queue: deque[Job] = deque()
        self._bound: list[deque[Job]] = [deque() for _ in range(workers)]
        self._batches: deque[Batch] = deque()
        self._submitted = 0
        self._jobs = itertools.count()
        self._relay: LogRelay | None = None
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Pool:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    @property
    def outstanding(self) -> int:
        """Batches submitted and not taken yet."""
        return len(self._batches)

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers."""
        return [each.process.pid or 0 for each in self._workers]

    def filenos(self) -> list[int]:
        """Return descriptors that become readable when :meth:`poll` has something to do."""
        return [each.pipe.fileno() for each in self._workers]

    def start(self) -> None:
        """Fork the workers.

        Raises:
            PoolError: Not even one worker could be started.
        """
        self._relay = LogRelay()
        self._fill()

    def submit(self, packed: bytes) -> int:
        """Hand in a batch of packed tasks; never blocks.

        Returns:
            The batch's number, counted from 0.

        Raises:
            ValueError: The batch is empty, too large, or cut.
        """
        self._batches.append(self._enqueue(packed, deque.append))
        self._submitted += 1
        return self._submitted - 1

    def submit_apart(self, packed: bytes) -> Batch:
        """Hand in a batch that is done next, and that :meth:`take` does not give; never blocks.

        Returns:
            The batch, whose results can be asked for after a :meth:`poll`.

        Raises:
            ValueError: The batch is empty, too large, or cut.
        """
        return self._enqueue(packed, deque.appendleft)

    def submit_job(
        self, kind: int, payload: bytes, *, split: Split, place: int | None = None
    ) -> Batch:
        """Hand in a batch of any kind, that :meth:`take` does not give; never blocks.

        Args:
            kind: What the workers' actions have for it.
            payload: Its tasks, no more than a worker's pipe holds.
            split: Takes them apart if a worker died of them; may leave them together.
            place: Where it has to be done, None for wherever there is room. What is bound to a
                place goes before what is not.

        Returns:
            The batch, whose results can be asked for after a :meth:`poll`.
        """
        job = Job(Batch(), kind, payload, next(self._jobs), split, place=place)
        self._queue_of(job).append(job)
        self._dispatch()
        return job.batch

    def _enqueue(self, packed: bytes, put: Callable[[deque[Job], Job], None]) -> Batch:
        if not 0 < len(packed) <= MAX_BATCH * rows.TASK_SIZE or len(packed) % rows.TASK_SIZE:
            raise ValueError(f"{len(packed)} bytes are no batch of 1 to {MAX_BATCH} tasks")
        batch = Batch()
        job = Job(batch, messages.ENCODE, packed, next(self._jobs), rows.split_tasks)
        put(self._queue, job)
        self._dispatch()
        return batch

    def poll(self, timeout: float | None = None, batch: Batch | None = None) -> bool:
        """Deal with answers and deaths; wait up to *timeout* seconds (None: for ever) for one.

        Args:
            timeout: How long to wait while what is awaited is not there.
            batch: What is awaited; None for what :meth:`take` gives next.

        Returns:
            Whether it is there.

        Raises:
            PoolError: A task failed three times, or no worker can be started.
        """
        if batch is None:
            if not self._batches:
                return False
            batch = self._batches[0]
        for key, _ in self._selector.select(timeout if batch.missing else 0):
            self._receive(key.data)
        self._dispatch()
        return not batch.missing

    def take(self) -> bytes | None:
        """Return the results of the oldest batch not taken yet, None while it is not done."""
        results = self._batches[0].results() if self._batches else None
        if results is not None:
            self._batches.popleft()
        return results

    def close(self) -> None:
        """End all workers, whatever they are doing; nothing of the pool is left."""
        for each in self._workers:
            self._selector.unregister(each.pipe)
            each.pipe.close()
        for each in self._workers:
            _bury(each.process)
        self._workers.clear()
        self._queue.clear()
        for bound in self._bound:
            bound.clear()
        self._batches.clear()
        self._selector.close()
        if self._relay:
            self._relay.close()
            self._relay = None

    def _dispatch(self) -> None:
        """Send bound jobs to their places, others to who has fewest, as far as there is room."""
        for each in list(self._workers):
            bound = self._bound[each.place]
            while bound and each.has_room(bound[0]) and self._send(each, bound):
                pass
        while self._queue and self._workers:
            idlest = min(self._workers, key=lambda each: len(each.jobs))
            if not idlest.has_room(self._queue[0]):
                return
            self._send(idlest, self._queue)

    def _send(self, to: _Worker, queue: deque[Job]) -> bool:
        """Send the first job of *queue*; False if the worker is lost."""
        try:
            to.send(queue.popleft())
        except OSError:
            self._lose(to)
            return False
        return True

    def _queue_of(self, job: Job) -> deque[Job]:
        """Return where a job waits: at its place, unless nobody is there."""
        if job.place is None or all(each.place != job.place for each in self._workers):
            return self._queue
        return self._bound[job.place]

    def _receive(self, sender: _Worker) -> None:
        try:
            message = messages.unpack(sender.pipe.recv_bytes())
        except (EOFError, OSError, MessageError):
            self._lose(sender)
            return
        if not sender.jobs or message.job != sender.jobs[0].number:
            self._lose(sender)  # it answers what was not asked: as good as dead
            return
        job = sender.take_first()
        if message.kind == messages.FAILED:
            self._retry(job, message.payload.decode(errors="replace"))
            return
        job.batch.parts[job.part] = message.payload
        job.batch.missing -= 1

    def _lose(self, lost: _Worker) -> None:
        """Replace a worker that died, and find its jobs another one."""
        self._workers.remove(lost)
        self._selector.unregister(lost.pipe)
        lost.pipe.close()
        lost.process.kill()  # it may only have closed its pipe, or sent nonsense
        lost.process.join()
        status = lost.process.exitcode
        lost.process.close()
        logger.warning("a worker died (status %s) with %d jobs", status, len(lost.jobs))
        self._fill()
        for job in reversed(list(lost.jobs)[1:]):
            self._queue_of(job).appendleft(job)
        if lost.jobs:
            self._retry(lost.jobs[0], f"a worker died of it (status {status})")

    def _retry(self, job: Job, reason: str) -> None:
        """Queue a job again that failed or killed its worker, in parts if it has some."""
        job.attempts += 1
        parts, queue = job.split(job.tasks), self._queue_of(job)
        if len(parts) == 1:
            if job.attempts == _ATTEMPTS:
                raise PoolError(f"a task failed {_ATTEMPTS} times: {reason}", job.tasks)
            queue.appendleft(job)
            return
        job.batch.split(len(parts))
        queue.extendleft(
            Job(job.batch, job.kind, tasks, next(self._jobs), job.split, part=part, place=job.place)
            for part, tasks in reversed(list(enumerate(parts)))
        )

    def _fill(self) -> None:
        """Start workers until there is one at each place."""
        filled = {each.place for each in self._workers}
        for place in range(self._count):
            if place in filled:
                continue
            try:
                self._start_worker(place)
            except OSError as error:
                if not self._workers:
                    raise PoolError(f"no worker can be started: {error.strerror}") from error
                logger.warning("a worker could not be started: %s", error.strerror)
                self._queue.extendleft(reversed(self._bound[place]))
                self._bound[place].clear()

    def _start_worker(self, place: int) -> None:
        assert self._relay is not None, "the pool was not started"
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        opened = open_descriptors()
        foreign = opened - self._relay.descriptors - {theirs.fileno(), 2}
        process = context.Process(
            target=worker.run,
            args=(theirs, foreign, self._arena, self._settings, self._relay, self._actions),
            daemon=True,
        )
        # A signal between fork and the worker's own handlers would run the coordinator's there.
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        try:
            with warnings.catch_warnings():
                # Python 3.12 warns of forking with threads: a lock held by one stays locked in
                # the child. Our only other threads are the relay's and, while a large blob comes,
                # those that deflate it. They hold a handler's lock (which logging renews in the
                # child) or their queue's reading lock (which the child never takes), and no other
                # of Python's: the child is safe.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
        except OSError:
            for descriptor in open_descriptors() - opened:
                os.close(descriptor)  # multiprocessing forgets its own when it cannot fork
            ours.close()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            theirs.close()
        started = _Worker(place, process, ours)
        self._workers.append(started)
        self._selector.register(ours, selectors.EVENT_READ, started)


def _bury(process: ForkProcess) -> None:
    """Wait for a worker whose pipe was closed, but not for long."""
    process.join(_PATIENCE)
    if process.exitcode is None:
        process.kill()
        process.join()
    process.close()
