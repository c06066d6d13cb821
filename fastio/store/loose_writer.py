"""Loose objects written for good: under a temporary name, and then in their place.

Source: gitformat-loose(5).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fastio.errors import PackError
from fastio.objects.kinds import NAMES
from fastio.store.loose import loose_path
from fastio.store.new_files import (
    create_temporary,
    give_name,
    make_directories,
    refuse,
    remove,
    share,
    write_all,
)
from workers.codec import deflate

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.objects.kinds import Oid
    from fastio.store.repository import Repository


class LooseWriter:
    """Writes loose objects into a repository, as its configuration wants them.

    Args:
        repository: The repository.

    Attributes:
        level: At which they are deflated.

    Raises:
        PackError: From all methods: the file system refuses.
    """

    def __init__(self, repository: Repository) -> None:
        config = repository.config
        self._directory = repository.objects_dir
        self._permissions = config.shared_permissions
        self._fsync = config.fsync.loose_object
        self.level = config.loose_level

    def write(self, oid: Oid, kind: int, body: bytes) -> None:
        """Write an object that is not there yet."""
        header = b"%s %d\0" % (NAMES[kind], len(body))
        packed = deflate(header + body, self.level)
        path, fd = create_temporary(self._folder(oid), b"tmp_obj_")
        self.place(path, fd, oid, lambda: write_all(fd, packed))

    def create(self) -> tuple[bytes, int]:
        """Create a file for an object whose oid is not known yet: its path and descriptor."""
        return create_temporary(self._directory, b"tmp_obj_")

    def place(
        self, path: bytes, fd: int, oid: Oid, fill: Callable[[], None] = lambda: None
    ) -> None:
        """Complete a temporary file and give it its place; it is closed, whatever happens.

        Args:
            path: The temporary name.
            fd: The open file.
            oid: What it holds.
            fill: Writes what is still to be written.
        """
        try:
            fill()
            share(fd, self._permissions)
            if self._fsync:
                os.fsync(fd)
            self._folder(oid)
            give_name(path, loose_path(self._directory, oid))
        except OSError as error:
            refuse(path, error)
        finally:
            os.close(fd)
            remove(path)

    def _folder(self, oid: Oid) -> bytes:
        folder = os.path.dirname(loose_path(self._directory, oid))
        if not os.path.isdir(folder):
            try:
                make_directories(os.fsdecode(folder), self._permissions)
            except OSError as error:
                raise PackError(f"cannot make {os.fsdecode(folder)}: {error.strerror}") from error
        return folder
