"""Delta bases by path: the newest version at each path, and an anchor for when chains get long.

Where all blobs come before the commits no path is known; families of blobs that look alike stand
for paths there.

All choices here depend on the stream alone, never on when a worker answers, so the pack's bytes do
not depend on scheduling. Depths are upper bounds: a blob that ends up stored whole, or that turns
out to be a duplicate, only makes the true chain shorter (or is stored whole in the end).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastio.importer._blob_tables cimport Blob, BlobMap
from fastio.importer._blobs cimport BlobQueue
from fastio.importer._families cimport Families
from fastio.importer._path_table cimport PathEntry, PathTable

cdef enum:
    # What a path counts beside its blob's bytes. It takes less; but it decides which paths are
    # forgotten, and so about the pack's bytes.
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
        # A path has its newest blob and an anchor: the last blob that (re)started the chain.
        self.paths = PathTable()
        self.families = Families()
        self.by_mark = BlobMap()

    def assign(self, bytes path not None, Blob blob not None):
        """Submit *blob*, now known to be the next version at *path*."""
        self.c_assign(<Bytes>PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path), blob)

    cdef int c_assign(self, Bytes path, int64_t size, Blob blob) except -1:
        cdef PathEntry *known = self.paths.find(path, size)
        cdef Blob newest, anchor
        if known == NULL:
            self.queue.submit(blob, None)
            return self.remember(path, size, NULL, blob, blob)
        newest, anchor = <Blob>known.newest, <Blob>known.anchor
        if newest.depth < self.depth:
            self.queue.submit(blob, newest)
            return self.remember(path, size, known, blob, anchor if blob.depth else blob)
        self.queue.submit(blob, anchor if anchor.depth < self.depth else None)
        return self.remember(path, size, known, blob, blob)

    def assign_pathless(self, Blob blob not None):
        """Submit *blob*, whose path is unknown: its family stands for it, which is no path."""
        # Begins with NUL, as no path does.
        cdef uint32_t name[2]
        name[0] = 0
        name[1] = self.families.c_join(self.queue.arena.c_at(blob.raw_offset), blob.size)
        self.c_assign(<Bytes>name, sizeof(name), blob)

    def reuse(self, bytes path not None, uint64_t mark):
        """Note that *path* now has the blob of *mark*, which came before."""
        self.c_reuse(<Bytes>PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path), mark)

    cdef int c_reuse(self, Bytes path, int64_t size, uint64_t mark) except -1:
        cdef Blob blob = self.by_mark.get(mark)
        if blob is not None and blob.paths:
            self.remember(path, size, self.paths.find(path, size), blob, blob)
        return 0

    def move(self, bytes source not None, bytes target not None, *, bint keep):
        """Follow a copy or rename of one file."""
        cdef PathEntry *known = self.find(source)
        cdef Bytes path = <Bytes>PyBytes_AS_STRING(target)
        cdef int64_t size = PyBytes_GET_SIZE(target)
        if known == NULL or source == target:
            return
        self.remember(
            path, size, self.find(target), <Blob>known.newest, <Blob>known.anchor
        )
        known = self.find(source)  # it may have had to go for the other
        if not keep and known != NULL:
            self.forget(known)

    cdef PathEntry *find(self, bytes path):
        return self.paths.find(<Bytes>PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path))

    def clear(self):
        """Forget all paths: a new pack cannot use bases of the one before."""
        while self.paths.oldest != NULL:
            self.forget(self.paths.oldest)

    cdef int remember(
        self, Bytes path, int64_t size, PathEntry *known, Blob newest, Blob anchor
    ) except -1:
        """Let *path*, whose entry is *known* if it has one, have these blobs."""
        self.keep(newest)
        self.keep(anchor)
        if known == NULL:
            known = self.paths.add(path, size)
            self.kept_bytes += OVERHEAD
        else:
            self.drop(<Blob>known.newest)
            self.drop(<Blob>known.anchor)
        self.paths.set(known, newest, anchor)
        while self.kept_bytes > self.limit and self.paths.count > 1:
            self.forget(self.paths.oldest)
        return 0

    cdef int forget(self, PathEntry *entry) except -1:
        self.kept_bytes -= OVERHEAD
        self.drop(<Blob>entry.newest)
        self.drop(<Blob>entry.anchor)
        self.paths.remove(entry)
        return 0

    cdef int keep(self, Blob blob) except -1:
        if blob.paths == 0:
            self.kept_bytes += blob.size
            self.queue.pin(blob)
            if blob.mark:
                self.by_mark.set(blob.mark, blob)
        blob.paths += 1
        return 0

    cdef int drop(self, Blob blob) except -1:
        blob.paths -= 1
        if blob.paths == 0:
            self.kept_bytes -= blob.size
            self.by_mark.discard(blob.mark, blob)
            self.queue.unpin(blob)
        return 0
