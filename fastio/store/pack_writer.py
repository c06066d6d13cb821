"""The pack being written: a temporary file until it is complete, then pack and idx in place.

Order of writes, and what a crash leaves at each step:

1. ``tmp_pack_XXXXXX`` is created in ``objects/pack`` and grows. A crash leaves that file; git
   takes no notice of it and ``git gc`` removes it in time.
2. `seal`: the header's object count is set, the trailer appended. Still a temporary file.
3. `finish`: ``tmp_idx_XXXXXX`` is written beside; both are synced where asked. A crash leaves
   two temporary files.
4. ``pack-<trailer>.keep`` if asked, before anything else has its name, so that no repack running
   at the same time can take the pack away while only the importer knows of its objects.
5. The pack gets its name. A crash leaves a pack without idx, which git does not use.
6. The idx gets its name, and from here on the objects exist.

Names are made by hard link, which never replaces: a pack of that name has the same content, so the
one that is there stays, as git does it.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, Protocol

from fastio.errors import PackError
from fastio.store._entries import EntryWriter
from fastio.store.idx import SortedIds, index_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fastio.objects.kinds import ObjectFormat
    from fastio.store.objmap import ObjectMap

__all__ = ["EntryWriter", "FinishedPack", "PackWriter"]

KEEP_REASON = b"fast-import"
PIECE = 1 << 20  # bytes a step where whole files are copied
HASH_PIECE = 1 << 24


class Readable(Protocol):
    """A file to copy a payload from."""

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, none at the end."""


@dataclass(frozen=True, slots=True)
class FinishedPack:
    """A pack that is in its place.

    Attributes:
        name: The trailer in hex, as in ``pack-<name>.pack``.
        pack_path: Where the pack is.
        idx_path: Where its idx is.
        keep_path: Its keep file, if `PackWriter.finish` made one; None if it was there before.
        count: Objects in it.
        size: Bytes of the pack, header and trailer included.
    """

    name: bytes
    pack_path: bytes
    idx_path: bytes
    keep_path: bytes | None
    count: int
    size: int


