"""The progress bar: on stderr, and only on a terminal."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    from tqdm import tqdm

# More often than this nobody can read it.
INTERVAL = 0.1
# For a terminal that does not tell its size, as one made by `script` in a cron job: tqdm would take
# it for one without room and show nothing.
USUAL_SIZE = (80, 24)


class ProgressBar:
    """Shows how much is done, its rate, time left where the size is known, a note, and the phase.

    Args:
        enabled: Whether a bar is wanted at all.
        position: Says how much is done.
        note: Says what else there is to tell.
        size: How much there is to do, None when unknown.
        unit: Of size and position.
    """

    def __init__(
        self,
        *,
        enabled: bool,
        position: Callable[[], int],
        note: Callable[[], str],
        size: int | None,
        unit: str = "B",
    ) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._position, self._note, self._size, self._unit = position, note, size, unit
        self._bar: tqdm[NoReturn] | None = None
        self._next = 0.0

    def __enter__(self) -> Self:
        if self._enabled:
            from tqdm import tqdm  # noqa: PLC0415 - a pipe needs no bar

            size_is_known = all(os.get_terminal_size(sys.stderr.fileno()))
            columns, rows = (None, None) if size_is_known else USUAL_SIZE
            self._bar = tqdm(
                total=self._size,
                unit=self._unit,
                unit_scale=True,
                dynamic_ncols=size_is_known,
                ncols=columns,
                nrows=rows,
                leave=False,
                file=sys.stderr,
                mininterval=INTERVAL,
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def clear(self) -> None:
        """Take the bar from the terminal, until it is shown again."""
        if self._bar is not None:
            self._bar.clear()

    def __call__(self, phase: str) -> None:
        """Show where things stand in *phase*."""
        bar = self._bar
        if bar is None:
            return
        now = time.monotonic()
        if now < self._next and bar.desc == phase:
            return
        self._next = now + INTERVAL
        # The one without `_str` adds a colon, of which tqdm makes two where the size is unknown.
        bar.set_description_str(phase, refresh=False)
        bar.set_postfix_str(self._note(), refresh=False)
        bar.update(self._position() - bar.n)
        bar.refresh()
