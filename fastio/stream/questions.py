"""The fast path for questions: a frontend that waits for each answer sends line by line.

Only questions in their usual spelling are read here: a mark or an oid, and a path without escapes.
All else, what is wrong included, is left to the parser, which says what it means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fastio.stream import commands as c
from fastio.stream._questions import CAT_BLOB, GET_MARK, LS, scan_question
from fastio.stream.reader import WAITS_FOR_CHANGE, WAITS_FOR_MORE, StreamReader

Question = c.GetMark | c.CatBlob | c.Ls

_COMMANDS: Final[dict[int, Callable[[Any, Any], Question]]] = {
    GET_MARK: lambda mark, _: c.GetMark(mark),
    CAT_BLOB: lambda dataref, _: c.CatBlob(dataref),
    LS: c.Ls,
}


def take_question(reader: StreamReader) -> Question | None:
    """Take a question if one is all there, where *reader* waits for the line of a command."""
    buffer, waits = reader.buffer, reader.waits
    if waits == WAITS_FOR_MORE:
        return None
    if reader.optional_lf and not reader.skip_optional_lf():
        return None
    start = buffer.start
    found = scan_question(
        buffer.data, start, buffer.end, buffer.max_line, waits == WAITS_FOR_CHANGE
    )
    if found is None:
        return None
    word, dataref, path, line = found
    buffer.line_start, buffer.start = start, start + len(line) + 1
    reader.offset = buffer.base + start
    reader.recent.append(line)
    return _COMMANDS[word](dataref, path)
