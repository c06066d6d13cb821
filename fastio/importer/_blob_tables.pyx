# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""A blob on its way through an import, and the tables that hold blobs.

There are up to some ten thousand blobs at a time, and each goes through all of these tables: what
Python's own would do with boxed numbers, hashed objects and calls cost more than all the rest that
is done for a small blob. A blob takes 160 bytes, a place in a map 16 (at most half of them are
taken), one in a ring 8.
"""

cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc

cdef enum:
    LEAST_PLACES = 16
    AHEAD = 8  # so many blobs ahead of the one that leaves a ring are loaded

HELD, SUBMITTED, ACCEPTED = HELD_BACK, SUBMITTED_ON, ACCEPTED_IN


@cython.freelist(4096)
@cython.no_gc
cdef class Blob:
    """A blob in the arena, from its arrival until nothing needs its bytes any more."""


@cython.no_gc
cdef class BlobMap:
    """Blobs by a number, their mark or their entry.

    Open addressing with linear probing; what is taken out leaves no gap behind.
    """

    def __cinit__(self):
        self.make(LEAST_PLACES)

    def __dealloc__(self):
        cdef Py_ssize_t at
        if self.slots == NULL:
            return
        for at in range(self.mask + 1):
            if self.slots[at].blob != NULL:
                Py_DECREF(<Blob>self.slots[at].blob)
        free(self.slots)

    def __len__(self):
        return self.count

    cdef int make(self, Py_ssize_t capacity) except -1:
        """Take *capacity* places, a power of two, all free."""
        cdef Slot *slots = <Slot *>calloc(capacity, sizeof(Slot))
        if slots == NULL:
            raise MemoryError
        self.slots, self.mask, self.shift = slots, capacity - 1, 66
        while capacity > 1:
            capacity >>= 1
            self.shift -= 1
        return 0

    cdef Py_ssize_t home(self, uint64_t number) noexcept:
        # Numbers mostly count up: four in a row share a cache line.
        return <Py_ssize_t>(
            (number >> 2) * <uint64_t>0x9E3779B97F4A7C15 >> self.shift << 2 | (number & 3)
        )

    cdef Slot *find(self, uint64_t number) noexcept:
        """Return the place of *number*: its own, or the free one where it would go."""
        cdef Py_ssize_t at = self.home(number)
        while self.slots[at].blob != NULL and self.slots[at].number != number:
            at = (at + 1) & self.mask
        return &self.slots[at]

    cdef int grow(self) except -1:
        cdef Slot *old = self.slots
        cdef Py_ssize_t capacity = self.mask + 1, at
        self.make(2 * capacity)
        for at in range(capacity):
            if old[at].blob != NULL:
                self.find(old[at].number)[0] = old[at]
        free(old)
        return 0

    cpdef Blob get(self, uint64_t number):
        """Return the blob of *number*, None if there is none."""
        cdef Slot *slot = self.find(number)
        return None if slot.blob == NULL else <Blob>slot.blob

    cpdef int set(self, uint64_t number, Blob blob) except -1:
        """Let *number* have *blob* from now on."""
        cdef Slot *slot = self.find(number)
        Py_INCREF(blob)
        if slot.blob != NULL:
            Py_DECREF(<Blob>slot.blob)
        else:
            self.count += 1
        slot.number, slot.blob = number, <PyObject *>blob
        if 2 * self.count > self.mask:
            self.grow()
        return 0

    cpdef Blob pop(self, uint64_t number):
        """Take out the blob of *number*, if there is one."""
        cdef Blob blob = self.get(number)
        if blob is not None:
            self.discard(number, blob)
        return blob

    cpdef bint discard(self, uint64_t number, Blob blob) except -1:
        """Take *number* out if it has this very *blob*; tell whether it had."""
        cdef Slot *slot = self.find(number)
        if slot.blob != <PyObject *>blob:
            return False
        self.close_gap(slot - self.slots)
        self.count -= 1
        Py_DECREF(blob)
        return True

    cdef int close_gap(self, Py_ssize_t gap) noexcept:
        """Free a place, and move up what would not be found any more for that."""
        cdef Py_ssize_t at = gap, distance
        while True:
            at = (at + 1) & self.mask
            if self.slots[at].blob == NULL:
                break
            distance = (at - self.home(self.slots[at].number)) & self.mask
            if distance >= ((at - gap) & self.mask):
                self.slots[gap] = self.slots[at]
                gap = at
        self.slots[gap].blob = NULL
        return 0


@cython.no_gc
cdef class BlobRing:
    """A queue of blobs: the oldest leaves first."""

    def __cinit__(self):
        self.mask = LEAST_PLACES - 1
        self.places = <PyObject **>malloc(LEAST_PLACES * sizeof(PyObject *))
        if self.places == NULL:
            raise MemoryError

    def __dealloc__(self):
        while self.count:
            self.pop()
        free(self.places)

    def __len__(self):
        return self.count

    cpdef int push(self, Blob blob) except -1:
        """Append *blob*."""
        if self.count > self.mask:
            self.grow()
        Py_INCREF(blob)
        self.places[(self.first + self.count) & self.mask] = <PyObject *>blob
        self.count += 1
        return 0

    cpdef Blob pop(self):
        """Take the oldest one out; None if there is none."""
        cdef Blob blob
        if self.count == 0:
            return None
        if self.count > AHEAD:
            load_ahead(<Blob>self.places[(self.first + AHEAD) & self.mask])
        blob = <Blob>self.places[self.first]
        self.first = (self.first + 1) & self.mask
        self.count -= 1
        Py_DECREF(blob)
        return blob

    cdef int grow(self) except -1:
        cdef Py_ssize_t capacity = 2 * (self.mask + 1), at
        cdef PyObject **places = <PyObject **>malloc(capacity * sizeof(PyObject *))
        if places == NULL:
            raise MemoryError
        for at in range(self.count):
            places[at] = self.places[(self.first + at) & self.mask]
        free(self.places)
        self.places, self.mask, self.first = places, capacity - 1, 0
        return 0


@cython.no_gc
cdef class LiveBlobs:
    """The blobs whose bytes are kept: a list through the blobs themselves."""

    def __dealloc__(self):
        while self.newest != NULL:
            self.remove(<Blob>self.newest)

    def __len__(self):
        return self.count

    def __contains__(self, Blob blob not None):
        return blob.is_live

    def __iter__(self):
        cdef Blob blob
        cdef PyObject *at = self.newest
        blobs = []
        while at != NULL:
            blob = <Blob>at
            blobs.append(blob)
            at = blob.older
        return iter(blobs)

    cdef int add(self, Blob blob) except -1:
        Py_INCREF(blob)
        blob.is_live, blob.older, blob.newer = True, self.newest, NULL
        if self.newest != NULL:
            (<Blob>self.newest).newer = <PyObject *>blob
        self.newest = <PyObject *>blob
        self.count += 1
        return 0

    cdef int remove(self, Blob blob) except -1:
        if blob.newer != NULL:
            (<Blob>blob.newer).older = blob.older
        else:
            self.newest = blob.older
        if blob.older != NULL:
            (<Blob>blob.older).newer = blob.newer
        blob.is_live, blob.older, blob.newer = False, NULL, NULL
        self.count -= 1
        Py_DECREF(blob)
        return 0
