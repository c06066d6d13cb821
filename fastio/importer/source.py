"""Where the stream comes from: a pipe, a file, or an lz4 frame in either.

A plain file of some size need not be read: it can be mapped (`mapped_file`).
"""

from __future__ import annotations

import os
import select
import stat
from typing import TYPE_CHECKING

from fastio.errors import StreamError

if TYPE_CHECKING:
    from lz4.frame import LZ4FrameDecompressor

    from fastio.importer._mapped import MappedStream
    from fastio.importer.mapped_file import MappedFile

LZ4_MAGIC = b"\x04\x22\x4d\x18"
PACKED_PIECE = 1 << 18
LEAST_MAPPED = 8 << 20
"""For less it makes no difference."""
SETTLED = 2.0
"""Seconds since a file was written to last: some file systems count time in whole seconds."""


class Source:
    """Reads a stream, never waiting for more than there is.

    Args:
        fd: An open descriptor; the caller closes it.
        least_mapped: Of so many bytes on a file may be mapped.
        settled: If nobody has written to it for so many seconds.

    Attributes:
        size: Bytes that can be read from *fd* in all, None when that cannot be known.
        position: Bytes read from *fd* so far.
    """

    def __init__(
        self, fd: int, *, least_mapped: int = LEAST_MAPPED, settled: float = SETTLED
    ) -> None:
        self._fd, self._least_mapped, self._settled = fd, max(least_mapped, 1), settled
        self.position = 0
        self.size = _size_of(fd)
        self._unread = b""
        self._decompressor: LZ4FrameDecompressor | None = None
        self._started = False
        self._mapped: MappedFile | None = None

    @property
    def is_mapped(self) -> bool:
        """Whether the stream is mapped."""
        return self._mapped is not None

    def map(self) -> MappedStream | None:
        """Map the stream, if it is a file that is fit for it, before anything is read of it.

        Then `advance` says how much of it counts as read.
        """
        if self.size is None or self.size < self._least_mapped or self._started:
            return None
        from fastio.importer.mapped_file import map_file  # noqa: PLC0415 - small imports read

        self._mapped = map_file(self._fd, magic=LZ4_MAGIC, settled=self._settled)
        if self._mapped is None:
            return None
        self._started = True
        return self._mapped.stream

    def advance(self, most: int) -> int:
        """Let bytes that are mapped count as read, *most* at most; returns how many.

        Raises:
            SourceError: The file did not stay as it was.
        """
        count = 0 if self._mapped is None else self._mapped.advance(most)
        self.position += count
        return count

    def confirm(self) -> None:
        """Make sure that what was read, if it was mapped, was and still is the file's.

        Raises:
            SourceError: It is not: nothing that came of it can be believed.
        """
        if self._mapped is not None:
            self._mapped.confirm()

    def read_into(self, buffer: memoryview) -> int:
        """Fill the start of *buffer* with what comes next; returns how many bytes, 0 at the end.

        Raises:
            StreamError: The lz4 frame is damaged or cut short, or reading fails.
        """
        if not self._started and not self._start():
            return 0  # a terminal has ended then, and would be read once more
        if self._decompressor is not None:
            return self._read_unpacked(buffer)
        if self._unread:
            count = min(len(buffer), len(self._unread))
            buffer[:count] = self._unread[:count]
            self._unread = self._unread[count:]
            return count
        while True:
            try:
                count = os.readv(self._fd, [buffer])
            except BlockingIOError:
                wait_for(self._fd, select.POLLIN)
                continue
            except OSError as error:
                raise StreamError(f"cannot read the stream: {error.strerror}") from error
            self.position += count
            return count

    def is_ready(self) -> bool:
        """Tell whether `read_into` would return at once, as far as that can be known."""
        if self._unread or self._decompressor is not None:
            return True
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return bool(poll.poll(0))

    def _start(self) -> bool:
        """Look at the first bytes, if any come: no stream starts like an lz4 frame does."""
        self._started = True
        head = self._read_packed(PACKED_PIECE)
        while len(head) < len(LZ4_MAGIC) and head and LZ4_MAGIC.startswith(head):
            more = self._read_packed(PACKED_PIECE)
            if not more:
                break
            head += more
        self._unread = head
        if head.startswith(LZ4_MAGIC):
            from lz4.frame import LZ4FrameDecompressor  # noqa: PLC0415 - most streams are plain

            self._decompressor = LZ4FrameDecompressor()
        return bool(head)

    def _read_packed(self, size: int) -> bytes:
        while True:
            try:
                data = os.read(self._fd, size)
            except BlockingIOError:
                wait_for(self._fd, select.POLLIN)
                continue
            except OSError as error:
                raise StreamError(f"cannot read the stream: {error.strerror}") from error
            self.position += len(data)
            return data

    def _read_unpacked(self, buffer: memoryview) -> int:
        while True:
            decompressor = self._decompressor
            assert decompressor is not None
            packed, self._unread = self._unread, b""
            if decompressor.eof:
                packed = (decompressor.unused_data or b"") + packed
                packed = packed or self._read_packed(PACKED_PIECE)
                if not packed:
                    return 0
                decompressor.reset()  # frames may stand behind each other
            elif decompressor.needs_input and not packed:
                packed = self._read_packed(PACKED_PIECE)
                if not packed:
                    raise StreamError(f"lz4 frame ends early, at byte {self.position} of the file")
            try:
                data = decompressor.decompress(packed, max_length=len(buffer))
            except RuntimeError as error:
                raise StreamError(
                    f"damaged lz4 frame before byte {self.position} of the file: {error}"
                ) from error
            if data:
                buffer[: len(data)] = data
                return len(data)


def wait_for(descriptor: int, event: int) -> None:
    """Wait for a descriptor that whoever started us has left non-blocking."""
    poll = select.poll()
    poll.register(descriptor, event)
    poll.poll()


def _size_of(fd: int) -> int | None:
    try:
        status = os.fstat(fd)
    except OSError as error:
        raise StreamError(f"cannot read the stream: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        return None
    return max(0, status.st_size - os.lseek(fd, 0, os.SEEK_CUR))
