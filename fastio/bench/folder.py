"""A folder as content: all its files, as an import would store them for the first time."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from fastio.bench.content import FULL, Content, Payload
from fastio.bench.strata import PIECE, Strata
from fastio.errors import FastioError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

NOTE = "a folder has each file once, so there are no deltas: a repository with its history has"


class FolderSample:
    """Takes a sample of a folder's files.

    ``.git`` is left out at any depth, symbolic links are not followed, and what is no regular file
    is none of ours. What cannot be read is left out and told of.

    Args:
        path: The folder.
        random: Chooses.
        progress: Is called now and then while files are looked for.

    Attributes:
        left_out: How many files and folders could not be read.
    """

    def __init__(self, path: str, random: Random, progress: Callable[[], None]) -> None:
        self._path, self._random, self._progress = path, random, progress
        self.left_out, self._first_left_out = 0, ""

    def take(self, budget: int) -> Content:
        """Take a sample of about *budget* bytes.

        Raises:
            FastioError: The folder cannot be read, or there is nothing in it.
        """
        strata: Strata[tuple[bytes, int]] = Strata(self._random)
        files = total = 0
        for path, size in self._walk():
            strata.add(FULL, size, (path, size))
            files, total = files + 1, total + size
        content = Content(self._path, "folder", files)
        content.size, content.note = total, NOTE
        for chosen in strata.choose(budget):
            path, size = chosen.item
            data = self._read(path, size)
            if data is not None:
                content.add(FULL, Payload(data, size, chosen.weight))
        if not content.payloads[FULL]:
            raise FastioError(f"there is no file to measure with in '{self._path}'" + self.reason)
        return content

    @property
    def reason(self) -> str:
        """What was left out, as the end of a message; empty if nothing was."""
        if not self.left_out:
            return ""
        return f": {self.left_out} cannot be read, the first is {self._first_left_out}"

    def _walk(self) -> Iterator[tuple[bytes, int]]:
        """Yield path and size of each file."""
        waiting = [os.fsencode(self._path)]
        while waiting:
            self._progress()
            folder = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.name == b".git":
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
                        elif entry.is_file(follow_symlinks=False):
                            yield from self._measure(entry)
            except OSError as error:
                if folder == os.fsencode(self._path):
                    raise FastioError(f"cannot read '{self._path}': {error.strerror}") from error
                self._leave_out(folder, error)

    def _measure(self, entry: os.DirEntry[bytes]) -> Iterator[tuple[bytes, int]]:
        try:
            size = entry.stat(follow_symlinks=False).st_size
        except OSError as error:  # it is gone meanwhile, and the rest is not
            self._leave_out(entry.path, error)
        else:
            yield entry.path, size

    def _read(self, path: bytes, size: int) -> bytes | None:
        """Read a file, or a piece from anywhere in it if it is large; None if that fails."""
        try:
            # Should it be a FIFO by now, nobody waits for its other end.
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    return None
                start = self._random.randrange(size - PIECE + 1) if size > PIECE else 0
                return os.pread(fd, PIECE, start)
            finally:
                os.close(fd)
        except OSError as error:
            self._leave_out(path, error)
            return None

    def _leave_out(self, path: bytes, error: OSError) -> None:
        self.left_out += 1
        self._first_left_out = self._first_left_out or f"'{os.fsdecode(path)}' ({error.strerror})"