class PackWriter:
    """One pack, from its first entry to its idx.

    `entries` takes entries from compiled code; the methods here are for everything else.

    Args:
        directory: ``objects/pack``; created if it is missing.
        object_format: Hash algorithm of the repository.
        fsync: Whether core.fsync names packs.
        fsync_idx: Whether core.fsync names pack metadata; as *fsync* if None.
        sync: What makes a descriptor's bytes durable (core.fsyncMethod).

    Raises:
        PackError: From every method: the file system refuses, the message names the path.
    """

    def __init__(
        self,
        directory: bytes | str,
        object_format: ObjectFormat,
        *,
        fsync: bool = True,
        fsync_idx: bool | None = None,
        sync: Callable[[int], None] = os.fsync,
    ) -> None:
        self.directory = os.fsencode(directory)
        self.object_format = object_format
        self.trailer: bytes | None = None
        self._sync = sync
        self._fsync = fsync
        self._fsync_idx = fsync if fsync_idx is None else fsync_idx
        self.path, fd = _create_temporary(self.directory, b"tmp_pack_")
        self.entries = EntryWriter(fd, self.path)
        self._open = True

    @property
    def offset(self) -> int:
        """Where the next entry starts: the size of the pack so far."""
        return self.entries.offset

    @property
    def count(self) -> int:
        """Entries appended so far."""
        return self.entries.count

    @property
    def last_crc(self) -> int:
        """The crc32 of the last entry, its header included."""
        return self.entries.last_crc

    def read_at(self, offset: int, length: int) -> bytes:
        """Read from the unfinished pack; what is still in the buffer counts as written.

        Returns:
            *length* bytes, fewer at the end of the pack.
        """
        with self._errors():
            return self.entries.read_at(offset, length)

    def append(
        self,
        kind: int,
        inflated_size: int,
        payload: bytes | bytearray | memoryview,
        base_offset: int = -1,
    ) -> int:
        """Append an entry whose packed payload is at hand.

        Args:
            kind: The object's type, also for a delta.
            inflated_size: Size of the inflated payload: the object's, or the delta's.
            payload: The deflated object or delta.
            base_offset: The delta base's offset in this pack; -1 for a full object.

        Returns:
            The entry's offset.
        """
        return self.entries.append(kind, inflated_size, payload, base_offset)

    def append_stream(
        self, kind: int, size: int, pieces: Iterable[bytes | bytearray | memoryview]
    ) -> int:
        """Append a full object of *size* inflated bytes whose packed payload comes in pieces.

        What *pieces* raises comes through, and leaves the pack as if nothing had been appended.

        Returns:
            The entry's offset.
        """
        self.entries.begin(kind, size)
        try:
            for piece in pieces:
                self.entries.extend(piece)
        except BaseException:
            self.drop_last()
            raise
        return self.entries.end()

    def append_file(
        self, kind: int, inflated_size: int, file: Readable, packed_size: int
    ) -> int:
        """Append a full object whose payload is the next *packed_size* bytes of *file*.

        Returns:
            The entry's offset.
        """
        return self.append_stream(kind, inflated_size, self._pieces(file, packed_size))

    def drop_last(self) -> None:
        """Take the last entry back, for instance a large blob that proved to be a duplicate."""
        with self._errors():
            self.entries.undo()

    def seal(self) -> bytes:
        """Complete the pack file at `path`: its count, its trailer. Nothing can follow.

        Returns:
            The trailer, which names the pack.
        """
        if self.trailer is None:
            with self._errors():
                self.entries.flush()
                os.pwrite(self.entries.fd, self.count.to_bytes(4, "big"), 8)
                self.trailer = self._checksum()
                _write_all(self.entries.fd, self.trailer)
        return self.trailer

    def finish(
        self,
        object_map: ObjectMap,
        pack_number: int,
        first_id: int = 0,
        *,
        index_version: int = 2,
        keep: bool = False,
    ) -> FinishedPack | None:
        """Complete the pack and put it and its idx in place.

        Args:
            object_map: Knows every entry of the pack, under *pack_number*.
            pack_number: This pack's number in *object_map*.
            first_id: An id that no object of this pack is below.
            index_version: Version of the idx, 1 or 2.
            keep: Whether to write a keep file.

        Returns:
            The pack; None if it had no entries, in which case no file is left.
        """
        if self.count == 0:
            self.abort()
            return None
        idx_path = b""
        try:
            trailer = self.seal()
            ids = SortedIds(object_map, pack_number, first_id)
            if len(ids) != self.count:
                raise PackError(f"the map has {len(ids)} of the {self.count} objects in the pack")
            pieces = index_pieces(ids, trailer, self.object_format, version=index_version)
            idx_path = self._write_idx(pieces)
            with self._errors():
                os.fchmod(self.entries.fd, 0o444)
                if self._fsync:
                    self._sync(self.entries.fd)
                return self._place(trailer, idx_path, keep=keep)
        finally:
            for path in (idx_path, self.path):
                _remove(path)
            self._close()

    def abort(self) -> None:
        """Remove what has been written. Does nothing after `finish` or another `abort`."""
        if self._open:
            _remove(self.path)
            self._close()

    def _place(self, trailer: bytes, idx_path: bytes, *, keep: bool) -> FinishedPack:
        name = trailer.hex().encode()
        stem = os.path.join(self.directory, b"pack-" + name)
        keep_path = stem + b".keep" if keep and _write_keep(stem + b".keep") else None
        try:
            _give_name(self.path, stem + b".pack")
            _give_name(idx_path, stem + b".idx")
        except BaseException:
            if keep_path:
                _remove(keep_path)
            raise
        size = self.offset + len(trailer)
        return FinishedPack(name, stem + b".pack", stem + b".idx", keep_path, self.count, size)

    def _write_idx(self, pieces: Iterable[bytes]) -> bytes:
        path, fd = _create_temporary(self.directory, b"tmp_idx_")
        try:
            for piece in pieces:
                _write_all(fd, piece)
            os.fchmod(fd, 0o444)
            if self._fsync_idx:
                self._sync(fd)
        except BaseException as error:
            _remove(path)
            if isinstance(error, OSError):
                _refuse(path, error)
            raise
        finally:
            os.close(fd)
        return path

    def _checksum(self) -> bytes:
        checksum = self.object_format.new()
        with (
            mmap.mmap(self.entries.fd, self.offset, access=mmap.ACCESS_READ) as content,
            memoryview(content) as view,
        ):
            # In steps, because a signal is only noticed between two of them.
            for start in range(0, self.offset, HASH_PIECE):
                checksum.update(view[start : start + HASH_PIECE])
        return checksum.digest()

    def _pieces(self, file: Readable, size: int) -> Iterable[bytes]:
        while size:
            piece = file.read(min(size, PIECE))
            if not piece:
                raise PackError(f"{os.fsdecode(self.path)}: payload ends {size} bytes early")
            size -= len(piece)
            yield piece

    def _errors(self) -> contextlib.AbstractContextManager[None]:
        return _named_errors(self.path)

    def _close(self) -> None:
        if self._open:
            self._open = False
            os.close(self.entries.fd)


@contextlib.contextmanager
def _named_errors(path: bytes):  # type: ignore[no-untyped-def]
    try:
        yield
    except OSError as error:
        _refuse(path, error)


def _refuse(path: bytes, error: OSError) -> NoReturn:
    raise PackError(f"cannot write {os.fsdecode(path)}: {error.strerror}") from error


def _create_temporary(directory: bytes, prefix: bytes) -> tuple[bytes, int]:
    """Create a file of its own name; like git's, so that ``git gc`` knows it if it is left."""
    while True:
        path = os.path.join(directory, prefix + os.urandom(3).hex().encode())
        try:
            return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue
        except FileNotFoundError as error:
            try:
                os.makedirs(directory)
            except OSError:
                _refuse(path, error)
        except OSError as error:
            _refuse(path, error)


def _give_name(path: bytes, name: bytes) -> None:
    try:
        os.link(path, name)
    except FileExistsError:
        pass  # same name, same content
    except OSError:  # a file system without hard links
        os.rename(path, name)


def _write_keep(path: bytes) -> bool:
    """Write a keep file; False if there is one, which is then somebody else's to remove."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    try:
        _write_all(fd, KEEP_REASON)
    finally:
        os.close(fd)
    return True


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _remove(path: bytes) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
