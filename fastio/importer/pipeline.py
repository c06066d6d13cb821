"""The order of things: blobs are done by workers out of order, their results used in order.

Two lines run side by side. The blob queue holds blobs in order of submission; the operations are
what commands ask for (a tree entry set, a commit ended, a ref reset), each with the number of blobs
that were submitted before it. An operation is executed when exactly those blobs are accepted. So
blobs and operations take effect, and reach the pack, in one order that the stream alone decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.importer._operations import Operations

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.importer.encoder import Encoder


class Pipeline(Operations):
    """Executes operations between the acceptance of blobs, in stream order.

    Args:
        encoder: Where blobs are encoded.
        in_flight: Bytes of blobs and of room for their results to have under way at most.

    Attributes:
        confirm: Raises an error if what was executed cannot be believed; see `Source.confirm`.
    """

    def __init__(self, encoder: Encoder, *, in_flight: int) -> None:
        super().__init__(in_flight)
        self._encoder = encoder
        self.confirm: Callable[[], None] = lambda: None

    def step(self) -> None:
        """Do what can be done without waiting, then wait while too much is under way."""
        if self.count or self.queue.waiting:
            self._encoder.poll(0)
            self.advance()
            self.throttle()

    def drain(self) -> None:
        """Execute everything queued; blobs still held back stay so."""
        if self.count or self.queue.waiting:
            self.queue.finish_batch()
            self.advance()
        while self.count or self.queue.waiting:
            self.wait()
        self.settle()
        self.confirm()

    def finish_at(self, offset: int) -> None:
        """After an error at byte *offset*: let the blobs before it take effect, nothing else."""
        self.clear()
        self.queue.end_at(offset)
        self.queue.submit_held()
        self.drain()

    def wait(self) -> None:
        """Wait until blobs that the encoder has are done, and go on with what waited for them."""
        self.queue.flush()
        self.advance()
        if self.queue.waiting:
            self._encoder.poll(None)
            self.advance()
