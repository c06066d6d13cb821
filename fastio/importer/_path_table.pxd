cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint64_t


cdef enum:
    VERSIONS = 4  # kept at most of each path

cdef struct PathEntry:
    PathEntry *older  # by their last use
    PathEntry *newer
    PyObject *versions[VERSIONS]  # blobs, the newest first; NULL: no more
    PyObject *anchor
    uint64_t hash
    int64_t size
    unsigned char path[1]  # and on


@cython.final
cdef class PathTable:
    cdef PathEntry **places
    cdef Py_ssize_t mask
    cdef readonly Py_ssize_t count
    cdef PathEntry *oldest
    cdef PathEntry *newest
    cdef PathEntry *rich
    cdef PathEntry *warm
    cdef uint64_t seed

    cdef uint64_t hash_of(self, const unsigned char *path, int64_t size) noexcept
    cdef PathEntry *find(self, const unsigned char *path, int64_t size) noexcept
    cdef PathEntry *add(self, const unsigned char *path, int64_t size) except NULL
    cdef int touch(self, PathEntry *entry) noexcept
    cdef int remove(self, PathEntry *entry) except -1
    cdef Py_ssize_t place_of(self, PathEntry *entry) noexcept
    cdef int link(self, PathEntry *entry) noexcept
    cdef int unlink(self, PathEntry *entry) noexcept
    cdef int grow(self) except -1
