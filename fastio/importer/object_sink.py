"""Objects on their way into the pack: each is hashed, looked up, and written only when new.

The sink owns what the coordinator alone may change: object map, marks, the open pack, and a cache
of trees. Blobs come through the blob queue, which shares the map and the pack's entry writer.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from fastio.errors import PackError
from fastio.importer._tree_store import Counters, TreeStore
from fastio.objects.kinds import COMMIT, NAMES, TREE, ObjectFormat, Oid
from fastio.store._marks import MarkTable
from fastio.store._objmap import ObjectMap
from fastio.store.entry_reader import read_chain
from fastio.store.large_objects import large_entry
from fastio.store.objmap import ELSEWHERE, PENDING
from fastio.store.pack_writer import FinishedPack, PackWriter
from workers.codec import deflate

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.importer._commit_queue import CommitQueue
    from fastio.store.large_objects import Opened
    from fastio.store.objects import ObjectStore

# What a pack needs beside payloads for its last entry: that one's header, and the trailer.
ENTRY_ROOM = 64


class ObjectSink:
    """Stores objects in the open pack, and reads back what this run or the repository holds.

    Args:
        object_format: The repository's hash algorithm.
        store: What the repository holds already.
        open_pack: Makes a new, empty pack writer.
        depth: Longest delta chain.
        level: Compression level for what is deflated here.
        tree_cache: Bytes of trees to keep in memory.

    Attributes:
        commits: Has commits deflated in batches; without it each is written at once.
    """

    def __init__(
        self,
        object_format: ObjectFormat,
        store: ObjectStore,
        open_pack: Callable[[], PackWriter],
        *,
        depth: int,
        level: int,
        tree_cache: int,
    ) -> None:
        self.object_format, self.store = object_format, store
        self.map = ObjectMap(object_format.oid_size)
        self.marks = MarkTable()
        self.level = level
        self.counters = {kind: Counters() for kind in NAMES}
        self._open_pack = open_pack
        self.commits: CommitQueue | None = None
        self.trees = TreeStore(
            self, self.map, self.counters[TREE], tree_cache, depth=depth, level=level
        )
        # A pack is closed by `turn_pack` before it passes `pack_limit` bytes; 0 means no limit.
        self.pack_limit, self.turn_pack = 0, self.next_pack
        self.pack_number = 0
        self.first_id = 0
        self.pack = open_pack()
        self._begin_pack()

    # --- writing --------------------------------------------------------------------------------

    def store_object(self, kind: int, body: bytes) -> int:
        """Store a commit or tag; returns its entry in the object map."""
        if kind == COMMIT and self.commits is not None:
            return self.commits.store(body)
        return self.store_whole(kind, body)

    def store_whole(self, kind: int, body: bytes) -> int:
        """Store a commit or tag and write it at once; returns its entry in the object map."""
        oid = self.object_format.hash_object(kind, body)
        entry = self.known(oid, kind)
        if entry >= 0:
            return entry
        payload = deflate(body, self.level)
        self.make_room(len(payload))
        return self._append(oid, kind, len(body), payload, -1, 0)

    def write_pending(self, *, here: bool = False) -> None:
        """Write what is stored but not written yet to the pack; *here*: without workers."""
        self.trees.write_all()
        if self.commits is not None:
            self.commits.flush(here=here)

    def make_room(self, packed_size: int) -> None:
        """Go on in a new pack if the open one is too full for an entry of that size."""
        pack = self.pack
        if (
            self.pack_limit
            and pack.count
            and pack.offset + packed_size + ENTRY_ROOM > self.pack_limit
        ):
            self.turn_pack()

    def known(self, oid: Oid, kind: int) -> int:
        """The entry of an object that need not be written, or -1."""
        entry = self.map.find(oid)
        if entry < 0 and self.store.find_packed(oid):
            entry = self.note_elsewhere(oid, kind)
        if entry >= 0:
            self.counters[kind].duplicates += 1
        return entry

    def _append(
        self, oid: Oid, kind: int, size: int, payload: bytes, base_offset: int, depth: int
    ) -> int:
        offset = self.pack.append(kind, size, payload, base_offset)
        return self._enter(oid, kind, offset, depth)

    def append_file(self, oid: Oid, kind: int, size: int, file: IO[bytes], packed_size: int) -> int:
        """Append an object whose packed payload is in *file*; returns its entry."""
        self.make_room(packed_size)
        return self._enter(oid, kind, self.pack.append_file(kind, size, file, packed_size), 0)

    def _enter(self, oid: Oid, kind: int, offset: int, depth: int) -> int:
        """Enter the object that was written last; returns its entry."""
        self.counters[kind].stored += 1
        crc = self.pack.last_crc
        return self.map.insert(
            oid, pack=self.pack_number, offset=offset, kind=kind, depth=depth, crc=crc
        )

    def note_elsewhere(self, oid: Oid, kind: int) -> int:
        """Enter an object that the repository holds already; returns its entry."""
        entry = self.map.find(oid)
        if entry >= 0:
            return entry
        return self.map.insert(oid, pack=ELSEWHERE, offset=0, kind=kind, depth=0, crc=0)

    # --- reading --------------------------------------------------------------------------------

    def read(self, oid: Oid) -> tuple[int, bytes]:
        """Return type and content of an object of this run or of the repository.

        Raises:
            ObjectError: Neither has it.
        """
        pending = self._pending(oid)
        if pending is not None:
            return pending
        offset = self._offset(oid)
        return self.store.read(oid) if offset < 0 else self._read_own(offset)

    def open(self, oid: Oid, *, above: int) -> Opened | None:
        """Read an object, or open it if it is larger than *above*; None when it is missing."""
        pending = self._pending(oid)
        if pending is not None:
            return pending
        offset = self._offset(oid)
        if offset < 0:
            return self.store.open(oid, above=above)
        large = large_entry(self.pack, offset, self.object_format, above=above)
        return large or self._read_own(offset)

    def _pending(self, oid: Oid) -> tuple[int, bytes] | None:
        """Return type and content of an object that has no place in the pack yet."""
        entry = self.map.find(oid)
        if entry < 0 or self.map.pack(entry) != PENDING:
            return None
        if self.map.kind(entry) == TREE:
            return TREE, self.trees.queued(entry)
        assert self.commits is not None
        return COMMIT, self.commits.content(entry)

    def _offset(self, oid: Oid) -> int:
        """Where in the open pack an object begins; -1 if it is not there."""
        entry = self.map.find(oid)
        if entry < 0 or self.map.pack(entry) != self.pack_number:
            return -1
        return self.map.offset(entry)

    def _read_own(self, offset: int) -> tuple[int, bytes]:
        return read_chain(self.pack, offset, self.object_format, cache=self.store.cache)

    def is_kept(self, entry: int) -> bool:
        """Tell whether an object would be there without the open pack and what is pending."""
        return self.map.pack(entry) not in (self.pack_number, PENDING)

    def kind_of(self, oid: Oid) -> int | None:
        """Return an object's type, or None when there is no such object."""
        return self.kind_in_map(oid) or self.store.kind(oid)

    def kind_in_map(self, oid: Oid) -> int | None:
        """Return an object's type, or None when this run has not met it."""
        entry = self.map.find(oid)
        return None if entry < 0 else self.map.kind(entry)

    # --- packs ----------------------------------------------------------------------------------

    def finish_pack(self, *, index_version: int, keep: bool) -> FinishedPack | None:
        """Close the open pack; None if nothing was in it. :meth:`next_pack` must follow."""
        return self.pack.finish(
            self.map, self.pack_number, self.first_id, index_version=index_version, keep=keep
        )

    def forget_places(self) -> None:
        """Note that the open pack's objects lie in the repository one by one instead."""
        for entry in self.map.ids_of_pack(self.pack_number, self.first_id):
            kind = self.map.kind(entry)
            self.map.set_place(entry, pack=ELSEWHERE, offset=0, kind=kind, depth=0, crc=0)

    def next_pack(self) -> None:
        """Open a new pack; what came before is the repository's now."""
        self.pack = self._open_pack()
        self.store.reload()
        self.pack_number += 1
        if self.pack_number == PENDING:
            raise PackError(f"more than {PENDING} packs in one import")
        self.first_id = len(self.map) if self.commits is None else self.commits.lowest_entry()
        self._begin_pack()

    def _begin_pack(self) -> None:
        self.trees.set_pack(self.pack.entries, self.pack_number)
