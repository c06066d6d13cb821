"""Many refs at once: one new ``packed-refs``, not a file for each of them.

git's own clone begins like that. Here others may be at work in the repository, so it goes by git's
rules of locking, and only for refs that are no files yet, nor about to become some:

1. ``packed-refs.lock`` is ours: no packed ref goes away, and none comes.
2. Neither a ref nor a lock of its name, or of a directory above it, is among the files: nobody is
   about to change it. It is packed with the value that it must have, or not at all. One of which
   this is not true is left to git.
3. Reflogs get their lines: before the ref moves, as git does it.
4. The new file, complete under a temporary name, gets its name: from here on all refs are moved.
5. Again there is no such file. Whoever changes a ref holds a lock there while he looks what it is:
   one who looked before step 4 is seen now, by his lock or his ref. Then all is put back as it was,
   and git moves our refs one by one. Who looks later sees what we have made.
6. Reflogs of deleted refs go, then the lock.

A crash leaves the temporary file, which nobody minds, or, as with git, the lock. Hooks are git's
business: where there may be any, all refs are. So are those that some HEAD names, as that has a
reflog of its own.

Source: gitrepository-layout(5), git-pack-refs(1).
"""

from __future__ import annotations

import os
from binascii import hexlify
from typing import TYPE_CHECKING, Final, TypeAlias

from fastio.store.new_files import remove, share, write_all
from fastio.store.ref_space import directories
from fastio.store.reflogs import Reflogs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastio.objects.kinds import Oid
    from fastio.store.ref_space import RefSpace
    from fastio.store.repository import Repository

Move: TypeAlias = "tuple[bytes, Oid | None, Oid | None]"
"""A ref's name, what it must hold and what it is to hold; None for a ref that does not exist."""

FEWEST: Final = 500  # fewer refs become a file each, as with git
# A line that is copied costs us half a microsecond, a ref as a file costs git thirty and more.
_MOST_BYTES_EACH: Final = 4096
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_HEADER: Final = b"# pack-refs with: peeled fully-peeled sorted \n"
# Each work tree has its own.
_PRIVATE: Final = (b"refs/bisect/", b"refs/rewritten/", b"refs/worktree/")


class PackedRefs:
    """Moves refs of a repository where they are packed, or are to be.

    Args:
        repository: The repository.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository, self._directory = repository, repository.common_dir
        self._path = os.path.join(self._directory, b"packed-refs")
        self._digits = 2 * repository.object_format.oid_size

    def move(self, moves: Sequence[Move], known: RefSpace) -> set[bytes]:
        """Move refs, of which none stands in another's way.

        Args:
            moves: Names, of the form that git wants, no symbolic refs. What they are to hold are
                commits: what an annotated tag stands for would have to be told as well. A ref that
                is to go may hold anything.
            known: The names of the refs that there were when it was found out that all have room.

        Returns:
            The names of those that were moved; nothing has happened to others.
        """
        if len(moves) < FEWEST or not self._may_pack():
            return set()
        try:
            return self._move(moves, known)
        except OSError:
            return set()  # git will say what is wrong

    def _may_pack(self) -> bool:
        """Tell whether refs are files, of whose changes no hook wants to hear."""
        repository = self._repository
        return (
            repository.ref_format == "files"
            and not repository.config.has_hooks
            and not os.path.lexists(os.path.join(self._directory, b"hooks/reference-transaction"))
            and not {"GIT_QUARANTINE_PATH", "GIT_REFERENCE_BACKEND"}
            & repository.git.environment.keys()
        )

    def _move(self, moves: Sequence[Move], known: RefSpace) -> set[bytes]:
        moves = [
            move
            for move in moves
            if move[0].startswith(b"refs/") and not move[0].startswith(_PRIVATE)
        ]
        lock = self._path + b".lock"
        os.close(os.open(lock, _CREATE, 0o666))
        try:
            return self._move_locked(moves, known)
        finally:
            remove(lock)

    def _heads(self) -> set[bytes]:
        """Names of the branches that a work tree is on."""
        trees = os.path.join(self._directory, b"worktrees")
        homes = [os.path.join(trees, name) for name in _names_in(trees)]
        return {_target(os.path.join(home, b"HEAD")) for home in (self._directory, *homes)}

    def _move_locked(self, moves: Sequence[Move], known: RefSpace) -> set[bytes]:
        before = self._read()
        if len(before) > len(moves) * _MOST_BYTES_EACH:
            return set()
        packed = read_packed(before, self._digits)
        if packed is None:
            return set()
        moves = self._select(moves, packed, known)
        if not moves:
            return set()
        for name, _, new in moves:
            if new is None:
                del packed[name]
            else:
                packed[name] = b"%s %s\n" % (hexlify(new), name)
        logs = Reflogs(self._repository)
        logs.add(moves)
        try:
            self._replace(_HEADER + b"".join(map(packed.__getitem__, sorted(packed))))
        except OSError:
            logs.undo()
            raise
        files = _Files(self._directory)
        if any(files.reach(name) for name, _, _ in moves):
            self._replace(before)
            logs.undo()
            return set()
        logs.remove(name for name, _, new in moves if new is None)
        return {name for name, _, _ in moves}

    def _select(
        self, moves: Sequence[Move], packed: Mapping[bytes, bytes], known: RefSpace
    ) -> list[Move]:
        """Return the moves that can be made, if they are many."""
        files, heads = _Files(self._directory), self._heads()
        asked = {name for name, _, _ in moves}
        possible = [
            (name, old, new)
            for name, old, new in moves
            if name not in heads
            and not files.reach(name)
            and packed.get(name, b"")[: self._digits] == hexlify(old or b"")
        ]
        moved = {name for name, _, _ in possible}
        stays = packed.keys() - moved
        if len(moved) < FEWEST or any(name not in known and name not in asked for name in stays):
            return []
        return [] if _is_crowded(moved, stays & asked) else possible

    def _read(self) -> bytes:
        try:
            with open(self._path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""

    def _replace(self, content: bytes) -> None:
        """Let ``packed-refs`` have other content, or be gone if that is empty."""
        if not content:
            os.unlink(self._path)
            return
        config = self._repository.config
        path = os.path.join(self._directory, b"tmp_packed_refs_%d" % os.getpid())
        fd = os.open(path, _CREATE, 0o666)
        try:
            write_all(fd, content)
            share(fd, config.shared_permissions)
            if config.fsync.reference:
                os.fsync(fd)
            os.rename(path, self._path)
        finally:
            os.close(fd)
            remove(path)


def _is_crowded(moved: set[bytes], left: set[bytes]) -> bool:
    """Tell whether a ref would stand in another's way until git has dealt with those *left*."""
    return bool(left) and (
        any(above in moved for name in left for above in directories(name))
        or any(above in left for name in moved for above in directories(name))
    )


