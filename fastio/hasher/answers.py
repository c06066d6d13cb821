"""Answers on their way out, which nothing that goes on behind them waits for.

A caller may write all its questions before it reads the first answer. By then the pipe to it is
full, and if we waited for room there, nobody would read what it writes. So an answer that has no
room is kept, and a thread waits in our place. There is no such thread while the caller reads along.
"""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading

_SURE = 4096  # bytes that a pipe takes without waiting once it says that it takes some (PIPE_BUF)


class Answers:
    """Writes to *descriptor* in order; :meth:`put` never waits, :meth:`close` waits for all.

    Raises:
        OSError: From all methods: the descriptor takes no more.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._late = bytearray()
        self._changed: threading.Condition
        self._writer: threading.Thread | None = None
        self._error: OSError | None = None

    def put(self, text: bytes) -> None:
        """Write *text*, now or as soon as there is room."""
        if self._writer is None:
            text = self._write_what_fits(text)
            if not text:
                return
            import threading  # noqa: PLC0415 - most callers read along

            self._changed = threading.Condition()
            self._writer = threading.Thread(target=self._write_late, daemon=True)
            self._late += text
            self._writer.start()
            return
        with self._changed:
            self._raise()
            self._late += text
            self._changed.notify()

    def close(self) -> None:
        """Wait until all is written."""
        if self._writer is None:
            return
        with self._changed:
            while self._late and self._error is None:
                self._changed.wait()
            self._raise()

    def _write_what_fits(self, text: bytes) -> bytes:
        """Write as long as there is room; returns the rest."""
        written = 0
        while written < len(text) and self._poll.poll(0):
            written += os.write(self._descriptor, text[written : written + _SURE])
        return text[written:]

    def _write_late(self) -> None:
        while True:
            with self._changed:
                while not self._late:
                    self._changed.wait()
                piece = bytes(self._late[:_SURE])
            try:
                written = os.write(self._descriptor, piece)
            except OSError as error:
                self._error, written = error, 0
            with self._changed:
                del self._late[:written]
                self._changed.notify()
            if self._error:
                return

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error
