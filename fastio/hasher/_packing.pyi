from fastio.objects.kinds import Oid
from fastio.store.entries import EntryWriter
from fastio.store.objmap import ObjectMap

def add_blobs(
    entries: EntryWriter, packed: ObjectMap, pack: int, blobs: list[tuple[Oid, int, bytes]]
) -> None: ...
