"""A stream's file that is mapped instead of read, where that is safe and pays.

Reading copies each byte into the parser's buffer, and a blob's once more into the arena. In a
mapped file blobs lie where workers can take them, and the coordinator touches little more than the
lines between.

Whoever maps a file relies on it to stay as it is: a blob is looked at several times, by several
processes. So only files are mapped that lie on a file system of this machine, that had time to
settle, and that nobody has open for writing, as far as one is told. `MappedFile.confirm` is asked
before anything is published whether the file stayed as it was; otherwise the import ends, and
nothing of it is kept. That goes for a file that grew as well: nobody can tell whether that was all.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fastio.errors import SourceError
from fastio.importer._mapped import MappedStream, file_system

MIB: Final = 1 << 20
_AHEAD: Final = 8 * MIB  # is asked of a slow disk before it is needed
_KEPT: Final = 4 * MIB  # stays mapped behind what was read; who needs more maps it again

# Where the pages of a mapping are the file's own, whoever writes to it: f_type of statfs(2).
_FILE_SYSTEMS: Final = frozenset(
    (
        0xEF53,  # ext2, ext3, ext4
        0x58465342,  # xfs
        0x9123683E,  # btrfs
        0xF2F52010,  # f2fs
        0x01021994,  # tmpfs
        0x794C7630,  # overlayfs
    )
)


class MappedFile:
    """A file that is mapped from its position on.

    Attributes:
        stream: What it has from there on, as it was at the start.
        read: How many bytes of that count as read; the descriptor's position moves along.
    """

    def __init__(self, fd: int, position: int, status: os.stat_result) -> None:
        self._fd, self._position, self._status = fd, position, status
        self.stream = MappedStream(fd, position, status.st_size - position)
        self.read = 0
        self.stream.expect(0, _AHEAD)

    def advance(self, most: int) -> int:
        """Let the next bytes count as read, *most* at most; returns how many, 0 at the end.

        Raises:
            SourceError: The file did not stay as it was.
        """
        self.confirm()
        start, end = self.read, min(self.read + most, self.stream.size)
        if start == end:
            return 0
        self.read = end
        self.stream.expect(start + _AHEAD, end + _AHEAD)
        self.stream.release(start - _KEPT, end - _KEPT)
        os.lseek(self._fd, self._position + end, os.SEEK_SET)
        return end - start

    def confirm(self) -> None:
        """Make sure that all that was read so far was the file's, and still is.

        Raises:
            SourceError: It is not.
        """
        now, then, lost = os.fstat(self._fd), self._status, self.stream.lost_at
        if now.st_size < then.st_size:
            raise SourceError(
                "the stream's file was cut short while it was read:"
                f" from {then.st_size} to {now.st_size} bytes"
            )
        if lost >= 0:
            raise SourceError(
                f"cannot read the stream's file at byte {self._position + lost}: it was cut short"
                " for a while, or its disk fails"
            )
        if (now.st_size, now.st_mtime_ns) != (then.st_size, then.st_mtime_ns):
            raise SourceError("the stream's file was written to while it was read")


def map_file(fd: int, *, magic: bytes, settled: float) -> MappedFile | None:
    """Map what the file behind *fd* has from its position on; None if it had better be read.

    Args:
        fd: An open descriptor.
        magic: What starts like this is not mapped.
        settled: Seconds for which nobody must have written to it.
    """
    try:
        status, position = os.fstat(fd), os.lseek(fd, 0, os.SEEK_CUR)
        is_fit = (
            stat.S_ISREG(status.st_mode)
            and position < status.st_size <= _memory() // 2
            and status.st_mtime + settled <= time.time()
            and file_system(fd) in _FILE_SYSTEMS
            and not _may_change(fd)
            and os.pread(fd, len(magic), position) != magic
        )
        return MappedFile(fd, position, status) if is_fit else None
    except OSError:
        return None


def _may_change(fd: int) -> bool:
    """Tell whether somebody has the file open for writing, as far as the system says."""
    if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
        return True
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    with _deaf_to(signal.SIGIO):  # for who opens the file just now has it sent to us
        try:
            # A lease for reading is given only while nobody writes. It is not kept: it would make
            # writers wait.
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except BlockingIOError:
            return True
        except OSError:  # somebody else's file, or a file system without leases
            return False
    return False


@contextlib.contextmanager
def _deaf_to(number: int) -> Iterator[None]:
    """Lose a signal if it comes meanwhile."""
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, (number,))
    try:
        yield
        signal.sigtimedwait((number,), 0)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)


def _memory() -> int:
    """Bytes of memory that this process may fill, files' pages included.

    A file that does not fit would be read from the disk again and again: for each delta base.
    """
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for line in _text("/proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if not controllers:
            limits += _limits("/sys/fs/cgroup", group, "memory.max")
        elif "memory" in controllers.split(","):
            limits += _limits("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes")
    return min(limits)


def _limits(root: str, group: str, name: str) -> Iterator[int]:
    """Yield the limits of a control group and of those it is in, as far as they can be seen."""
    for directory in (Path(group), *Path(group).parents):
        text = _text(f"{root}{directory}/{name}").strip()
        if text.isdecimal():
            yield int(text)


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
