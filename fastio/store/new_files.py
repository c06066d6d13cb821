"""New files of the object directory: temporary until complete, then linked to their names.

Temporary names begin with ``tmp_``, so that git ignores them and ``git gc`` removes what a crash
leaves. Modes are those git gives: read-only, and less than that where the umask says so, unless
``core.sharedRepository`` says otherwise (`share`).
"""

from __future__ import annotations

import contextlib
import os
from typing import NoReturn

from fastio.errors import PackError

__all__ = ["create_temporary", "give_name", "refuse", "remove", "share", "write_all", "write_new"]


def create_temporary(directory: bytes, prefix: bytes) -> tuple[bytes, int]:
    """Create a file with a name of its own, read-only for everybody else.

    Args:
        directory: Where; created if it is missing.
        prefix: What its name begins with; six characters follow.

    Returns:
        Its path, and a descriptor to read and write it.

    Raises:
        PackError: The file system refuses.
    """
    while True:
        path = os.path.join(directory, prefix + os.urandom(3).hex().encode())
        try:
            return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)
        except FileExistsError:
            continue
        except FileNotFoundError as error:
            try:
                os.makedirs(directory)
            except OSError:
                refuse(path, error)
        except OSError as error:
            refuse(path, error)


def give_name(path: bytes, name: bytes) -> bool:
    """Let a complete file be known as *name*; a whole one that is there already stays.

    One of another size is what a power failure or a broken copy left, and is replaced.

    Returns:
        Whether *name* is new. In most file systems the file has its old name as well then.
    """
    try:
        os.link(path, name)
    except FileExistsError:
        if os.path.getsize(name) != os.path.getsize(path):
            os.rename(path, name)
        return False
    except OSError:  # a file system without hard links
        os.rename(path, name)
    return True


def write_new(path: bytes, content: bytes) -> bool:
    """Write a file in one go; False if there is one of that name."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    try:
        write_all(fd, content)
    finally:
        os.close(fd)
    return True


def share(fd: int, permissions: int) -> None:
    """Give a new file the mode that a shared repository wants, never one that can be written to.

    Args:
        fd: The file.
        permissions: As `Config.shared_permissions` says.
    """
    if not permissions:
        return
    wanted = abs(permissions) & 0o444
    os.fchmod(fd, wanted if permissions < 0 else os.fstat(fd).st_mode & 0o777 | wanted)


def write_all(fd: int, data: bytes) -> None:
    """Write all of *data*, however little the system takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def remove(*paths: bytes) -> None:
    """Remove files, as far as they are there."""
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)


def refuse(path: bytes, error: OSError) -> NoReturn:
    """Raise the PackError for what the file system said about *path*."""
    raise PackError(f"cannot write {os.fsdecode(path)}: {error.strerror}") from error
