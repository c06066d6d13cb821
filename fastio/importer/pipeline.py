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

from fastio.errors import FastioError, StreamError
from fastio.importer._blobs import BlobQueue
from fastio.importer.encoder import Encoder
from fastio.stream.parser import Place

# Operations wait as small tuples; more of them than this would only cost memory.
MAX_OPERATIONS = 50_000
# Blobs in flight, however small they are.
MAX_WAITING = 16_384


class Pipeline:
    """Executes operations between the acceptance of blobs, in stream order.

    Args:
        encoder: Where blobs are encoded.
        in_flight: Bytes of blobs and of room for their results to have under way at most.

    Attributes:
        confirm: Raises an error if what was executed cannot be believed; see `Source.confirm`.
        place: Where the command stands that was executed last, or failed.
    """

    queue: BlobQueue

    def __init__(self, encoder: Encoder, *, in_flight: int) -> None:
        self._encoder, self._in_flight = encoder, in_flight
        self._operations: deque[tuple[int, Place, Callable[..., None], tuple[Any, ...]]] = deque()
        self.confirm: Callable[[], None] = lambda: None
        self.place: Place = (0, 0, 0)

    @property
    def next_place(self) -> Place | None:
        """Where the command stands that is to be executed next; None if there is none."""
        return self._operations[0][1] if self._operations else None

    def add(self, place: Place, action: Callable[..., None], *arguments: Any) -> None:
        """Queue an operation of the command at *place*."""
        self._operations.append((self.queue.submitted, place, action, arguments))

    def step(self) -> None:
        """Do what can be done without waiting, then wait while too much is under way."""
        if self._operations or self.queue.waiting:
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
            self.wait()

    def drain(self) -> None:
        """Execute everything queued; blobs still held back stay so."""
        if self._operations or self.queue.waiting:
            self.queue.finish_batch()
            self._advance()
        while self._operations or self.queue.waiting:
            self.wait()
        self.confirm()

    def finish_at(self, offset: int) -> None:
        """After an error at byte *offset*: let the blobs before it take effect, nothing else."""
        self._operations.clear()
        self.queue.end_at(offset)
        self.queue.submit_held()
        self.drain()

    def wait(self) -> None:
        """Wait until blobs that the encoder has are done, and go on with what waited for them."""
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
            _, self.place, action, arguments = operations.popleft()
            try:
                action(*arguments)
            except FastioError as error:
                raise placed(error, self.place) from error
        queue.accept(queue.submitted)


def placed(error: FastioError, place: Place) -> FastioError:
    """Give an error the place in the stream of the command that met it."""
    offset, number, _ = place
    if isinstance(error, StreamError):
        if error.offset >= 0:
            return error
        return StreamError(error.reason, offset, number, kind=error.kind, line=error.line)
    if error.exit_status != StreamError.exit_status:
        return error
    return StreamError(str(error), offset, number)
