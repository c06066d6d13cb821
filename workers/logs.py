"""How the log records of workers reach the coordinator's handlers.

``multiprocessing_logging`` wraps each handler of the root logger in one that sends records through
a queue, and a thread of the coordinator hands them to the handler. The coordinator itself needs no
detour, so it gets its own handlers back at once (its records are neither delayed nor lost when it
crashes); only the workers, forked later, put the wrapped ones in their place.
"""

from __future__ import annotations

import fcntl
import logging
import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager

import multiprocessing_logging

__all__ = ["LogRelay", "open_descriptors"]

_END = "workers.logs.end"


class _Receiver(logging.Handler):
    """Stands between the relay's thread and a handler of the coordinator."""

    def __init__(self, target: logging.Handler) -> None:
        super().__init__(target.level)
        self.target = target

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == _END:
            raise EOFError  # what the relay's thread takes for the end of its queue
        if record.levelno >= self.target.level:
            self.target.handle(record)  # and not emit(): this one takes the handler's lock

    # The wrapping handler closes what it wraps; the target is not ours to close.


def open_descriptors() -> set[int]:
    """Return the descriptors that this process has open."""
    found = {int(name) for name in os.listdir("/dev/fd")}
    return {descriptor for descriptor in found if _is_open(descriptor)}


def _is_open(descriptor: int) -> bool:
    # The listing holds its own descriptor, closed by now.
    try:
        fcntl.fcntl(descriptor, fcntl.F_GETFD)
    except OSError:
        return False
    return True


@contextmanager
def _fork_is_default() -> Iterator[None]:
    """Make the queues of multiprocessing_logging ones that forked workers can use.

    It demands "fork" as the default start method, and makes its queues in the default context.
    Python 3.14 has another default, which is put back.
    """
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("fork", force=True)
    try:
        yield
    finally:
        multiprocessing.set_start_method(before, force=True)


class LogRelay:
    """Carries records from workers to the root logger's handlers, from start to :meth:`close`."""

    def __init__(self) -> None:
        root = logging.getLogger()
        before = open_descriptors()
        self._wrapped: list[logging.Handler] = []
        if root.handlers:  # else there is nothing to carry to, and no thread is started
            with _fork_is_default():
                own = list(root.handlers)
                multiprocessing_logging.install_mp_handler(root)
                self._wrapped = list(root.handlers)
                multiprocessing_logging.uninstall_mp_handler(root)
                root.handlers[:] = own
        for handler in self._wrapped:
            handler.sub_handler = _Receiver(handler.sub_handler)  # type: ignore[attr-defined]
        # Workers keep the queues' writing ends only: with a reading end of its own, a worker
        # whose coordinator is gone could wait for room in the queue for ever.
        self.descriptors = {
            descriptor
            for descriptor in open_descriptors() - before
            if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
        }

    def enter_worker(self) -> None:
        """In a worker: send records to the coordinator from now on."""
        logging.getLogger().handlers[:] = self._wrapped

    def close(self) -> None:
        """Deliver what workers (that are gone by now) have sent, and end the threads."""
        for handler in self._wrapped:
            # A record that ends the thread at once; it would look for the end 5 times a second.
            handler.emit(logging.makeLogRecord({"name": _END}))
            handler.close()
            # A worker killed while it wrote a record holds the queue's lock for ever: what waits
            # for that lock is left behind instead of waited for when Python ends.
            handler.queue.cancel_join_thread()  # type: ignore[attr-defined]
        self._wrapped = []
