"""A finished pack, mapped into memory, with its idx.

The mapping is made at the first read: a pack that is only asked which objects it has stays
closed. What the trailer says is not verified, which would mean to read the whole pack; it is
compared with the idx, so that the two belong together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable

from fastio.errors import PackError
from fastio.objects.kinds import ObjectFormat, Oid
from fastio.store._mapping import map_file
from fastio.store.entry_reader import (
    HEADER_SIZE,
    MAX_HEADER,
    EntryHeader,
    entry_header,
    read_chain,
    read_info,
    walk_chain,
)
from fastio.store.idx import PackIndex
from fastio.store.large_deltas import large_delta
from fastio.store.large_objects import Opened, large_entry
from fastio.store.object_cache import ObjectCache

__all__ = ["EntryHeader", "PackFile", "entry_header", "read_chain"]


class PackFile:
    """A pack that can be read by offset or oid."""

    def __init__(
        self,
        path: bytes,
        index: PackIndex,
        object_format: ObjectFormat,
        *,
        cache: ObjectCache | None = None,
    ) -> None:
        """Name a pack; the file is opened when first read.

        Args:
            path: The ``.pack`` file.
            index: Its idx, which this object closes with itself.
            object_format: The repository's.
            cache: For delta bases, shared with other packs; None for one of its own.
        """
        self.path, self.index, self.object_format = path, index, object_format
        self._cache = ObjectCache() if cache is None else cache
        self._content: memoryview | None = None
        self._problem: PackError | None = None
        self._end = 0

    def __len__(self) -> int:
        return len(self.index)

    @property
    def is_open(self) -> bool:
        """Whether the pack is mapped."""
        return self._content is not None

    @property
    def content(self) -> memoryview | None:
        """The whole file, if the pack is mapped."""
        return self._content

    def find(self, oid: bytes) -> int:
        """Offset of an object, -1 when it is not in this pack."""
        return self.index.find(oid)

    def header(self, offset: int) -> EntryHeader:
        """Read the header of the entry that begins at *offset*.

        Raises:
            PackError: The pack is damaged or cannot be read.
        """
        try:
            head = self.read_at(offset, MAX_HEADER)
            return entry_header(head, offset, self.object_format.oid_size)
        except PackError as error:
            raise self._named(error) from error

    def read(self, offset: int) -> tuple[int, bytes]:
        """Read the object whose entry begins at *offset*, as (type, content).

        Raises:
            PackError: The pack is damaged or cannot be read.
        """
        try:
            return read_chain(
                self,
                offset,
                self.object_format,
                resolve_ref_delta=self._find_base,
                cache=self._cache,
            )
        except PackError as error:
            raise self._named(error) from error

    def read_on_copies(
        self, offset: int, read_copy: Callable[[Oid], tuple[int, bytes] | None]
    ) -> tuple[int, bytes]:
        """Read a delta as `read` does, on the first of its bases that has a copy elsewhere.

        Args:
            offset: Where the entry begins.
            read_copy: Reads an object elsewhere; None if it cannot.

        Raises:
            PackError: There is no such copy, or what lies above it is damaged as well.
        """
        deltas, base = walk_chain(self, offset, self.object_format, self._find_base, None)
        bases = {header.offset for header in (*deltas, base) if isinstance(header, EntryHeader)}
        bases.discard(offset)
        oids = {place: Oid(oid) for oid, place in self.index.items() if place in bases}

        class Elsewhere(ObjectCache):
            def get(self, key: Hashable) -> tuple[int, bytes] | None:
                assert isinstance(key, tuple)
                return read_copy(oids[key[1]]) if key[1] in oids else None

        return read_chain(
            self,
            offset,
            self.object_format,
            resolve_ref_delta=self._find_base,
            cache=Elsewhere(0),
        )

    def open(self, offset: int, *, above: int) -> Opened:
        """Read the object whose entry begins at *offset*, or open it if larger than *above*.

        Raises:
            PackError: The pack is damaged or cannot be read.
        """
        try:
            large = large_entry(self, offset, self.object_format, above=above, path=self.path)
            large = large or large_delta(
                self,
                offset,
                self.object_format,
                above=above,
                path=self.path,
                resolve_ref_delta=self._find_base,
            )
        except PackError as error:
            raise self._named(error) from error
        return large or self.read(offset)

    def info(self, offset: int) -> tuple[int, int]:
        """Tell type and size of the object whose entry begins at *offset*."""
        try:
            return read_info(self, offset, self.object_format, resolve_ref_delta=self._find_base)
        except PackError as error:
            raise self._named(error) from error

    def read_at(self, offset: int, length: int) -> bytes:
        """Bytes of the file; fewer than *length* only before the trailer, where entries end."""
        content = self._open() if self._content is None else self._content
        if not HEADER_SIZE <= offset <= self._end:
            raise PackError(f"offset {offset} is outside of the pack")
        return bytes(content[offset : min(offset + length, self._end)])

    def close(self) -> None:
        """Give back the mappings; the idx is closed too."""
        if self._content is not None:
            self._content.release()
        self._content = None
        self.index.close()

    def is_usable(self) -> bool:
        """Whether the pack is there and belongs to its idx, as far as its ends tell."""
        if self._content is None and self._problem is None:
            try:
                self._open()
            except PackError as error:
                self._problem = error
        return self._problem is None

    def _open(self) -> memoryview:
        try:
            with open(self.path, "rb") as file:
                content = map_file(file.fileno())
        except (OSError, ValueError, MemoryError) as error:  # ValueError: an empty file
            raise PackError(f"cannot be opened: {error}") from error
        self._end = len(content) - self.object_format.oid_size
        problem = self._find_problem(content)
        if problem:
            content.release()
            raise PackError(problem)
        self._content = content
        return content

    def _find_problem(self, content: memoryview) -> str | None:
        version, count = (int.from_bytes(content[at : at + 4]) for at in (4, 8))
        if bytes(content[:4]) != b"PACK" or self._end < HEADER_SIZE:
            return "not a pack"
        if version not in (2, 3):
            return f"version {version} is unknown"
        if count != len(self.index) or bytes(content[self._end :]) != self.index.pack_trailer:
            return "the idx belongs to another pack"
        return None

    def _find_base(self, oid: Oid) -> int:
        offset = self.index.find(oid)
        if offset < 0:
            raise PackError(f"delta base {oid.hex()} is missing from the pack")
        return offset

    def _named(self, error: PackError) -> PackError:
        return type(error)(f"{os.fsdecode(self.path)}: {error}")
