"""Delta bases by path: the last few versions at each path, and an anchor for when chains get long.

A stream tells commits of several branches in turn, so the version before may be that of another
branch. The sizes tell which one is nearest: an edit of a line or two changes a file's size by a few
bytes. The anchor is the last version that (re)started the chain. On git.git's history (161,216
blobs; MiB of the pack that are blobs):

    ================================================= ======
    only the newest, and a reused blob as its anchor   90.8
    only the newest                                    78.3
    of the last 4, the one nearest in size             61.5
    **the same, if it is three times as near**         60.5
    the one with the longest common start and end      59.1
    the one whose delta turns out smallest             56.5
    ================================================= ======

When memory is short, the paths that were not used for longest are left with their newest version
only. When that is so of all, up to half of the room is for versions packed by LZ4, to two fifths in
source code; when that is used up, the paths that were not used for longest are forgotten. (A 20
MiB share for bases, same history, before there were packed ones: 143 MiB; with a part of it set
aside for earlier versions, 155 and more.)

Where all blobs come before the commits no path is known; families of blobs that look alike stand
for paths there.

All choices here depend on the stream alone, never on when a worker answers, so the pack's bytes do
not depend on scheduling. Depths are upper bounds: a blob that ends up stored whole, or that turns
out to be a duplicate, only makes the true chain shorter (or is stored whole in the end).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport llabs

from fastio.importer._blob_tables cimport Blob, BlobMap
from fastio.importer._blobs cimport BlobQueue
from fastio.importer._families cimport Families
from fastio.importer._path_table cimport VERSIONS, PathEntry, PathTable

cdef enum:
    # What a path counts beside its blob's bytes. It takes less; but it decides which paths are
    # forgotten, and so about the pack's bytes.
    OVERHEAD = 400
    # An earlier version is the base when its size is so many times nearer, less some bytes.
    NEARER = 3
    NEARER_BYTES = 16

PATH_OVERHEAD = OVERHEAD


cdef class DeltaBases:
    """Chooses a delta base for each blob and decides how long blobs stay in the arena.

    Args:
        queue: The queue that owns the blobs.
        limit: Bytes of blobs to keep; past it the paths unused for longest lose theirs.
        depth: Longest delta chain.

    Attributes:
        kept_bytes: What is kept takes so many, but for what is packed.
        packed_bytes: What is packed takes so many.
    """

    def __init__(self, BlobQueue queue not None, *, int64_t limit, int depth):
        self.queue, self.limit, self.depth = queue, limit, depth
        self.paths = PathTable()
        self.families = Families()
        self.by_mark = BlobMap()

    def assign(self, bytes path not None, Blob blob not None):
        """Submit *blob*, now known to be the next version at *path*."""
        self.c_assign(<Bytes>PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path), blob)

    cdef int c_assign(self, Bytes path, int64_t size, Blob blob) except -1:
        cdef PathEntry *known = self.paths.find(path, size)
        cdef Blob anchor
        if known == NULL:
            self.queue.submit(blob, None)
            return self.remember(path, size, NULL, blob, blob)
        self.unpack(<Blob>known.versions[0])
        anchor = <Blob>known.anchor
        if (<Blob>known.versions[0]).depth < self.depth:
            self.queue.submit(blob, self.choose(known, blob.size))
            return self.remember(path, size, known, blob, anchor if blob.depth else blob)
        self.queue.submit(blob, anchor if anchor.depth < self.depth else None)
        return self.remember(path, size, known, blob, blob)

    cdef Blob choose(self, PathEntry *known, int64_t size):
        """Return the version that is nearest in size; in doubt the newest, which can be a base."""
        cdef Blob newest = <Blob>known.versions[0], best = newest, version
        cdef int64_t least = 0, distance, of_newest = llabs(newest.size - size)
        cdef PyObject *other
        for other in known.versions[1:VERSIONS]:
            if other == NULL:
                break
            version = <Blob>other
            distance = llabs(version.size - size)
            if version.depth < self.depth and (best is newest or distance < least):
                least, best = distance, version
        return best if NEARER * least + NEARER_BYTES < of_newest else newest

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
        cdef PathEntry *known
        if blob is not None and blob.paths:
            known = self.paths.find(path, size)
            self.remember(path, size, known, blob, blob if known == NULL else <Blob>known.anchor)
        return 0

    def move(self, bytes source not None, bytes target not None, *, bint keep):
        """Follow a copy or rename of one file."""
        cdef PathEntry *known = self.find(source)
        cdef PathEntry *entry = self.find(target)
        cdef int i
        if known == NULL or source == target:
            return
        if entry == NULL:
            entry = self.add(<Bytes>PyBytes_AS_STRING(target), PyBytes_GET_SIZE(target))
        for i in range(VERSIONS - 1, -1, -1):
            if known.versions[i] != NULL:
                self.add_version(entry, <Blob>known.versions[i])
        self.set_anchor(entry, <Blob>known.anchor)
        self.paths.touch(entry)
        if not keep:
            self.forget(known)
        self.fit()

    cdef PathEntry *find(self, bytes path):
        return self.paths.find(<Bytes>PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path))

    def clear(self):
        """Forget all paths: a new pack cannot use bases of the one before."""
        while self.paths.oldest != NULL:
            self.forget(self.paths.oldest)

    cdef PathEntry *add(self, Bytes path, int64_t size) except NULL:
        self.kept_bytes += OVERHEAD
        return self.paths.add(path, size)

    cdef int remember(
        self, Bytes path, int64_t size, PathEntry *known, Blob newest, Blob anchor
    ) except -1:
        """Let *path*, whose entry is *known* if it has one, have these blobs."""
        if known == NULL:
            known = self.add(path, size)
        self.add_version(known, newest)
        self.set_anchor(known, anchor)
        self.paths.touch(known)
        return self.fit()

    cdef int add_version(self, PathEntry *entry, Blob newest) except -1:
        """Put *newest* before the path's versions; the last one goes when there are too many."""
        cdef PyObject *moved = self.keep(newest)
        cdef int i
        for i in range(VERSIONS):
            entry.versions[i], moved = moved, entry.versions[i]
            if moved == NULL:
                return 0
            if moved == <PyObject *>newest:  # it is back, say by a merge
                break
        return self.drop(moved)

    cdef int set_anchor(self, PathEntry *entry, Blob anchor) except -1:
        cdef PyObject *before = entry.anchor
        entry.anchor = self.keep(anchor)
        return 0 if before == NULL else self.drop(before)

    cdef int fit(self) except -1:
        """Keep no more bytes than may be, but for the path used last."""
        cdef PathEntry *entry
        while self.kept_bytes + self.packed_bytes > self.limit:
            entry = self.paths.rich
            if entry != NULL:
                self.strip(entry)
                self.paths.rich = entry.newer
                continue
            entry = self.paths.warm
            # The path used last is wanted at once.
            if entry != NULL and entry.newer != NULL and 2 * self.packed_bytes < self.limit:
                self.pack(entry)
                self.paths.warm = entry.newer
            elif self.paths.count > 1:
                self.forget(self.paths.oldest)
            else:
                break
        return 0

    cdef int pack(self, PathEntry *entry) except -1:
        """Pack the one blob that a stripped path has, unless others have it as well."""
        cdef Blob blob = <Blob>entry.versions[0]
        # Two: as a version, and as the anchor.
        if blob.paths == 2 and not blob.packed_size and self.queue.pack(blob):
            self.kept_bytes -= blob.size
            self.packed_bytes += blob.packed_size
        return 0

    cdef int unpack(self, Blob blob) except -1:
        """Let the blob lie there unpacked again, if it was packed."""
        if blob.packed_size:
            self.packed_bytes -= blob.packed_size
            self.kept_bytes += blob.size
            self.queue.unpack(blob)
        return 0

    cdef int strip(self, PathEntry *entry) except -1:
        """Leave a path only its newest version."""
        cdef int i
        self.set_anchor(entry, <Blob>entry.versions[0])
        for i in range(1, VERSIONS):
            if entry.versions[i] != NULL:
                self.drop(entry.versions[i])
                entry.versions[i] = NULL
        return 0

    cdef int forget(self, PathEntry *entry) except -1:
        if entry.anchor != entry.versions[0] or entry.versions[1] != NULL:
            self.strip(entry)
        self.drop(entry.anchor)
        self.drop(entry.versions[0])
        entry.anchor = entry.versions[0] = NULL
        self.kept_bytes -= OVERHEAD
        return self.paths.remove(entry)

    cdef PyObject *keep(self, Blob blob) except NULL:
        """Count one more place of an entry that has the blob; returns what to put there."""
        if blob.paths == 0:
            self.kept_bytes += blob.size
            self.queue.pin(blob)
            if blob.mark:
                self.by_mark.set(blob.mark, blob)
        else:
            self.unpack(blob)
        blob.paths += 1
        Py_INCREF(blob)
        return <PyObject *>blob

    cdef int drop(self, PyObject *place) except -1:
        """Undo one :meth:`keep`."""
        cdef Blob blob = <Blob>place
        Py_DECREF(blob)
        blob.paths -= 1
        if blob.paths == 0:
            self.by_mark.discard(blob.mark, blob)
            if blob.packed_size:
                self.packed_bytes -= blob.packed_size
                self.queue.drop_packed(blob)
            else:
                self.kept_bytes -= blob.size
                self.queue.unpin(blob)
        return 0
