"""Processes that read, hash and deflate groups of files in our place.

Threads would take turns at the interpreter, twice for each file that is deflated: 20,000 files with
`-w` took 0.54 s with threads and 0.49 s so. A process is forked from this one and thereby knows all
that groups have in common; it does one group after the other, and keeps nothing of them.

    to it      a group: paths, rules, what becomes of the objects, turn
    from it    oids of some files that it has read, if they go into the pack
    to it      which of those it is to deflate
    from it    a file's number: it has a CR, and nobody knows yet whether that is converted
    to it      the rules of that file and those behind it
    from it    what became of these files, but for what lies in memory that it shares with us
    from it    the same for more files, then that this is all, or an error

What lies there is fetched before the next claim is answered, and written after that.

A message is its length and marshalled values. A process ends when nobody can send it anything any
more; if it ends before, that is an error where its result would come out.
"""

from __future__ import annotations

import contextlib
import gc
import marshal
import mmap
import os
import pickle
import signal
from typing import TYPE_CHECKING, Any, NoReturn

from fastio.errors import FastioError, WorkerError
from fastio.hasher.batches import Group, Outcome, joined
from fastio.hasher.deflated import Deflated
from fastio.hasher.files import OUT_ROOM
from fastio.store.git import write_without_sigpipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastio.hasher.batches import BatchWorker
    from fastio.objects.kinds import Oid

_HEADER = 8  # bytes of a message's length
_CLAIMS, _DOUBTS, _HAS_SOME, _HAS_ALL, _HAS_FAILED = range(5)


class Processes:
    """Does groups in other processes; any thread may call :meth:`run`, one for each of them.

    Args:
        count: How many processes.
        worker: Does the groups there. What it claims and what it cannot decide, its like here is
            asked.

    Attributes:
        count: How many there are.

    Raises:
        WorkerError: None can be started.
    """

    def __init__(self, count: int, worker: BatchWorker) -> None:
        self._worker = worker
        self._idle: list[_Process] = []
        for _ in range(count):
            try:
                self._idle.append(_Process(worker))
            except OSError as error:
                if not self._idle:
                    raise WorkerError(f"{error.strerror}: --workers=0 needs no process") from None
                break  # those that there are do
        self._all = tuple(self._idle)
        self.count = len(self._all)

    def run(self, group: Group) -> Outcome:
        """Have one of them deal with a group from its first file on, as far as it goes.

        Raises:
            FastioError: As from `BatchWorker.run`.
            WorkerError: The process has ended.
        """
        process = self._idle.pop()
        try:
            return joined(process.steps(group, self._worker))
        except (EOFError, BrokenPipeError):
            raise WorkerError("a process that hashed files has ended") from None
        finally:
            self._idle.append(process)

    def close(self) -> None:
        """End all of them; nothing is to be under way."""
        for process in self._all:
            process.close()
        for process in self._all:
            process.wait()


class _Process:
    """One of them, as seen from here."""

    def __init__(self, worker: BatchWorker) -> None:
        ends = list[int]()
        self._out = mmap.mmap(-1, OUT_ROOM)
        try:
            ends += os.pipe()
            ends += os.pipe()
            theirs, self._tasks, self._results, ours = ends
            self._pid = os.fork()
        except OSError:
            for end in ends:
                os.close(end)
            raise
        if self._pid == 0:
            _serve(worker, theirs, ours, memoryview(self._out))
        os.close(theirs)
        os.close(ours)

    def steps(self, group: Group, worker: BatchWorker) -> Iterator[Outcome]:
        _send(self._tasks, (group.paths, bytes(group.rules), group.storing, group.turn))
        while True:
            kind, *values = _receive(self._results)
            if kind == _HAS_ALL:
                return
            if kind == _HAS_SOME:
                oids, count, packed = values
                yield Outcome(oids, count, [self._fetched(*each) for each in packed])
            elif kind == _HAS_FAILED:
                raise pickle.loads(*values)
            elif kind == _CLAIMS:
                _send(self._tasks, worker.claim(values[0], group.turn))
            else:
                worker.decide(group, values[0])
                _send(self._tasks, bytes(group.rules[values[0] :]))

    def _fetched(self, oids: list[Oid], sizes: bytes, end: int) -> Deflated:
        return Deflated(oids, sizes, self._out[:end])

    def close(self) -> None:
        os.close(self._tasks)
        os.close(self._results)
        self._out.close()

    def wait(self) -> None:
        os.waitpid(self._pid, 0)


def _serve(worker: BatchWorker, tasks: int, results: int, out: memoryview) -> NoReturn:
    """Be such a process, to the end."""
    try:
        for number in signal.valid_signals():  # of what interrupts us, we hear as it ends us
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        _let_go(tasks, results)
        gc.disable()

        def claim(oids: list[Oid], _turn: int) -> list[int]:
            _send(results, (_CLAIMS, oids))
            claimed: list[int] = _receive(tasks)
            return claimed

        def decide(group: Group, first: int) -> None:
            _send(results, (_DOUBTS, first))
            group.rules[first:] = _receive(tasks)

        worker.claim, worker.decide, worker.out = claim, decide, out
        while True:
            paths, rules, storing, turn = _receive(tasks)
            group = Group([], paths, bytearray(rules), storing, turn)
            try:
                for outcome in worker.steps(group):
                    packed = [
                        (each.oids, each.sizes, len(each.payloads)) for each in outcome.packed
                    ]
                    _send(results, (_HAS_SOME, outcome.oids, outcome.count, packed))
                _send(results, (_HAS_ALL,))
            except (FastioError, MemoryError) as error:
                _send(results, (_HAS_FAILED, pickle.dumps(error)))
    except EOFError:
        os._exit(0)
    except BaseException:  # noqa: BLE001 - whoever waits for a result hears that we are gone
        os._exit(1)
    os._exit(1)


def _let_go(*kept: int) -> None:
    """Close what was inherited: others wait for its end, or may read what is written to it."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    for descriptor in map(int, os.listdir("/dev/fd")):
        if descriptor > 2 and descriptor not in kept:
            with contextlib.suppress(OSError):  # the one that has listed them is closed by now
                os.close(descriptor)


def _send(descriptor: int, values: Any) -> None:
    message = marshal.dumps(values)
    view = memoryview(len(message).to_bytes(_HEADER, "little") + message)
    while view:
        view = view[write_without_sigpipe(descriptor, view) :]


def _receive(descriptor: int) -> Any:
    """Return the values of the next message.

    Raises:
        EOFError: There is none, nor will be.
    """
    size = int.from_bytes(_read(descriptor, _HEADER), "little")
    return marshal.loads(_read(descriptor, size))


def _read(descriptor: int, size: int) -> bytearray:
    content = bytearray(size)
    view = memoryview(content)
    while view:
        got = os.readv(descriptor, [view])
        if not got:
            raise EOFError
        view = view[got:]
    return content
