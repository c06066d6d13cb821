"""Errors of the ground floor.

They are not fastio's: whoever imports ``workers`` translates them. All constructor arguments go to
``Exception.__init__``, so that pickle can rebuild an error in another process.
"""

from __future__ import annotations


class WorkersError(Exception):
    """Base of all errors that this package raises on purpose."""


class ArenaError(WorkersError):
    """An offset does not name a live block of the arena, or the arena cannot be made."""


class DeltaError(WorkersError):
    """A delta is cut short, does not fit its base, or builds too large a target."""


class CodecError(WorkersError):
    """Deflated bytes are damaged or do not have the promised size."""


class MessageError(WorkersError):
    """A frame between coordinator and worker is not one of ours."""


class TaskError(WorkersError):
    """A task names bytes outside the arena, or a batch is not a whole number of tasks."""


class PoolError(WorkersError):
    """A task failed on three workers in a row, or no worker can be started.

    Attributes:
        reason: What happened, for people.
        task: The packed task (64 bytes), empty when no single task is to blame.
    """

    def __init__(self, reason: str, task: bytes = b"") -> None:
        super().__init__(reason, task)
        self.reason, self.task = reason, task

    def __str__(self) -> str:
        return self.reason
