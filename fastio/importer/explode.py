"""A pack of few objects becomes loose ones, as with git (``fastimport.unpackLimit``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastio.errors import PackError
from fastio.objects.kinds import Oid
from fastio.store.large_objects import LargeObject
from fastio.store.loose_writer import LooseWriter

if TYPE_CHECKING:
    from fastio.importer.object_sink import ObjectSink
    from fastio.store.repository import Repository

# Few but large objects stay in a pack: each would have to be held whole.
MAX_EXPLODED: Final = 16 << 20


def explode(sink: ObjectSink, repository: Repository) -> bool:
    """Write the objects of the open pack one by one, each behind what it refers to.

    Those that are there already stay, and are kept from being pruned.

    Returns:
        Whether all are there; if not, the pack is needed.
    """
    if sink.pack.offset > MAX_EXPLODED:
        return False
    writer, objects = LooseWriter(repository), sink.map
    entries = objects.ids_of_pack(sink.pack_number, sink.first_id)
    oids = [Oid(objects.oid(entry)) for entry in sorted(entries, key=objects.offset)]
    try:
        for oid, is_there in zip(oids, sink.store.refresh(oids), strict=True):
            if is_there:
                continue
            opened = sink.open(oid, above=MAX_EXPLODED)
            if opened is None or isinstance(opened, LargeObject):
                return False
            writer.write(oid, *opened)
    except PackError:
        return False
    return True
