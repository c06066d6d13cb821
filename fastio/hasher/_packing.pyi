from typing_extensions import Buffer

from fastio.objects.kinds import Oid
from fastio.store.entries import EntryWriter
from fastio.store.objmap import ObjectMap

def add_blobs(
    entries: EntryWriter,
    packed: ObjectMap,
    pack: int,
    oids: list[Oid],
    sizes: bytes,
    payloads: Buffer,
) -> None: ...
