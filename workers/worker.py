"""What a worker process does: read a frame, do its tasks, answer; until the pipe ends.

A worker keeps nothing between frames, unless an action has a cache. It ends by itself when its pipe
does, that is also when the coordinator was killed: nobody else holds the other end.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from workers import messages, tasks
from workers.arena import Arena
from workers.logs import LogRelay
from workers.messages import Message

__all__ = ["ACTIONS", "Action", "run"]

logger = logging.getLogger(__name__)

Action = Callable[[Arena, bytes, Any], bytes]
"""Is given the arena, what was submitted, and the pool's settings; returns the results."""

ACTIONS: dict[int, Action] = {messages.ENCODE: tasks.encode}
"""What is done for each kind of job, unless the pool was told otherwise."""


def run(
    pipe: Connection,
    foreign: Iterable[int],
    arena: Arena,
    settings: object,
    relay: LogRelay,
    actions: Mapping[int, Action],
) -> None:
    """Be a worker until *pipe* ends.

    Args:
        pipe: The worker's end, for reading and writing.
        foreign: Descriptors inherited from the coordinator that are none of our business.
        arena: The shared arena.
        settings: The same for all tasks.
        relay: Takes log records to the coordinator.
        actions: What is done for each kind of job.
    """
    _let_go(foreign)
    # Ctrl-C and a hangup go to the whole group; the coordinator decides what they mean.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    relay.enter_worker()
    # The coordinator feeds all workers: where cores are few, it must not be kept waiting by one.
    os.nice(5)
    logger.debug("worker %d starts", os.getpid())
    try:
        while True:
            message = messages.unpack(pipe.recv_bytes())
            pipe.send_bytes(messages.pack(_answer(message, arena, settings, actions)))
    except (EOFError, OSError):
        logger.debug("worker %d ends", os.getpid())


def _answer(
    message: Message, arena: Arena, settings: object, actions: Mapping[int, Action]
) -> Message:
    try:
        results = actions[message.kind](arena, message.payload, settings)
    except Exception as error:  # whatever it is, the coordinator has to know
        reason = f"{type(error).__name__}: {error}"
        logger.debug("job %d failed", message.job, exc_info=True)
        return Message(messages.FAILED, message.job, reason.encode())
    return Message(messages.DONE, message.job, results)


def _let_go(foreign: Iterable[int]) -> None:
    """Point inherited descriptors at /dev/null.

    Siblings' pipes must not be held open here, or they would not end with the coordinator; nor
    pipes to git, the frontend's pipes, files. They are replaced instead of closed because Python
    objects own them still, and might close the number when it means something else.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in foreign:
        os.dup2(null, descriptor)
    os.close(null)
