"""The fast path for refs set to a mark, of which a stream may end in tens of thousands.

Only their usual spelling is read here. All else, what is wrong included, is left to the parser,
which says what it means.
"""

from __future__ import annotations

import functools
import re

from fastio.stream import commands as c
from fastio.stream.reader import StreamReader

# With the optional LF behind it; where a comment follows, that may come later.
_USUAL = rb"reset ([^\0\n]++)\n(from :([0-9]{1,18}+))\n(?:\n|(?=[^#\n]))"


@functools.cache  # when first used, as most streams have none
def _usual() -> re.Pattern[bytes]:
    return re.compile(_USUAL)


def take_reset(reader: StreamReader) -> c.Reset | None:
    """Take a reset to a mark if one is all there, where *reader* is between commands."""
    if reader.optional_lf and not reader.skip_optional_lf():
        return None
    buffer = reader.buffer
    start = buffer.start
    found = _usual().match(buffer.data, start, buffer.end)
    if found is None or found.end() - start > buffer.max_line:
        return None
    ref, from_line, mark = found.groups()
    buffer.line_start, buffer.start = found.start(2), found.end()
    reader.offset = buffer.base + start
    reader.recent += (b"reset " + ref, from_line)
    return c.Reset(ref, c.Mark(int(mark)))
