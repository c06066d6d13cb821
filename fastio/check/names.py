"""What names a commit or an object: marks, refs, oids, expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from fastio.check.marks import ANY, MarkBook, name_of
from fastio.check.refs import RefBook
from fastio.objects.kinds import COMMIT
from fastio.stream import commands as c
from fastio.stream.excerpt import visible
from fastio.stream.lenient import MENDED

ZERO_OID: Final = re.compile(rb"0{40}|0{64}")

Say = Callable[[str, str, bytes], None]
"""Takes kind, reason, and what the line starts with."""


class Names:
    """Looks at names, each with what its line starts with, and tells of those that name nothing.

    Args:
        marks: The marks so far.
        refs: The refs so far.
        say: Is told.
    """

    def __init__(self, marks: MarkBook, refs: RefBook, say: Say) -> None:
        self._marks, self._refs, self._say = marks, refs, say

    def object(self, start: bytes, dataref: c.Dataref | None, wanted: int) -> None:
        """Look at what names an object of a type."""
        if isinstance(dataref, int):
            self.mark(start, dataref, wanted)
        elif dataref is not None:
            self._say("elsewhere", f"object {dataref.decode()}", start)

    def mark(self, start: bytes, mark: int, wanted: int) -> None:
        """Look at a mark that is used."""
        kind = self._marks.kind(mark)
        if kind < 0:
            self._say("undeclared-mark", f"mark :{mark} is not declared", start)
        elif wanted != ANY and kind not in (ANY, wanted):
            reason = f"mark :{mark} is a {name_of(kind)}, not a {name_of(wanted)}"
            self._say("mark-type", reason, start)

    def committish(self, start: bytes, value: c.Committish, wanted: int = COMMIT) -> None:
        """Look at what names a commit, or any object at all in a tag."""
        # Of several merges it is this one; a note's line has something else in front.
        is_last = start == b"N "
        if isinstance(value, int):
            self.mark(start if is_last else b"%b:%d" % (start, value), value, wanted)
        elif value is not MENDED:
            self._name(start if is_last else start + value, value)

    def _name(self, line: bytes, value: bytes) -> None:
        ref = self._refs.get(value)
        if ref is None and (not value or ZERO_OID.fullmatch(value)):
            self._say("committish", f"no commit: {visible(value)}", line)
        elif ref is None:
            self._say("elsewhere", f"commit {visible(value)}", line)
        elif not ref.has_tip:
            self._say("empty-branch", f"{visible(value)} has no commit", line)
