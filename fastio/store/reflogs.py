"""Reflogs of refs that are moved without git's help, as git would write them.

Source: git-reflog(1), git-config(1) (core.logAllRefUpdates), gitrepository-layout(5).
"""

from __future__ import annotations

import contextlib
import os
from binascii import hexlify
from typing import TYPE_CHECKING, Final

from fastio.store.new_files import make_directories, remove, share, write_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastio.store.packed_refs import Move
    from fastio.store.repository import Repository

REFLOG_MESSAGE: Final = "fast-import"
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
_USUAL: Final = (b"refs/heads/", b"refs/remotes/", b"refs/notes/")


class Reflogs:
    """Adds a line to the reflogs of refs that are about to move.

    Args:
        repository: Whose refs.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._top = os.path.join(repository.common_dir, b"logs", b"")
        self._permissions = repository.config.shared_permissions
        self._begun = repository.config.reflogs_begun(is_bare=repository.is_bare)
        self._added: list[tuple[bytes, bytes]] = []

    def add(self, moves: Sequence[Move]) -> None:
        """Add a line for each ref that moves and has a reflog, or is to have one.

        Raises:
            OSError: It cannot be done, and nothing has been.
        """
        if self._begun == "none" and not os.path.isdir(self._top):
            return
        zero, message = self._repository.object_format.zero_oid, REFLOG_MESSAGE.encode()
        end = b" %s\t%s\n" % (self._committer(), message)
        try:
            for name, old, new in moves:
                if new is not None:
                    self._append(name, b"%s %s%s" % (hexlify(old or zero), hexlify(new), end))
        except OSError:
            self.undo()
            raise

    def _committer(self) -> bytes:
        asked = self._repository.git.run("var", "GIT_COMMITTER_IDENT", capture_stderr=True)
        if asked.status:
            raise OSError("git has no name for us")
        return asked.stdout.removesuffix(b"\n")

    def _append(self, name: bytes, line: bytes) -> None:
        path = self._top + name
        is_begun = self._begun == "all" or (self._begun == "usual" and name.startswith(_USUAL))
        try:
            fd = self._open(path, os.O_CREAT if is_begun else 0)
        except FileNotFoundError:  # without O_CREAT
            return
        try:
            write_all(fd, line)
            self._added.append((path, line))
            share(fd, self._permissions)
        finally:
            os.close(fd)

    def _open(self, path: bytes, create: int) -> int:
        try:
            return os.open(path, _APPEND | create, 0o666)
        except FileNotFoundError:
            if not create:
                raise
        directory = os.fsdecode(os.path.dirname(path))
        make_directories(directory, self._permissions)
        return os.open(path, _APPEND | create, 0o666)

    def undo(self) -> None:
        """Take the lines away again, as far as nothing stands behind them."""
        for path, line in self._added:
            with contextlib.suppress(OSError), open(path, "r+b") as file:
                size = file.seek(0, os.SEEK_END) - len(line)
                file.seek(size)
                if file.read() == line:
                    file.truncate(size)
                    if not size:
                        remove(path)
        self._added.clear()

    def remove(self, names: Iterable[bytes]) -> None:
        """Remove the reflogs of refs that are gone, and directories that are empty then."""
        if not os.path.isdir(self._top):
            return
        for name in names:
            path = self._top + name
            with contextlib.suppress(OSError):
                os.unlink(path)
                # What stands directly in ``logs/refs`` stays.
                while (path := os.path.dirname(path)).count(b"/") > self._top.count(b"/") + 1:
                    os.rmdir(path)
