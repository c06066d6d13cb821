"""Which marks are declared, and of what type."""

from __future__ import annotations

import re
from typing import Final

from fastio.objects.kinds import BLOB, COMMIT, NAMES, TAG
from fastio.store.marks import MarkTable

ANY: Final = 0
"""Of a type that only the repository knows: the mark comes from a file."""

_LOST: Final = 8  # perhaps declared in a part of the stream that could not be read
_MARK_LINE: Final = re.compile(rb"^mark :?([0-9]{1,18})", re.MULTILINE)

_TYPES: Final = (ANY, BLOB, COMMIT, TAG)


class MarkBook:
    """The marks of a stream so far.

    Attributes:
        table: Types by mark.
    """

    def __init__(self) -> None:
        self.table = MarkTable()

    def __len__(self) -> int:
        return len(self.table)

    def declare(self, mark: int, kind: int) -> bool:
        """Declare a mark; return whether it was declared already."""
        again = self.table.get(mark) in _TYPES
        self.table.set(mark, kind)
        return again

    def lose(self, text: bytes) -> None:
        """Take note that the lines of *text* may have declared marks."""
        for found in _MARK_LINE.finditer(text):
            mark = int(found[1])
            if mark not in self.table:
                self.table.set(mark, _LOST)

    def kind(self, mark: int) -> int:
        """Return the type of a mark's object, `ANY` if it is not known, -1 if there is none."""
        kind = self.table.get(mark)
        return ANY if kind == _LOST else kind


def name_of(kind: int) -> str:
    """Return what git calls objects of a type."""
    return NAMES[kind].decode()
