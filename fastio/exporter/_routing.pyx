# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Deals blobs to workers: see `fastio.exporter.routing`."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from fastio.exporter._fill cimport NewBlob
from fastio.store._object_reader cimport ObjectReader

from fastio.errors import FastioError

cdef enum:
    FIRST_ROOM = 1024

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15  # 2**64 times the golden ratio


cdef struct Home:
    uint64_t family
    int64_t worker  # + 1, 0: the slot is free


cdef class Router:
    """Gives each family of deltas a home with the worker that has least to do.

    Args:
        reader: Knows the families.
        workers: How many there are.
    """

    cdef ObjectReader reader
    cdef readonly int64_t workers
    cdef int64_t *waiting  # blobs that each worker has not done yet
    cdef int64_t *dealt
    cdef Home *homes
    cdef int64_t room, count

    def __cinit__(self, ObjectReader reader not None, int64_t workers):
        self.reader, self.workers, self.count = reader, workers, 0
        self.room = FIRST_ROOM
        self.waiting = <int64_t *>calloc(workers, sizeof(int64_t))
        self.dealt = <int64_t *>calloc(workers, sizeof(int64_t))
        self.homes = <Home *>calloc(self.room, sizeof(Home))
        if self.waiting == NULL or self.dealt == NULL or self.homes == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.waiting)
        free(self.dealt)
        free(self.homes)

    cdef Home *find(self, uint64_t family) noexcept:
        """Return a family's slot, or the free one where it belongs."""
        cdef int64_t at = <int64_t>((family * SPREAD) >> 20) & (self.room - 1)
        while self.homes[at].worker and self.homes[at].family != family:
            at = (at + 1) & (self.room - 1)
        return &self.homes[at]

    cdef int grow(self) except -1:
        cdef Home *old = self.homes
        cdef int64_t i, count = self.room
        self.homes = <Home *>calloc(2 * count, sizeof(Home))
        if self.homes == NULL:
            self.homes = old
            raise MemoryError
        self.room = 2 * count
        for i in range(count):
            if old[i].worker:
                self.find(old[i].family)[0] = old[i]
        free(old)
        return 0

    cdef int64_t idlest(self) noexcept:
        cdef int64_t worker, best = 0
        for worker in range(1, self.workers):
            if self.waiting[worker] < self.waiting[best]:
                best = worker
        return best

    cdef int64_t home_of(self, const unsigned char *oid) except -1:
        """Return the worker that a blob goes to."""
        cdef uint64_t family
        cdef Home *home
        try:
            family = self.reader.c_family(oid)
        except FastioError:
            return self.idlest()  # who reads it has to tell, when it is its turn
        home = self.find(family)
        if not home.worker:
            if 4 * (self.count + 1) > 3 * self.room:
                self.grow()
                home = self.find(family)
            self.count += 1
            home.family, home.worker = family, self.idlest() + 1
        return home.worker - 1

    def deal(self, bytes blobs not None, int64_t first):
        """Deal new blobs to workers.

        Args:
            blobs: Rows as from `fastio.exporter.fill`.
            first: The number of the first; the others follow.

        Returns:
            For each worker the numbers of its blobs, as packed 64-bit ones.
        """
        cdef NewBlob *row = <NewBlob *>PyBytes_AS_STRING(blobs)
        cdef int64_t count = PyBytes_GET_SIZE(blobs) // <int64_t>sizeof(NewBlob)
        cdef int64_t i, worker
        cdef list numbers = []
        for _worker in range(self.workers):
            numbers.append(PyBytes_FromStringAndSize(NULL, count * sizeof(int64_t)))
        memset(self.dealt, 0, self.workers * sizeof(int64_t))
        for i in range(count):
            worker = self.home_of(row[i].oid)
            (<int64_t *>PyBytes_AS_STRING(numbers[worker]))[self.dealt[worker]] = first + i
            self.dealt[worker] += 1
            self.waiting[worker] += 1
        return [
            numbers[worker][: self.dealt[worker] * sizeof(int64_t)]
            for worker in range(self.workers)
        ]

    def done(self, int64_t worker, int64_t count):
        """Note that a worker has done so many blobs."""
        if not 0 <= worker < self.workers:
            raise IndexError(worker)
        self.waiting[worker] -= count
