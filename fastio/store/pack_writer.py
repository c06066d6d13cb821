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
one that is there stays, as git does it, unless it is damaged so that its size differs.
"""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Protocol

from fastio.errors import PackError
from fastio.records import record
from fastio.store.entries import EntryWriter
from fastio.store.idx import SortedIds, write_index
from fastio.store.new_files import (
    create_temporary,
    give_name,
    refuse,
    remove,
    share,
    write_all,
    write_new,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fastio.objects.kinds import ObjectFormat
    from fastio.store.objmap import ObjectMap

__all__ = ["EntryWriter", "FinishedPack", "PackWriter"]

KEEP_REASON = b"fast-import"
COUNT_AT = 8  # where the header has the number of entries
PIECE = 1 << 20  # bytes a step where whole files are copied
HASH_PIECE = 1 << 24


class Readable(Protocol):
    """A file to copy a payload from."""

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, none at the end."""


@record
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
        permissions: What core.sharedRepository asks for, as `Config.shared_permissions` says.

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
        permissions: int = 0,
    ) -> None:
        self.directory = os.fsencode(directory)
        self.object_format = object_format
        self.trailer: bytes | None = None
        self._sync, self._permissions = sync, permissions
        self._fsync = fsync
        self._fsync_idx = fsync if fsync_idx is None else fsync_idx
        self.path, fd = create_temporary(self.directory, b"tmp_pack_")
        self.entries = EntryWriter(fd, self.path)
        self._open = True

    @property
    def is_open(self) -> bool:
        """Whether it can still be written to, or finished."""
        return self._open

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

    def append_file(self, kind: int, inflated_size: int, file: Readable, packed_size: int) -> int:
        """Append a full object whose payload is the next *packed_size* bytes of *file*.

        Returns:
            The entry's offset.
        """
        return self.append_stream(kind, inflated_size, self._pieces(file, packed_size))

    def drop_last(self) -> None:
        """Take the last entry back, for instance a large blob that proved to be a duplicate."""
        self.entries.undo()

    def seal(self) -> bytes:
        """Complete the pack file at `path`: its count, its trailer. Nothing can follow.

        Returns:
            The trailer, which names the pack.
        """
        if self.trailer is None:
            self.entries.seal()
            if self._fsync:
                self.entries.begin_sync()
            try:
                os.pwrite(self.entries.fd, self.count.to_bytes(4, "big"), COUNT_AT)
                trailer = self._checksum()
                os.lseek(self.entries.fd, self.offset, os.SEEK_SET)  # should this be a second try
                write_all(self.entries.fd, trailer)
            except OSError as error:
                refuse(self.path, error)
            self.trailer = trailer
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
        try:
            trailer = self.seal()
            ids = SortedIds(object_map, pack_number, first_id)
            if len(ids) != self.count:
                raise PackError(f"the map has {len(ids)} of the {self.count} objects in the pack")
            return self._place(trailer, ids, index_version, keep=keep)
        finally:
            self.abort()  # by now only the temporary name is left to remove

    def abort(self) -> None:
        """Remove what has been written. Does nothing after `finish` or another `abort`."""
        if self._open:
            self._open = False
            remove(self.path)
            self.entries.close()

    def _place(
        self, trailer: bytes, ids: SortedIds, index_version: int, *, keep: bool
    ) -> FinishedPack:
        name = trailer.hex().encode()
        stem = os.path.join(self.directory, b"pack-" + name)
        size = self.offset + len(trailer)
        idx_path, fd = create_temporary(self.directory, b"tmp_idx_")
        made: list[bytes] = []
        try:
            write_index(fd, ids, trailer, self.object_format, version=index_version)
            share(self.entries.fd, self._permissions)
            share(fd, self._permissions)
            if self._fsync:
                self._sync(self.entries.fd)
            if self._fsync_idx:
                self._sync(fd)
            if keep and write_new(stem + b".keep", KEEP_REASON):
                made.append(stem + b".keep")
            if give_name(self.path, stem + b".pack"):
                made.append(stem + b".pack")
            give_name(idx_path, stem + b".idx")
        except BaseException as error:
            remove(*made)
            if isinstance(error, OSError):
                refuse(stem, error)
            raise
        finally:
            os.close(fd)
            remove(idx_path)
        kept = stem + b".keep" if stem + b".keep" in made else None
        return FinishedPack(name, stem + b".pack", stem + b".idx", kept, self.count, size)

    def _checksum(self) -> bytes:
        checksum = self.object_format.new()
        fd = self.entries.fd
        # In steps: a signal is only noticed between two of them, and what is mapped counts as ours.
        for start in range(0, self.offset, HASH_PIECE):
            length = min(HASH_PIECE, self.offset - start)
            with (
                mmap.mmap(fd, length, access=mmap.ACCESS_READ, offset=start) as piece,
                memoryview(piece) as view,
            ):
                checksum.update(view)
        return checksum.digest()

    def _pieces(self, file: Readable, size: int) -> Iterator[bytes]:
        while size:
            piece = file.read(min(size, PIECE))
            if not piece:
                raise PackError(f"{os.fsdecode(self.path)}: payload ends {size} bytes early")
            size -= len(piece)
            yield piece
