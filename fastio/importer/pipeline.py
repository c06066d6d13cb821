"""The order of things: blobs are done by workers out of order, their results used in order.

Two lines run side by side. The blob queue holds blobs in order of submission; the operations are
what commands ask for (a tree entry set, a commit ended, a ref reset), each with the number of blobs
that were submitted before it. An operation is executed when exactly those blobs are accepted. So
blobs and operations take effect, and reach the pack, in one order that the stream alone decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from fastio.errors import FastioError, StreamError, WorkerError
from fastio.importer._blobs import BlobQueue
from fastio.importer.encoder import Encoder

# Operations wait as small tuples; more of them than this would only cost memory.
MAX_OPERATIONS = 50_000
# Blobs in flight, however small they are.
MAX_WAITING = 16_384


class Pipeline:
    """Executes operations between the acceptance of blobs, in stream order.

    Args:
        encoder: Where blobs are encoded.
        in_flight: Bytes of blobs and of room for their results to have under way at most.
    """

    queue: BlobQueue

    def __init__(self, encoder: Encoder, *, in_flight: int) -> None:
        self._encoder, self._in_flight = encoder, in_flight
        self._operations: deque[tuple[int, int, int, Callable[..., None], tuple[Any, ...]]] = (
            deque()
        )
        self._compacted = False

    def add(self, offset: int, number: int, action: Callable[..., None], *arguments: Any) -> None:
        """Queue an operation for command *number* at byte *offset* of the stream."""
        self._operations.append((self.queue.submitted, offset, number, action, arguments))

    def step(self) -> None:
        """Do what can be done without waiting, then wait while too much is under way."""
        self._encoder.poll(0)
        self._advance()
        self.throttle()

    def throttle(self) -> None:
        """Wait while too much is under way."""
        while (
            self.queue.in_flight > self._in_flight
            or self.queue.waiting > MAX_WAITING
            or len(self._operations) > MAX_OPERATIONS
        ):
            self._wait()

    def drain(self) -> None:
        """Execute everything queued; blobs still held back stay so."""
        self._advance()
        while self._operations or self.queue.waiting:
            self._wait()

    def finish_at(self, offset: int) -> None:
        """After an error at byte *offset*: let the blobs before it take effect, nothing else."""
        self._operations.clear()
        self.queue.end_at(offset)
        self.queue.submit_held()
        self.drain()

    def _wait(self) -> None:
        self.queue.flush()
        self._advance()
        if self.queue.waiting:
            self._encoder.poll(None)
            self._advance()

    def _advance(self) -> None:
        operations, queue = self._operations, self.queue
        while operations:
            needs = operations[0][0]
            if queue.accepted < needs:
                queue.accept(needs)
                if queue.accepted < needs:
                    return
            _, offset, number, action, arguments = operations.popleft()
            try:
                action(*arguments)
            except FastioError as error:
                raise _placed(error, offset, number) from error
        queue.accept(queue.submitted)

    def make_room(self, size: int) -> None:
        """Free space in the arena for *size* bytes: the blob queue calls this when it is full.

        Raises:
            WorkerError: The arena cannot hold that much, whatever is done.
        """
        if self.queue.waiting:
            self._compacted = False
            self._wait()
        elif not self._compacted:
            self.queue.compact()
            self._compacted = True
        else:
            raise WorkerError(f"no room for {size} bytes: --memory is too small for this stream")


def _placed(error: FastioError, offset: int, number: int) -> FastioError:
    """Give an error the place in the stream of the command that met it."""
    if isinstance(error, StreamError) and error.offset >= 0:
        return error
    if error.exit_status != StreamError.exit_status:
        return error
    return StreamError(str(error), offset, number)
