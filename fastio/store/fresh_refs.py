"""The first refs of a repository, thousands at a time: one ``packed-refs``, not a file for each.

git's own clone begins like that. Here others may be at work in the repository, so it goes by git's
rules of locking, and only if there is nothing yet that could be in the way:

1. The new file is complete under a temporary name, and ``packed-refs.lock`` is ours.
2. There is no ``packed-refs`` yet, and no file below ``refs``: neither a ref nor a lock.
3. The file gets its name: from here on all refs exist, or none does.
4. Again there is no file below ``refs``. Whoever makes a ref holds a lock there while he looks
   whether he may: one who looked before step 3 is seen now, by his lock or his ref. Then
   ``packed-refs`` goes away again, and git makes our refs one by one. Who looks later sees ours.
5. The lock goes.

A crash leaves the temporary file, which nobody minds, or, as with git, the lock. Hooks and reflogs
are git's business: where there may be any, all refs are.

Source: gitrepository-layout(5), git-pack-refs(1).
"""

from __future__ import annotations

import os
from binascii import hexlify
from typing import TYPE_CHECKING, Final

from fastio.store.new_files import remove, share, write_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastio.objects.kinds import Oid
    from fastio.store.repository import Repository

FEWEST: Final = 500  # fewer refs become a file each, as with git
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_HEADER: Final = b"# pack-refs with: peeled fully-peeled sorted \n"
# Each work tree has its own.
_PRIVATE: Final = (b"refs/bisect/", b"refs/rewritten/", b"refs/worktree/")


class FreshRefs:
    """Makes the first refs of a repository.

    Args:
        repository: The repository.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository, self._directory = repository, repository.common_dir

    def make(self, refs: Sequence[tuple[bytes, Oid]]) -> bool:
        """Make refs that do not exist, of which none stands in another's way.

        Args:
            refs: Names, of the form that git wants, and the commits they name. Annotated tags are
                not for here, as what they stand for would have to be told as well.

        Returns:
            Whether they exist now; if not, nothing has happened.
        """
        if len(refs) < FEWEST or not self._may_pack():
            return False
        if any(not name.startswith(b"refs/") or name.startswith(_PRIVATE) for name, _ in refs):
            return False
        try:
            return self._write(refs)
        except OSError:
            return False  # git will say what is wrong

    def _may_pack(self) -> bool:
        """Tell whether refs are files, of whose changes nobody wants to hear."""
        repository = self._repository
        config, environment = repository.config, repository.git.environment
        return (
            repository.ref_format == "files"
            and not config.logs_refs(is_bare=repository.is_bare)
            and not config.has_hooks
            and not self._exists(b"hooks/reference-transaction")
            # Where HEAD has a reflog, that of any work tree, a change of its branch is to be in it.
            and not any(map(self._exists, (b"logs", b"worktrees")))
            and not {"GIT_QUARANTINE_PATH", "GIT_REFERENCE_BACKEND"} & environment.keys()
        )

    def _exists(self, name: bytes) -> bool:
        return os.path.lexists(os.path.join(self._directory, name))

    def _write(self, refs: Sequence[tuple[bytes, Oid]]) -> bool:
        config = self._repository.config
        path = os.path.join(self._directory, b"tmp_packed_refs_%d" % os.getpid())
        fd = os.open(path, _CREATE, 0o666)
        try:
            lines = (b"%s %s\n" % (hexlify(oid), name) for name, oid in sorted(refs))
            write_all(fd, _HEADER + b"".join(lines))
            share(fd, config.shared_permissions)
            if config.fsync.reference:
                os.fsync(fd)
            return self._place(path)
        finally:
            os.close(fd)
            remove(path)

    def _place(self, path: bytes) -> bool:
        packed = os.path.join(self._directory, b"packed-refs")
        lock = packed + b".lock"
        os.close(os.open(lock, _CREATE, 0o666))
        try:
            if os.path.lexists(packed) or not self._is_empty():
                return False
            os.rename(path, packed)
            if self._is_empty():
                return True
            os.unlink(packed)
            return False
        finally:
            remove(lock)

    def _is_empty(self) -> bool:
        """Tell whether there is nothing but directories below ``refs``."""

        def refuse(error: OSError) -> None:
            raise error  # what cannot be read may hold anything

        refs = os.path.join(self._directory, b"refs")
        for directory, folders, files in os.walk(refs, onerror=refuse):
            if files or any(os.path.islink(os.path.join(directory, each)) for each in folders):
                return False
        return True
