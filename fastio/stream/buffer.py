"""The bytes between source and parser.

One block of memory, filled at its end and read from its start. Nothing is copied on the way in, a
body is handed out as a view, and a search that failed goes on where it stopped, so that input which
comes byte by byte is not searched twice. The block is never resized, because views of it may be
about: it is replaced.

Where all bytes lie in memory already, in a mapped file say, that is the block, and `end` says how
much of it counts as read. It cannot be filled: when more bytes are to come, it is replaced as well.
"""

from __future__ import annotations

from typing import Final, Protocol

from fastio.errors import CLIPPED_LINE, StreamError
from fastio.stream.grammar import KIB, MAX_DATA, MAX_LINE, MIB

CAPACITY: Final = 2 * MIB
_LEAST_FREE: Final = 64 * KIB  # what a Linux pipe holds


class Block(Protocol):
    """Memory that can be searched; bytes are one."""

    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __getitem__(self, at: int, /) -> int:
        """Return one byte."""

    def find(self, wanted: bytes, start: int, end: int, /) -> int:
        """Return the first place of *wanted* in ``[start:end]``, or -1."""

    def startswith(self, prefix: bytes, start: int, end: int, /) -> bool:
        """Tell whether ``[start:end]`` starts with *prefix*."""


class StreamBuffer:
    """Bytes that were read and not parsed yet.

    Attributes:
        data: The block; what counts is ``data[start:end]``.
        view: A read-only view of the block.
        start: Position of the first byte that is not parsed.
        held: Position of the first byte that has to stay although it is parsed; None: none has to.
        end: Position behind the last byte that was read.
        base: Offset in the stream of the block's first byte.
        line_start: Position of the line taken last.
        at_end: Whether the line taken last is the end of input.
    """

    __slots__ = (
        "_capacity",
        "_delimiter_searched",
        "_is_given",
        "_least_free",
        "_searched",
        "_writable",
        "at_end",
        "base",
        "data",
        "end",
        "eof",
        "held",
        "line_start",
        "max_data",
        "max_line",
        "start",
        "view",
    )

    def __init__(
        self, capacity: int = CAPACITY, *, max_line: int = MAX_LINE, max_data: int = MAX_DATA
    ) -> None:
        self._capacity, self.max_line, self.max_data = max(capacity, 1), max_line, max_data
        self._least_free = min(_LEAST_FREE, self._capacity)
        self.start = self.end = self.base = self.line_start = 0
        self._searched = self._delimiter_searched = 0
        self.held: int | None = None
        self.eof = self.at_end = False
        self.data: bytearray | Block
        self._allocate(self._capacity)

    def _allocate(self, capacity: int) -> None:
        self.data = bytearray(capacity)
        self._writable = memoryview(self.data)
        self.view = self._writable.toreadonly()
        self._is_given = False

    def use(self, block: Block) -> None:
        """Take *block*, where the stream's bytes lie from the first one on, for the block.

        Nothing was read yet; `end` is moved on as if it were.
        """
        self.data = block
        self.view = memoryview(block).toreadonly()
        self._is_given = True

    def free_space(self, hint: int = 0) -> memoryview:
        """Return writable space for the next bytes, at least *hint* of them.

        All views given out before lose their meaning.
        """
        size, wanted = len(self.data), hint if hint > self._least_free else self._least_free
        if self._is_given:
            self._move(max(self._capacity, self._used + wanted))
        elif size - self.end < wanted or (size > self._capacity and not self._used):
            self._make_room(wanted, self._used)
        return self._writable[self.end :]

    @property
    def _used(self) -> int:
        """How many bytes have to stay."""
        return self.end - (self.start if self.held is None else self.held)

    def _make_room(self, wanted: int, used: int) -> None:
        size = len(self.data)
        if not used and size > self._capacity >= wanted:
            self._move(self._capacity)  # back to the usual size after a large body
        else:
            fits = 2 * used <= size and used + wanted <= size
            self._move(size if fits else max(2 * size, used + wanted))

    def _move(self, capacity: int) -> None:
        """Move what has to stay to the start of the block, or of one with another *capacity*."""
        start, end, old = self.start if self.held is None else self.held, self.end, self.view
        if capacity != len(self.data) or self._is_given:
            self._allocate(capacity)
        self._writable[: end - start] = old[start:end]
        self.base += start
        self.start, self.end = self.start - start, end - start
        self.held = None if self.held is None else 0
        self._searched = max(self._searched - start, 0)
        self._delimiter_searched = max(self._delimiter_searched - start, 0)
        self.line_start -= start  # negative, when that line is gone: still right as an offset

    def skip_lf(self) -> bool:
        """Skip one LF if it comes next; return False if the next byte has not arrived yet."""
        if self.start == self.end:
            return self.eof
        if self.data[self.start] == 0x0A:
            self.start += 1
        return True

    def take_line(self) -> bytes | None:
        """Take a line without its LF, None if it is incomplete, or b"" and `at_end` at the end."""
        start, searched = self.start, self._searched
        stop = self.data.find(b"\n", searched if searched > start else start, self.end)
        if stop < 0:
            return self._take_last_line()
        self.line_start = start
        if stop - start > self.max_line:
            raise self._too_long()
        self.start = stop + 1
        return self.view[start:stop].tobytes()

    def _take_last_line(self) -> bytes | None:
        """Take what there is as a line, if no more is to come."""
        start, end = self.start, self.end
        self._searched = end
        if end - start > self.max_line:
            self.line_start = start
            raise self._too_long()
        if not self.eof:
            return None
        self.at_end = start == end
        self.line_start = start
        self.start = end
        return self.view[start:end].tobytes()

    def _too_long(self) -> StreamError:
        start = self.line_start
        line = self.view[start : min(start + CLIPPED_LINE, self.end)].tobytes()
        return StreamError(f"line longer than {self.max_line} bytes", kind="line", line=line)

    def unread_line(self) -> None:
        """Give the line taken last back, to be taken once more."""
        self.start = self._searched = self.line_start

    def take(self, size: int) -> memoryview | None:
        """Take *size* bytes, or return None if they are not all there."""
        start = self.start
        if self.end - start < size:
            return None
        self.start = start + size
        return self.view[start : start + size]

    def take_until(self, delimiter: bytes) -> memoryview | None:
        """Take lines up to one that equals *delimiter*, that one as well but not into the view."""
        start = self.start
        at = start if self._ends_line(start, delimiter) else self._find_line(delimiter)
        # Not found: the body is at least as long as if the delimiter were the end of what is here.
        size = (at if at >= 0 else self.end - len(delimiter) - 1) - start
        if size > self.max_data:
            raise StreamError(f"data longer than {self.max_data} bytes", kind="data")
        if at < 0:
            return None
        self.start = min(at + len(delimiter) + 1, self.end)
        return self.view[start:at]

    def _find_line(self, line: bytes) -> int:
        """Return the position of a complete *line* behind the first one, or -1."""
        pattern = b"\n%s\n" % line
        found = self.data.find(pattern, max(self.start, self._delimiter_searched), self.end)
        if found >= 0:
            return found + 1
        last = self.end - len(pattern) + 1
        self._delimiter_searched = max(self.start, last)
        if last >= self.start and self.data[last] == 0x0A and self._ends_line(last + 1, line):
            return last + 1
        return -1

    def _ends_line(self, at: int, delimiter: bytes) -> bool:
        """Tell whether the line at *at* is there in full and equals *delimiter*."""
        stop = at + len(delimiter)
        if stop > self.end or not self.data.startswith(delimiter, at, self.end):
            return False
        if stop < self.end:
            return self.data[stop] == 0x0A
        return self.eof and stop > at  # the end of input is no empty line
