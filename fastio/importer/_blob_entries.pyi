from collections.abc import Callable

from fastio.importer.encoder import Encoder
from fastio.store._entries import EntryWriter
from fastio.store._objmap import ObjectMap
from fastio.store._pack_search import PackSearch
from workers._arena import Arena

class BlobEntries:
    stored: int
    duplicates: int
    deltas: int
    redone: int
    def __init__(
        self,
        arena: Arena,
        object_map: ObjectMap,
        search: PackSearch | None,
        encoder: Encoder,
        *,
        depth_limit: int,
    ) -> None: ...
    def continue_in(self, writer: EntryWriter, pack_number: int) -> None: ...
    def limit_packs(self, pack_limit: int, turn_pack: Callable[[], None]) -> None: ...
