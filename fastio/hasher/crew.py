"""Threads that do one kind of work.

`concurrent.futures` does the same and more, but importing it, with all of logging, takes 10 ms of
CPU: as long as 2,000 files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

from fastio.errors import WorkerError

Task = TypeVar("Task")
Result = TypeVar("Result")


class Work(Generic[Task, Result]):
    """A task, and what comes of it.

    Attributes:
        task: What is to be done.
        is_done: Whether :meth:`result` has it without waiting.
    """

    def __init__(self, task: Task) -> None:
        self.task, self.is_done = task, False
        self._done = threading.Lock()
        self._done.acquire()
        self._result: Result
        self._error: BaseException | None = None

    def do(self, action: Callable[[Task], Result]) -> None:
        """Do it."""
        try:
            self._result = action(self.task)
        except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
            self._error = error
        self.is_done = True
        self._done.release()

    def result(self) -> Result:
        """Wait for what comes of it, once; what it raised is raised."""
        self._done.acquire()
        if self._error is not None:
            raise self._error
        return self._result


class Crew(Generic[Task, Result]):
    """Does what is submitted, in that order, several at a time.

    Args:
        count: How many threads.
        action: What is done with each task.

    Attributes:
        is_closed: Whether nothing new is begun.

    Raises:
        WorkerError: No thread can be started.
    """

    def __init__(self, count: int, action: Callable[[Task], Result]) -> None:
        self._action = action
        self._waiting: SimpleQueue[Work[Task, Result] | None] = SimpleQueue()
        self.is_closed = False
        self._threads: list[threading.Thread] = []
        for _ in range(count):
            thread = threading.Thread(target=self._run, daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                if not self._threads:
                    raise WorkerError(f"{error}: --workers=0 needs none") from None
                break  # those that there are do
            self._threads.append(thread)

    def submit(self, task: Task) -> Work[Task, Result]:
        """Have a task done."""
        work = Work[Task, Result](task)
        self._waiting.put(work)
        return work

    def close(self) -> None:
        """End the threads: they finish what they are at, and begin nothing new."""
        self.is_closed = True
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while (work := self._waiting.get()) is not None:
            if not self.is_closed:
                work.do(self._action)
