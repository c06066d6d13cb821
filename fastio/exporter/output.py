"""Where a stream goes: a descriptor, or a file, which may be compressed on the way.

Output is written as it is made, and what was written stays when an export fails: a stream that
breaks off is what git leaves, too.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
from collections import deque
from typing import TYPE_CHECKING, Protocol

from fastio.errors import FastioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from typing_extensions import Buffer

__all__ = ["DescriptorOutput", "Lz4Output", "Output", "OutputClosed", "open_output"]

MOST_PIECES = 1024  # of one writev: the limit of Linux
PIPE = 1 << 20  # bytes that a reader need not be waited for
F_SETPIPE_SZ = 1031  # of Linux; elsewhere there is no such command
LZ4_BLOCKS = 7, 6, 5  # codes of 4 MiB, 1 MiB, 256 KiB: what a frame's blocks can be cut to


class OutputClosed(FastioError):
    """Nobody reads the pipe any more."""


class Output(Protocol):
    """Takes the stream piece by piece."""

    def write(self, pieces: Sequence[Buffer]) -> None:
        """Write bytes; they may be gone afterwards.

        Raises:
            OutputClosed: The reader went away.
            FastioError: They cannot be written.
        """

    def close(self) -> None:
        """Write what is left, and let go.

        Raises:
            FastioError: It cannot be written.
        """


class DescriptorOutput:
    """Writes to an open descriptor, whether it blocks or not.

    Args:
        fd: The descriptor.
        name: What to call it in errors.
        owned: Whether to close it.
    """

    def __init__(self, fd: int, name: str = "standard output", *, owned: bool = False) -> None:
        self._fd, self._name, self._owned = fd, name, owned

    def write(self, pieces: Sequence[Buffer]) -> None:
        """Write all of *pieces*."""
        for start in range(0, len(pieces), MOST_PIECES):
            self._write(pieces[start : start + MOST_PIECES])

    def _write(self, pieces: Sequence[Buffer]) -> None:
        wanted = sum(memoryview(piece).nbytes for piece in pieces)
        while wanted:
            try:
                written = os.writev(self._fd, pieces)
            except BlockingIOError:
                self._wait()
                continue
            except BrokenPipeError as error:
                raise OutputClosed(f"{self._name}: {error.strerror}") from None
            except OSError as error:
                raise self._failure(error) from None
            wanted -= written
            if wanted:
                pieces = _behind(pieces, written)

    def _wait(self) -> None:
        waiting = select.poll()
        waiting.register(self._fd, select.POLLOUT)
        waiting.poll()

    def _failure(self, error: OSError) -> FastioError:
        return FastioError(f"write failure on {self._name}: {error.strerror}")

    def close(self) -> None:
        """Close the descriptor if it is ours."""
        if not self._owned:
            return
        self._owned = False
        try:
            os.close(self._fd)
        except OSError as error:
            raise self._failure(error) from None


def _behind(pieces: Sequence[Buffer], written: int) -> list[Buffer]:
    """Return what is left of *pieces* when so many bytes are written."""
    for number, piece in enumerate(pieces):
        view = memoryview(piece)
        if view.nbytes > written:
            return [view.cast("B")[written:], *pieces[number + 1 :]]
        written -= view.nbytes
    return []


class Lz4Output:
    """Writes an lz4 frame; its blocks are compressed in threads, each by itself.

    Args:
        target: What takes the compressed bytes.
        threads: How many threads compress.
        memory: Bytes that blocks may take, if they can be so small.
    """

    def __init__(self, target: Output, *, threads: int, memory: int) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - few exports need it

        from lz4 import block, frame  # noqa: PLC0415

        self._target = target
        self._compress = block.compress
        self._threads = ThreadPoolExecutor(threads)
        self._most = threads + 2  # blocks in memory: one for each thread, and some to go on with
        self._under_way: deque[tuple[bytearray, Future[bytes]]] = deque()
        self._block = bytearray()
        size = memory // (2 * self._most)  # compressed, they take as much again
        code = next((code for code in LZ4_BLOCKS if _block_size(code) <= size), LZ4_BLOCKS[-1])
        self._block_size = _block_size(code)
        header = frame.LZ4FrameCompressor(block_size=code, block_linked=False, auto_flush=False)
        target.write([header.begin()])

    def write(self, pieces: Sequence[Buffer]) -> None:
        """Take all of *pieces*; they are copied."""
        for piece in pieces:
            rest = memoryview(piece).cast("B")
            while rest:
                room = self._block_size - len(self._block)
                self._block += rest[:room]
                rest = rest[room:]
                if len(self._block) == self._block_size:
                    self._submit()

    def close(self) -> None:
        """Write the frame's end."""
        try:
            if self._block:
                self._submit()
            while self._under_way:
                self._take()
            self._target.write([bytes(4)])
        finally:
            self._threads.shutdown(cancel_futures=True)
            self._target.close()

    def _submit(self) -> None:
        if len(self._under_way) == self._most:
            self._take()
        done = self._threads.submit(self._compress, self._block, store_size=False)
        self._under_way.append((self._block, done))
        self._block = bytearray()

    def _take(self) -> None:
        plain, compressed = self._under_way.popleft()
        packed = compressed.result()
        if len(packed) < len(plain):
            self._target.write([len(packed).to_bytes(4, "little"), packed])
        else:  # the highest bit: it is not compressed
            self._target.write([(len(plain) | 1 << 31).to_bytes(4, "little"), plain])


def _block_size(code: int) -> int:
    return 1 << (2 * code + 8)


def open_output(path: str | None, *, threads: int, memory: int) -> Output:
    """Open a file for a stream, or stdout.

    Args:
        path: The file, compressed if its name ends in ``.lz4``; None or ``-`` for stdout.
        threads: How many threads may compress.
        memory: Bytes that this may take.

    Raises:
        FastioError: It cannot be opened.
    """
    if path is None or path == "-":
        with contextlib.suppress(OSError):  # it is no pipe, or we may not
            fcntl.fcntl(1, F_SETPIPE_SZ, PIPE)
        return DescriptorOutput(1)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise FastioError(f"cannot open '{path}' for writing: {error.strerror}") from None
    plain = DescriptorOutput(fd, f"'{path}'", owned=True)
    return Lz4Output(plain, threads=threads, memory=memory) if path.endswith(".lz4") else plain
