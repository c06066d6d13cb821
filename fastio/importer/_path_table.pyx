# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Paths and a few blobs for each, in the order of their last use: the table of the delta bases.

Open addressing with linear probing over pointers; the entries are linked with each other. A path
takes 72 bytes and its own, and at most 32 in the table of pointers.
"""

cimport cython
from cpython.ref cimport PyObject, Py_XDECREF
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

import os

cdef enum:
    LEAST_PLACES = 64


@cython.no_gc
cdef class PathTable:
    """Blobs by path.

    The caller fills the entries and counts a reference for each blob in them. All entries that are
    older than ``rich`` have been stripped of what they can do without, and those older than
    ``warm`` have been packed, as far as that pays; NULL: all have.

    What :meth:`find` and :meth:`add` return is valid until it is removed.
    """

    def __cinit__(self):
        self.places = <PathEntry **>calloc(LEAST_PLACES, sizeof(PathEntry *))
        if self.places == NULL:
            raise MemoryError
        self.mask = LEAST_PLACES - 1
        # Nobody shall be able to choose paths that meet in one place.
        self.seed = int.from_bytes(os.urandom(8), "little")

    def __dealloc__(self):
        while self.oldest != NULL:
            self.remove(self.oldest)
        free(self.places)

    cdef uint64_t hash_of(self, const unsigned char *path, int64_t size) noexcept:
        cdef uint64_t value = self.seed ^ <uint64_t>size, word
        while size > 0:
            word = 0
            memcpy(&word, path, 8 if size > 8 else size)
            value = (value ^ word) * <uint64_t>0x9FB21C651E98DF25
            value ^= value >> 32
            path += 8
            size -= 8
        return value * <uint64_t>0x9E3779B97F4A7C15 >> 20

    cdef PathEntry *find(self, const unsigned char *path, int64_t size) noexcept:
        """Return the entry of *path*, NULL if there is none."""
        cdef uint64_t value = self.hash_of(path, size)
        cdef Py_ssize_t at = value & self.mask
        cdef PathEntry *entry = self.places[at]
        while entry != NULL:
            if (entry.hash == value and entry.size == size
                    and memcmp(entry.path, path, size) == 0):
                return entry
            at = (at + 1) & self.mask
            entry = self.places[at]
        return NULL

    cdef PathEntry *add(self, const unsigned char *path, int64_t size) except NULL:
        """Make an entry for *path*, which has none; it has no blobs yet."""
        cdef PathEntry *entry = <PathEntry *>malloc(sizeof(PathEntry) + size)
        if entry == NULL:
            raise MemoryError
        memset(entry, 0, sizeof(PathEntry))
        entry.hash, entry.size = self.hash_of(path, size), size
        memcpy(entry.path, path, size)
        self.places[self.place_of(entry)] = entry
        self.link(entry)
        self.count += 1
        if 2 * self.count > self.mask:
            self.grow()
        return entry

    cdef int touch(self, PathEntry *entry) noexcept:
        """Make this path the one used last."""
        self.unlink(entry)
        self.link(entry)
        return 0

    cdef int remove(self, PathEntry *entry) except -1:
        """Forget a path and its blobs."""
        cdef Py_ssize_t gap = self.place_of(entry), at = gap
        cdef PyObject *blob
        while True:
            at = (at + 1) & self.mask
            if self.places[at] == NULL:
                break
            if ((at - <Py_ssize_t>self.places[at].hash) & self.mask) >= ((at - gap) & self.mask):
                self.places[gap] = self.places[at]
                gap = at
        self.places[gap] = NULL
        self.count -= 1
        self.unlink(entry)
        for blob in entry.versions:
            Py_XDECREF(blob)
        Py_XDECREF(entry.anchor)
        free(entry)
        return 0

    cdef Py_ssize_t place_of(self, PathEntry *entry) noexcept:
        """Return the place of an entry, or the free one where it would go."""
        cdef Py_ssize_t at = entry.hash & self.mask
        while self.places[at] != NULL and self.places[at] != entry:
            at = (at + 1) & self.mask
        return at

    cdef int link(self, PathEntry *entry) noexcept:
        entry.older, entry.newer = self.newest, NULL
        if self.newest != NULL:
            self.newest.newer = entry
        else:
            self.oldest = entry
        self.newest = entry
        if self.rich == NULL:
            self.rich = entry
        if self.warm == NULL:
            self.warm = entry
        return 0

    cdef int unlink(self, PathEntry *entry) noexcept:
        if self.rich == entry:
            self.rich = entry.newer
        if self.warm == entry:
            self.warm = entry.newer
        if entry.newer != NULL:
            entry.newer.older = entry.older
        else:
            self.newest = entry.older
        if entry.older != NULL:
            entry.older.newer = entry.newer
        else:
            self.oldest = entry.newer
        return 0

    cdef int grow(self) except -1:
        cdef PathEntry **places = <PathEntry **>calloc(2 * (self.mask + 1), sizeof(PathEntry *))
        cdef PathEntry *entry = self.oldest
        if places == NULL:
            raise MemoryError
        free(self.places)
        self.places, self.mask = places, 2 * self.mask + 1
        while entry != NULL:
            self.places[self.place_of(entry)] = entry
            entry = entry.newer
        return 0
