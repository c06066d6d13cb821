from fastio.importer.object_sink import ObjectSink
from fastio.objects._path_edits import Trees
from fastio.objects.kinds import Oid
from fastio.store._entries import EntryWriter
from fastio.store._objmap import ObjectMap

MOST_STORED_TREE_DELTA: int

class Counters:
    stored: int
    duplicates: int
    deltas: int

class TreeStore(Trees):
    depth: int
    level: int
    def __init__(
        self,
        sink: ObjectSink,
        object_map: ObjectMap,
        counter: Counters,
        limit: int,
        *,
        depth: int = ...,
        level: int = ...,
    ) -> None: ...
    def set_pack(self, entries: EntryWriter, pack_number: int) -> None: ...
    def get(self, oid: Oid) -> bytes | None: ...
    def anchor(self, oid: Oid) -> Oid: ...
    def add(self, oid: Oid, content: bytes) -> None: ...
    def write_all(self) -> None: ...
    def queued(self, entry: int) -> bytes: ...
    def store(self, content: bytes, base: Oid | None, delta: bytes | None) -> Oid: ...
