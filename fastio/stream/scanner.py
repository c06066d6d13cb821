"""The fast path for blobs: what a blob needs is read in one compiled loop for many of them.

Only blobs in their usual spelling are read here, wholly in the buffer and no larger than a piece:
``blob``, ``mark :N``, ``original-oid``, ``data N``, with nothing between. All else, what is wrong
included, is left to the parser, which says what it means.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from fastio.records import record
from fastio.stream._scanner import scan_blobs
from fastio.stream.commands import Mark
from fastio.stream.reader import RECENT_LINES, StreamReader

if TYPE_CHECKING:
    from typing_extensions import Buffer

ROW = 4
"""Numbers in a row: mark (0 for none), start in the buffer, size, offset of the command."""


@record
class BlobRun:
    """Blobs that follow one another, valid until the parser's next call.

    Attributes:
        count: How many blobs, at least one.
        rows: Their rows, `ROW` uint64 each, one behind the other.
        buffer: What the rows' starts count in.
    """

    count: int
    rows: memoryview
    buffer: memoryview

    def __iter__(self) -> Iterator[tuple[Mark | None, memoryview, int]]:
        """Yield each blob's mark, data and offset in the stream."""
        numbers = self.rows.tolist()
        for mark, start, size, offset in zip(*(numbers[i::ROW] for i in range(ROW)), strict=True):
            yield Mark(mark) if mark else None, self.buffer[start : start + size], offset


def take_blobs(reader: StreamReader, max_count: int) -> BlobRun | None:
    """Take up to *max_count* blobs from *reader*, which stands between two commands."""
    buffer = reader.buffer
    rows = reader.blob_rows
    if len(rows) < max_count * ROW:
        rows = reader.blob_rows = memoryview(array("Q", bytes(8 * ROW * max_count)))
    count, position, optional_lf = scan_blobs(
        buffer.data,
        buffer.start,
        buffer.end,
        rows[: max_count * ROW],
        base=buffer.base,
        max_size=reader.piece_size,
        max_line=buffer.max_line,
        optional_lf=bool(reader.optional_lf),
    )
    if not count:
        return None
    buffer.start, reader.optional_lf, reader.in_header = position, optional_lf, False
    run = BlobRun(count, rows[: count * ROW], buffer.view)
    _note_lines(reader, run)
    return run


def _note_lines(reader: StreamReader, run: BlobRun) -> None:
    """Put the run's last lines among the recent ones, and note where its last blob was."""
    numbers = run.rows[-(RECENT_LINES // 2 + 1) * ROW :].tolist()  # a blob has two lines or more
    base, recent, buffer = reader.buffer.base, reader.recent, run.buffer
    for row in range(0, len(numbers), ROW):
        recent.append(buffer[numbers[row + 3] - base : numbers[row + 1] - 1].tobytes())
    reader.offset = numbers[-1]


class Scan(Protocol):
    """Who knows some commands by their look."""

    def __call__(
        self,
        data: Buffer,
        start: int,
        end: int,
        *,
        max_line: int,
        max_data: int,
        optional_lf: bool,
    ) -> tuple[int, int, bool]:
        """Take commands from ``data[start:end]``, whole ones with the optional LF behind them.

        Returns:
            The position behind them, how many they are, and whether more bytes might bring more.
        """
