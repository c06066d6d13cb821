"""Contents of blobs for ``cat-blob``, from the nearest place: the arena, memory, or a pack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.errors import StreamError
from fastio.objects.kinds import BLOB, NAMES, Oid
from fastio.store.large_objects import LargeObject

if TYPE_CHECKING:
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.pipeline import Pipeline

# What is larger goes to the frontend piece by piece.
LARGE = 1 << 20


class BlobReader:
    """Finds blobs that a frontend asks for.

    Args:
        sink: Reads what this run or the repository holds.
        pipeline: Has executed everything; its queue has the newest versions in the arena still.
    """

    def __init__(self, sink: ObjectSink, pipeline: Pipeline) -> None:
        self._sink, self._pipeline, self._queue = sink, pipeline, pipeline.queue
        self._map, self._cache = sink.map, sink.store.cache

    def read(self, oid: Oid) -> bytes | LargeObject | None:
        """Return a blob's content, or an open blob where it is large; None when it is missing.

        Raises:
            StreamError: The object is no blob.
            ObjectError: The object is damaged.
        """
        found = self._find(oid)
        if found is None and self._queue.held_count:
            self._queue.submit_held()  # nobody knows their oids yet
            self._pipeline.drain()
            found = self._find(oid)
        return found

    def _find(self, oid: Oid) -> bytes | LargeObject | None:
        entry = self._map.find(oid)
        if entry >= 0:
            content = self._queue.content_of(entry)
            if content is not None:
                return content
        found = self._cache.get(oid)
        if found is None:
            opened = self._sink.open(oid, above=LARGE)
            if opened is None:
                return None
            if isinstance(opened, LargeObject):
                _check(oid, opened.kind)
                return opened
            self._cache.put(oid, *opened)
            found = opened
        kind, content = found
        _check(oid, kind)
        return content


def _check(oid: Oid, kind: int) -> None:
    if kind != BLOB:
        raise StreamError(f"object {oid.hex()} is a {NAMES[kind].decode()} but a blob was expected")
