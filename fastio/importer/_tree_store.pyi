from fastio.importer.object_sink import Counters, ObjectSink
from fastio.objects._path_edits import Trees
from fastio.objects.kinds import Oid
from fastio.store._objmap import ObjectMap

TREE_OVERHEAD: int

class TreeStore(Trees):
    def __init__(
        self, sink: ObjectSink, object_map: ObjectMap, counter: Counters, limit: int
    ) -> None: ...
    def get(self, oid: Oid) -> bytes | None: ...
    def anchor(self, oid: Oid) -> Oid: ...
    def add(self, oid: Oid, tree: bytes, anchor: Oid) -> None: ...
