"""Delta bases by path: the newest version at each path, and an anchor for when chains get long.

All choices here depend on the stream alone, never on when a worker answers, so the pack's bytes do
not depend on scheduling. Depths are upper bounds: a blob that ends up stored whole, or that turns
out to be a duplicate, only makes the true chain shorter (or is stored whole in the end).
"""

from libc.stdint cimport int64_t, uint64_t

from fastio.importer._blobs cimport Blob, BlobQueue

from collections import OrderedDict

cdef enum:
    # What a path's entry costs beside the blob's bytes: key, pair, links, dictionary slot.
    OVERHEAD = 400

PATH_OVERHEAD = OVERHEAD


cdef class DeltaBases:
    """Chooses a delta base for each blob and decides how long blobs stay in the arena.

    Args:
        queue: The queue that owns the blobs.
        limit: Bytes of blobs to keep; past it the path unused for longest is forgotten.
        depth: Longest delta chain.
    """

    def __init__(self, BlobQueue queue not None, *, int64_t limit, int depth):
        self.queue, self.limit, self.depth = queue, limit, depth
        # path -> (newest blob, anchor): the anchor is the last blob that (re)started the chain.
        self.paths = OrderedDict()
        self.by_mark = {}

    cpdef assign(self, bytes path, Blob blob):
        """Submit *blob*, now known to be the next version at *path*."""
        cdef tuple known = self.paths.get(path)
        cdef Blob newest, anchor
        if known is None:
            self.queue.submit(blob, None)
            self.remember(path, blob, blob)
            return
        newest, anchor = known
        if newest.depth < self.depth:
            self.queue.submit(blob, newest)
            self.remember(path, blob, anchor if blob.depth else blob)
        else:
            self.queue.submit(blob, anchor if anchor.depth < self.depth else None)
            self.remember(path, blob, blob)

    cpdef reuse(self, bytes path, uint64_t mark):
        """Note that *path* now has the blob of *mark*, which came before."""
        cdef Blob blob = self.by_mark.get(mark)
        if blob is not None and blob.paths:
            self.remember(path, blob, blob)

    def move(self, bytes source, bytes target, *, bint keep):
        """Follow a copy or rename of one file."""
        cdef tuple known = self.paths.get(source)
        if known is None or source == target:
            return
        self.remember(target, known[0], known[1])
        if not keep:
            self.forget(source)

    def clear(self):
        """Forget all paths: a new pack cannot use bases of the one before."""
        for path in list(self.paths):
            self.forget(path)

    cdef int remember(self, bytes path, Blob newest, Blob anchor) except -1:
        self.keep(newest)
        self.keep(anchor)
        self.forget(path)
        self.paths[path] = (newest, anchor)
        self.kept_bytes += OVERHEAD
        while self.kept_bytes > self.limit and len(self.paths) > 1:
            self.forget(next(iter(self.paths)))
        return 0

    cdef int forget(self, bytes path) except -1:
        cdef tuple known = self.paths.pop(path, None)
        if known is None:
            return 0
        self.kept_bytes -= OVERHEAD
        self.drop(<Blob>known[0])
        self.drop(<Blob>known[1])
        return 0

    cdef int keep(self, Blob blob) except -1:
        if blob.paths == 0:
            self.kept_bytes += blob.size
            self.queue.pin(blob)
            if blob.mark:
                self.by_mark[blob.mark] = blob
        blob.paths += 1
        return 0

    cdef int drop(self, Blob blob) except -1:
        blob.paths -= 1
        if blob.paths == 0:
            self.kept_bytes -= blob.size
            if self.by_mark.get(blob.mark) is blob:
                del self.by_mark[blob.mark]
            self.queue.unpin(blob)
        return 0
