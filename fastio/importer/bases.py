"""Delta bases by path: the newest version at each path, and an anchor for when chains get long.

All choices here depend on the stream alone, never on when a worker answers, so the pack's bytes do
not depend on scheduling. Depths are upper bounds: a blob that ends up stored whole, or that turns
out to be a duplicate, only makes the true chain shorter (or is stored whole in the end).
"""

from __future__ import annotations

from collections import OrderedDict

from fastio.importer._blobs import Blob, BlobQueue

# What a path's entry costs beside the blob's bytes: key, record, dictionary slot.
PATH_OVERHEAD = 400


class DeltaBases:
    """Chooses a delta base for each blob and decides how long blobs stay in the arena.

    Args:
        queue: The queue that owns the blobs.
        limit: Bytes of blobs to keep; past it the path unused for longest is forgotten.
        depth: Longest delta chain.
    """

    def __init__(self, queue: BlobQueue, *, limit: int, depth: int) -> None:
        self._queue, self._limit, self._depth = queue, limit, depth
        # path -> (newest blob, anchor): the anchor is the last blob that (re)started the chain.
        self._paths: OrderedDict[bytes, tuple[Blob, Blob]] = OrderedDict()
        self._by_mark: dict[int, Blob] = {}
        self.kept_bytes = 0

    def assign(self, path: bytes, blob: Blob) -> None:
        """Submit *blob*, now known to be the next version at *path*."""
        known = self._paths.get(path)
        if known is None:
            self._queue.submit(blob, None)
            self._remember(path, blob, blob)
            return
        newest, anchor = known
        if newest.depth < self._depth:
            self._queue.submit(blob, newest)
            self._remember(path, blob, anchor if blob.depth else blob)
        else:
            self._queue.submit(blob, anchor if anchor.depth < self._depth else None)
            self._remember(path, blob, blob)

    def reuse(self, path: bytes, mark: int) -> None:
        """Note that *path* now has the blob of *mark*, which came before."""
        blob = self._by_mark.get(mark)
        if blob is not None and blob.paths:
            self._remember(path, blob, blob)

    def move(self, source: bytes, target: bytes, *, keep: bool) -> None:
        """Follow a copy or rename of one file."""
        known = self._paths.get(source)
        if known is None or source == target:
            return
        self._remember(target, *known)
        if not keep:
            self._forget(source)

    def clear(self) -> None:
        """Forget all paths: a new pack cannot use bases of the one before."""
        for path in list(self._paths):
            self._forget(path)

    def _remember(self, path: bytes, newest: Blob, anchor: Blob) -> None:
        self._keep(newest)
        self._keep(anchor)
        self._forget(path)
        self._paths[path] = newest, anchor
        self.kept_bytes += PATH_OVERHEAD
        while self.kept_bytes > self._limit and len(self._paths) > 1:
            self._forget(next(iter(self._paths)))

    def _forget(self, path: bytes) -> None:
        known = self._paths.pop(path, None)
        if known is None:
            return
        self.kept_bytes -= PATH_OVERHEAD
        for blob in known:
            self._drop(blob)

    def _keep(self, blob: Blob) -> None:
        if blob.paths == 0:
            self.kept_bytes += blob.size
            self._queue.pin(blob)
            if blob.mark:
                self._by_mark[blob.mark] = blob
        blob.paths += 1

    def _drop(self, blob: Blob) -> None:
        blob.paths -= 1
        if blob.paths == 0:
            self.kept_bytes -= blob.size
            if self._by_mark.get(blob.mark) is blob:
                del self._by_mark[blob.mark]
            self._queue.unpin(blob)
