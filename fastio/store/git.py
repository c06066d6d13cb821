"""Running git itself, and what git would run: to its end, or kept and talked to.

Pipes cannot deadlock here: one loop (``GitProcess.wait_for``) writes what git is ready to read
and reads what git has written, whichever comes first, so a command may answer before it has
heard everything. ``os.posix_spawn`` is used in place of ``subprocess`` because importing the
latter costs 4 to 7 ms, a tenth of our whole start.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from fastio.errors import RepositoryError
from fastio.records import record

PIPE_PIECE = 1 << 16  # a pipe's usual capacity on Linux


@record
class Finished:
    """How a git command ended.

    Attributes:
        status: Exit status; 128 + the signal's number when killed by one, as in a shell.
        stdout: All it wrote.
        stderr: All it wrote, or nothing when stderr was not captured.
    """

    status: int
    stdout: bytes
    stderr: bytes


class Git:
    """Which git to run, where, and in which environment."""

    def __init__(
        self,
        program: str = "git",
        directory: bytes | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.program, self.directory = program, directory
        # A copy, because os.environ decodes everything anew for each process: 0.3 ms.
        self.environment = dict(environment)

    def start(
        self, *arguments: str | bytes, capture_stderr: bool = False, room: int = 0
    ) -> GitProcess:
        """Start a command that is to be talked to; close it when done.

        Args:
            arguments: Words of the command line.
            capture_stderr: Whether its stderr is ours.
            room: Bytes that its pipes should hold, if it may have more than usual.
        """
        where = () if self.directory is None else ("-C", self.directory)
        command = [self.program, *where, *arguments]
        process = GitProcess(command, self.environment, capture_stderr=capture_stderr)
        if room:
            process.widen(room)
        return process

    def run(
        self, *arguments: str | bytes, text: bytes = b"", capture_stderr: bool = False
    ) -> Finished:
        """Run a command to its end, with *text* as its standard input."""
        return _finish(self.start(*arguments, capture_stderr=capture_stderr), text)

    def run_program(self, command: Sequence[str | bytes], *, text: bytes = b"") -> Finished:
        """Run another program to its end, in the environment in which git would run it.

        Raises:
            RepositoryError: It cannot be run.
        """
        return _finish(GitProcess(command, self.environment, capture_stderr=True), text)

    def behind_wrappers(self) -> Git:
        """Return the git of git's exec path, to be asked for what we stand in for.

        The one that PATH has first may be a script that hands such commands to us.
        """
        exec_path = os.fsdecode(self.run("--exec-path").stdout.removesuffix(b"\n"))
        program = os.path.join(exec_path, "git")
        if not (exec_path and os.access(program, os.X_OK)):
            program = self.program
        return Git(program, self.directory, self.environment)

    def with_environment(self, **variables: str) -> Git:
        """The same git in an environment with more *variables*."""
        return Git(self.program, self.directory, self.environment | variables)


def _finish(process: GitProcess, text: bytes) -> Finished:
    """Talk with a process until it ends; if that is interrupted, it must not go on without us."""
    with process:
        try:
            process.send(text)
            return process.finish()
        except BaseException:
            process.terminate()
            raise


def _cannot_run(command: Sequence[str | bytes], error: OSError) -> RepositoryError:
    return RepositoryError(f"cannot run '{os.fsdecode(command[0])}': {error.strerror}")


def _pipes(command: Sequence[str | bytes], count: int) -> list[tuple[int, int]]:
    """Open all pipes that a command needs, or none."""
    pipes = list[tuple[int, int]]()
    try:
        while len(pipes) < count:
            pipes.append(os.pipe())
    except OSError as error:
        for pipe in pipes:
            os.close(pipe[0])
            os.close(pipe[1])
        raise _cannot_run(command, error) from error
    return pipes


class GitProcess:
    """A running git, or another program, whose stdin and stdout (and stderr, if captured) are ours.

    ``output`` and ``errors`` hold what has arrived and was not yet taken away.
    """

    def __init__(
        self,
        command: Sequence[str | bytes],
        environment: Mapping[str, str],
        *,
        capture_stderr: bool = False,
    ) -> None:
        self.output, self.errors = bytearray(), bytearray()
        self._unsent = bytearray()
        self._status: int | None = None
        self._stdin, self._readers, self._pid = self._spawn(command, environment, capture_stderr)

    def _spawn(
        self, command: Sequence[str | bytes], environment: Mapping[str, str], capture_stderr: bool
    ) -> tuple[int, dict[int, bytearray], int]:
        stdin, *pipes = _pipes(command, 3 if capture_stderr else 2)
        to_us = [(1, pipes[0], self.output)]
        if capture_stderr:
            to_us.append((2, pipes[1], self.errors))
        actions = [(os.POSIX_SPAWN_DUP2, stdin[0], 0)]
        actions += [(os.POSIX_SPAWN_DUP2, pipe[1], number) for number, pipe, _ in to_us]
        ours = [stdin[1], *(pipe[0] for _, pipe, _ in to_us)]
        theirs = [stdin[0], *(pipe[1] for _, pipe, _ in to_us)]
        try:  # Python may ignore SIGPIPE; git should not inherit that
            pid = os.posix_spawnp(
                command[0],
                tuple(command),
                environment,
                file_actions=actions,
                setsigdef=[signal.SIGPIPE],
            )
        except OSError as error:
            for descriptor in ours:
                os.close(descriptor)
            raise _cannot_run(command, error) from error
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        os.set_blocking(stdin[1], False)
        return stdin[1], {pipe[0]: arrived for _, pipe, arrived in to_us}, pid

    def widen(self, size: int) -> None:
        """Let the pipes hold more, if the system does not mind."""
        for descriptor in (self._stdin, *self._readers):
            with contextlib.suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, size)

    def send(self, data: bytes) -> None:
        """Queue bytes for git's stdin; `push`, `wait_for` and `finish` write them."""
        self._unsent += data

    def push(self) -> None:
        """Write as much as the pipe takes at once."""
        before = -1
        while self._stdin >= 0 and 0 < len(self._unsent) != before:
            before = len(self._unsent)
            self._write_piece()

    def wait_for(self, enough: Callable[[], bool]) -> bool:
        """Exchange bytes with git until *enough* says so; False when git ended before that."""
        while not (satisfied := enough()) and self._readers:
            self._exchange()
        return satisfied

    def read_line(self) -> bytes | None:
        """Take the next line of output without its LF; None when git ended instead."""
        if not self.wait_for(lambda: b"\n" in self.output):
            return None
        line, _, rest = self.output.partition(b"\n")
        self.output[:] = rest
        return bytes(line)

    def finish(self) -> Finished:
        """Send what is queued, close stdin, take all output and wait for the end."""
        self.wait_for(lambda: not self._unsent)
        self._close_stdin()
        self.wait_for(lambda: False)
        return Finished(self.close(), bytes(self.output), bytes(self.errors))

    def terminate(self) -> None:
        """Tell the process to end now; close it as well."""
        if self._status is None:
            os.kill(self._pid, signal.SIGTERM)

    def close(self) -> int:
        """Close the pipes and wait for git's end; its exit status."""
        self._close_stdin()
        for descriptor in self._readers:
            os.close(descriptor)
        self._readers.clear()
        if self._status is None:
            code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
            self._status = code if code >= 0 else 128 - code
        return self._status

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _exchange(self) -> None:
        """Wait until one pipe is ready, and serve all that are."""
        poll = select.poll()
        for descriptor in self._readers:
            poll.register(descriptor, select.POLLIN)
        if self._unsent and self._stdin >= 0:
            poll.register(self._stdin, select.POLLOUT)
        for descriptor, _ in poll.poll():
            if descriptor == self._stdin:
                self._write_piece()
            elif piece := os.read(descriptor, PIPE_PIECE):
                self._readers[descriptor].extend(piece)
            else:
                os.close(descriptor)
                del self._readers[descriptor]

    def _write_piece(self) -> None:
        try:
            written = write_without_sigpipe(self._stdin, self._unsent[:PIPE_PIECE])
        except BlockingIOError:
            return
        except BrokenPipeError:  # git has had enough; its output says why
            self._close_stdin()
            return
        del self._unsent[:written]

    def _close_stdin(self) -> None:
        if self._stdin >= 0:
            os.close(self._stdin)
        self._stdin = -1
        self._unsent.clear()


def write_without_sigpipe(descriptor: int, data: bytes | bytearray | memoryview) -> int:
    """Write to a pipe; its reader's death is an error here and must not kill us.

    The command line gives SIGPIPE its default action, for the sake of our own stdout.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        return os.write(descriptor, data)
    except BrokenPipeError:
        if signal.SIGPIPE in signal.sigpending():
            signal.sigwait({signal.SIGPIPE})
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
