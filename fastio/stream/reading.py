"""Commands from a file: the parser, and somebody who reads for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from fastio.stream.commands import Command, Feature
from fastio.stream.parser import NEED_DATA, StreamParser


class Source(Protocol):
    """What `parse` needs of a binary file."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Fill the start of *buffer* and return how many bytes, 0 at the end."""


def parse(file: Source, *, date_format: str = "raw") -> Iterator[Command]:
    """Yield the commands of the fast-import stream in *file*.

    A ``feature date-format`` of the stream is followed. Bodies are views that are valid until the
    next command is asked for: whoever keeps one has to copy it.

    Args:
        file: Opened for reading bytes, and blocking; ``sys.stdin.buffer`` for instance.
        date_format: How dates are written, unless the stream says otherwise.

    Raises:
        StreamError: The stream breaks the grammar, or ends early.
    """
    # readinto1, where there is one, returns with what has arrived instead of filling the buffer.
    read = getattr(file, "readinto1", file.readinto)
    parser = StreamParser(date_format=date_format)
    while (command := parser.next_command()) is not None:
        if command is not NEED_DATA:
            if isinstance(command, Feature) and command.name == b"date-format":
                parser.date_format = (command.value or b"").decode("ascii", "replace")
            yield command
        elif (count := read(parser.get_buffer())) is None:
            raise BlockingIOError("fastio.parse cannot read from a non-blocking file")
        elif count:
            parser.buffer_updated(count)
        else:
            parser.feed_eof()
