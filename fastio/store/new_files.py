"""New files: those of the object directory are temporary until complete, then get their names.

Temporary names begin with ``tmp_``, so that git ignores them and ``git gc`` removes what a crash
leaves. Modes are those git gives: read-only, and less than that where the umask says so, unless
``core.sharedRepository`` says otherwise (`share`), which counts for marks files as well.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import NoReturn

from fastio.errors import PackError

__all__ = [
    "create_temporary",
    "give_name",
    "make_directories",
    "refuse",
    "remove",
    "share",
    "write_all",
    "write_at",
    "write_new",
]


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


def make_directories(path: str, permissions: int) -> None:
    """Make a directory and those above it, as far as they are missing.

    Args:
        path: The directory.
        permissions: As for `share`, for those that are new.

    Raises:
        OSError: The file system refuses.
    """
    try:
        os.mkdir(path)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_directories(os.path.dirname(path), permissions)
        os.mkdir(path)
    share(path, permissions)


def share(new: int | str, permissions: int) -> None:
    """Give a new file or directory the mode that a shared repository wants.

    What its owner may not write to stays so for everybody, and directories can be entered by those
    who may read them, and hand on their group.

    Args:
        new: Its descriptor or path.
        permissions: As `Config.shared_permissions` says.
    """
    if not permissions:
        return
    mode, wanted = os.stat(new).st_mode, abs(permissions)
    if not mode & stat.S_IWUSR:
        wanted &= 0o444
    if stat.S_ISDIR(mode):
        wanted |= (wanted & 0o444) >> 2 | stat.S_ISGID
    os.chmod(new, wanted if permissions < 0 else mode & 0o777 | wanted)


def write_all(fd: int, data: bytes) -> None:
    """Write all of *data*, however little the system takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_at(fd: int, data: bytes, offset: int) -> None:
    """Write all of *data* at a place in the file, which may lie behind its end."""
    view = memoryview(data)
    while view:
        written = os.pwrite(fd, view, offset)
        view, offset = view[written:], offset + written


def remove(*paths: bytes) -> None:
    """Remove files, as far as they are there."""
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)


def refuse(path: bytes, error: OSError) -> NoReturn:
    """Raise the PackError for what the file system said about *path*."""
    raise PackError(f"cannot write {os.fsdecode(path)}: {error.strerror}") from error
