"""Every error that fastio raises on purpose, and the exit status each one stands for."""

from __future__ import annotations

from typing import Final

CLIPPED_LINE: Final = 1024
"""Bytes of a line that an error keeps: more than anybody reads, less than hurts."""


class FastioError(Exception):
    """Base of all errors raised by fastio.

    All constructor arguments go to ``Exception.__init__``, so that pickle can rebuild the
    error in another process.
    """

    exit_status = 128


class StreamError(FastioError):
    """The input breaks the fast-import language, or asks for what cannot be done.

    Attributes:
        reason: What is wrong, in words.
        offset: Where in the stream the line or command starts; -1 when that is not known.
        command_number: Which top-level command it is, counted from 1.
        kind: A short word that stays the same when the words of *reason* change: ``date``,
            ``ident``, ``mark``… (`fastio.stream.cures` has them all). Empty for errors that have
            no usual cause.
        line: The line that is to blame, without its LF and clipped; empty when not known.
    """

    def __init__(
        self,
        reason: str,
        offset: int = -1,
        command_number: int = 0,
        *,
        kind: str = "",
        line: bytes = b"",
    ) -> None:
        # Kind and line cross processes as attributes, which pickle keeps beside the arguments.
        super().__init__(reason, offset, command_number)
        self.reason, self.offset, self.command_number = reason, offset, command_number
        self.kind, self.line = kind, line[:CLIPPED_LINE]

    def __str__(self) -> str:
        if self.offset < 0:
            return self.reason
        return f"{self.reason} (byte {self.offset}, command {self.command_number})"


class SourceError(FastioError):
    """The stream's file did not stay as it was while it was read."""


class UsageError(FastioError):
    """The command line cannot be understood."""

    exit_status = 129


class OptionError(FastioError):
    """An option of git's on the command line is unknown, or its value is bad."""


class ObjectError(FastioError):
    """An object is missing, of the wrong type, or not what its oid says."""


class PackError(FastioError):
    """A pack or pack index is damaged or cannot be written."""


class DeltaError(PackError):
    """A delta is damaged or does not fit its base."""


class CircularDeltaError(PackError):
    """Deltas are made for each other: who follows them comes to no end, git included."""


class MarksError(FastioError):
    """A marks file is damaged or cannot be read or written."""


class WorkerError(FastioError):
    """A worker failed in a way that starting another one cannot mend."""


class RepositoryError(FastioError):
    """There is no usable repository, or git itself cannot be run."""


class GitEnded(RepositoryError):
    """A git that worked for us has ended, after it said why; there is nothing to add.

    Attributes:
        exit_status: Its own, which is ours then.
    """

    def __init__(self, exit_status: int) -> None:
        super().__init__(exit_status)
        self.exit_status = exit_status

    def __str__(self) -> str:
        return ""


class ConfigError(RepositoryError):
    """A value of git's configuration cannot be understood."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(key, reason)
        self.key, self.reason = key, reason

    def __str__(self) -> str:
        return f"{self.reason} for '{self.key}'"
