"""Marks files: a line ``:<mark> SP <hex oid> NL`` for each mark.

The reader is as strict as git, whose next run must be able to read what we wrote, and lets the same
two things pass: hex digits in upper case, and bytes behind the oid. The writer goes through
``<path>.lock``, so that a crash leaves the old file, and a second writer is refused.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from fastio.errors import MarksError
from fastio.objects.kinds import Oid
from fastio.store.new_files import make_directories, share

LONGEST_LINE = 511  # what git reads into its buffer, NL included
LARGEST_MARK = 2**64 - 1
_WRITE_SIZE = 1 << 16


def read_marks(path: str, oid_size: int | None = 20) -> Iterator[tuple[int, Oid]]:
    """Yield each ``(mark, oid)`` of the marks file *path*, in the file's order.

    A mark may come more than once; the last line counts.

    Args:
        path: The file.
        oid_size: Bytes of an oid; None takes those of either object format.

    Raises:
        FileNotFoundError: There is no such file.
        MarksError: The file cannot be read, or a line of it is malformed.
    """
    try:
        with open(path, "rb") as file:
            yield from read_lines(file, path, oid_size)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise MarksError(f"cannot read marks file {path}: {error.strerror}") from error


def read_lines(
    file: BinaryIO, path: str, oid_size: int | None, *, first: int = 1
) -> Iterator[tuple[int, Oid]]:
    """Yield each ``(mark, oid)`` of an open marks file.

    Args:
        file: Where to read.
        path: Its name, for errors.
        oid_size: As for `read_marks`.
        first: The number of its first line.

    Raises:
        MarksError: A line is malformed.
    """
    oid = b"|".join(
        rb"[0-9a-fA-F]{%d}" % (2 * size) for size in ([oid_size] if oid_size else (32, 20))
    )
    match = re.compile(rb":([0-9]+) (%b)[^\0]*\n" % oid).fullmatch
    number = first - 1
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        found = match(line) if len(line) <= LONGEST_LINE else None
        mark = min(int(found[1]), LARGEST_MARK) if found else 0
        if found is None or mark == 0:
            raise MarksError(f"malformed line {number} in marks file {path}")
        yield mark, Oid(bytes.fromhex(found[2].decode()))


def write_marks(path: str, marks: Iterable[tuple[int, Oid]], permissions: int = 0) -> None:
    """Replace the marks file *path*; missing directories above it are made.

    A device is written to: renaming another file over it, as git does, would be the end of
    ``/dev/null`` when root says so.

    Args:
        path: Where to write; a symlink is followed.
        marks: Pairs of mark and oid, in ascending order.
        permissions: As `Config.shared_permissions` says.

    Raises:
        MarksError: The file cannot be written, or another process is writing it.
    """
    target = os.path.realpath(path)
    lock = target + ".lock"
    lines = (b":%d %s\n" % (mark, oid.hex().encode()) for mark, oid in marks)
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # also /dev/fd/3, a pipe
            with open(path, "wb") as device:
                device.writelines(lines)
            return
        make_directories(os.path.dirname(target), permissions)
        # Mode "x" is what makes it a lock.
        with open(lock, "xb", buffering=_WRITE_SIZE) as file, _removed_on_error(lock):
            file.writelines(lines)
            file.flush()
            share(file.fileno(), permissions)
            os.replace(lock, target)
    except OSError as error:
        name = lock if isinstance(error, FileExistsError) else path
        raise MarksError(f"cannot write marks file {name}: {error.strerror}") from error


@contextlib.contextmanager
def _removed_on_error(path: str) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
