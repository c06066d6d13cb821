"""Content that is not taken in at once: hashed piece by piece as it is read.

A regular file says how long it is, so that its header can be hashed first and its bytes behind it.
What comes out of a pipe has to be there to its end before even the header is known.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fastio.errors import ObjectError

if TYPE_CHECKING:
    from fastio.objects.kinds import ObjectFormat

PIECE = 1 << 18
"""Bytes read at once: what was read last is still in the processor's cache when it is hashed."""

_READ_IN_PLACE = 32 << 10


class Content:
    """What an open descriptor has to give; regular files are read anew each time.

    Args:
        descriptor: Where it comes from.
        name: What to call it in errors.

    Attributes:
        size: Its bytes.
        regular: Whether it is a regular file.

    Raises:
        ObjectError: It is a directory, or cannot be read.
    """

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor, self._name = descriptor, name
        about = os.fstat(descriptor)
        if stat.S_ISDIR(about.st_mode):
            raise ObjectError(f"{name} is a directory, and no file")
        self.regular = stat.S_ISREG(about.st_mode)
        self._held: list[bytes] = []
        if not self.regular:
            self._held = list(iter(lambda: self._read(PIECE), b""))
        self.size = about.st_size if self.regular else sum(map(len, self._held))
        # As in git, stdin is read from where it stands if it is short, and else from its beginning.
        self._start = 0
        if self.regular and self.size <= _READ_IN_PLACE:
            self._start = os.lseek(descriptor, 0, os.SEEK_CUR)

    def pieces(self) -> Iterator[bytes | memoryview]:
        """Go through all bytes; a piece is valid until the next one.

        Raises:
            ObjectError: There are fewer than there should be.
        """
        if not self.regular:
            yield from self._held
            return
        buffer = bytearray(PIECE)
        view, left = memoryview(buffer), self.size
        os.lseek(self._descriptor, self._start, os.SEEK_SET)
        while left:
            count = self._read_into(view[: min(PIECE, left)])
            if not count:
                raise ObjectError(f"{self._name} ends {left} bytes early: was it cut meanwhile?")
            left -= count
            yield view[:count]

    def whole(self) -> bytes:
        """Return all bytes."""
        return b"".join(self._held) if not self.regular else b"".join(map(bytes, self.pieces()))

    def oid(self, object_format: ObjectFormat) -> bytes:
        """Return the oid of the blob that this is."""
        state = object_format.new(b"blob %d\0" % self.size)
        for piece in self.pieces():
            state.update(piece)
        return state.digest()

    def holds(self, sought: bytes) -> bool:
        """Tell whether *sought*, a few bytes, is in it."""
        before = b""
        for piece in self.pieces():
            text = before + bytes(piece)
            if sought in text:
                return True
            before = text[1 - len(sought) :] if len(sought) > 1 else b""
        return False

    def _read(self, most: int) -> bytes:
        try:
            return os.read(self._descriptor, most)
        except OSError as error:
            raise ObjectError(f"cannot read {self._name}: {error.strerror}") from error

    def _read_into(self, view: memoryview) -> int:
        try:
            return os.readv(self._descriptor, [view])
        except OSError as error:
            raise ObjectError(f"cannot read {self._name}: {error.strerror}") from error
