"""Telling which refs were refused, why, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fastio.store.ref_changes import Cause, Outcome, Status

# Of thousands of refs nobody reads the rest, and it buries what stands above.
MAX_TOLD: Final = 100

_CURES: Final = {
    Cause.LOSES_COMMITS: "--force lets refs go where their old commits are not contained",
    Cause.NO_COMMIT: "with --force, refs are replaced whatever they hold",
    Cause.NO_ROOM: (
        "a ref cannot be beside refs below it ('a' and 'a/b'): rename one in the stream, or delete"
        " the one that is there, with git update-ref -d <ref>"
    ),
    Cause.LOCKED: "is another git at work? if none is, one has died: remove its .lock file",
    Cause.WITH_OTHERS: "annotated tags are set all together or not at all",
}


class Refusals:
    """Tells refusals one by one, up to a number, and each cure once.

    Args:
        say: Is given lines for stderr.
    """

    def __init__(self, say: Callable[[bytes], None]) -> None:
        self._say = say
        self._told = self._untold = 0
        self._causes: list[Cause] = []
        self._cured: set[Cause] = set()

    def add(self, outcome: Outcome) -> None:
        """Take in what became of a ref."""
        if outcome.status is not Status.REFUSED:
            return
        if outcome.cause is not None and outcome.cause not in self._causes:
            self._causes.append(outcome.cause)
        if self._told == MAX_TOLD or not outcome.message:
            self._untold += 1
            return
        self._told += 1
        self._say(outcome.message)

    def end(self) -> None:
        """Say what there is to say behind them all."""
        if self._untold:
            self._say(b"  ... and %d more\n" % self._untold)
        for cause in self._causes:
            if cause in _CURES and cause not in self._cured:
                self._say(b"  hint:  %s\n" % _CURES[cause].encode())
        self._cured.update(self._causes)
        self._untold = 0
        self._causes.clear()