def read_packed(content: bytes, digits: int) -> dict[bytes, bytes] | None:
    """Read ``packed-refs``.

    Args:
        content: Of the file, or nothing.
        digits: Length of an oid.

    Returns:
        The lines of each ref by its name; None if they are not written as git writes them today.
    """
    packed: dict[bytes, bytes] = {}
    if not content:
        return packed
    header, *lines = content.splitlines(keepends=True)
    if not (header.startswith(b"# pack-refs with:") and b" fully-peeled " in header):
        return None
    name = b""
    for line in lines:
        if line[:1] == b"^" and name:
            packed[name] += line
            continue
        name = line[digits + 1 : -1]
        if line[digits : digits + 1] != b" " or not line.endswith(b"\n"):
            return None
        packed[name] = line
    return packed


class _Files:
    """What lies below a repository's directory, each directory as it was when first asked for."""

    def __init__(self, top: bytes) -> None:
        self._top = top
        self._names: dict[bytes, set[bytes] | None] = {}

    def reach(self, name: bytes) -> bool:
        """Tell whether a file, or a lock, is of a ref's name, or in its way."""
        directory, _, last = name.rpartition(b"/")
        names = self._listing(directory)
        return names is None or last in names or last + b".lock" in names

    def _listing(self, directory: bytes) -> set[bytes] | None:
        """The names in a directory of refs; None if that is none, or somebody wants it to be."""
        if directory not in self._names:
            self._names[directory] = self._list(directory)
        return self._names[directory]

    def _list(self, directory: bytes) -> set[bytes] | None:
        if directory in directories(directory + b"/"):  # it might be a ref itself
            above, _, last = directory.rpartition(b"/")
            names = self._listing(above)
            if names is None or last + b".lock" in names:
                return None
        try:
            return set(os.listdir(os.path.join(self._top, directory)))
        except FileNotFoundError:
            return set()
        except NotADirectoryError:
            return None


def _names_in(directory: bytes) -> list[bytes]:
    try:
        return os.listdir(directory)
    except FileNotFoundError:
        return []


def _target(head: bytes) -> bytes:
    """Return the ref that a HEAD names, or nothing."""
    try:
        return os.readlink(head)
    except FileNotFoundError:
        return b""
    except OSError:  # no link
        with open(head, "rb") as file:
            text = file.read(4096)
        return text.removeprefix(b"ref:").strip() if text.startswith(b"ref:") else b""
