# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Puts the stream together: see `fastio.exporter.assembly`.

Slots of blobs stand in a ring whose size is a power of two: blob *number* has slot number & mask.
"""

from collections import deque

from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from fastio.exporter._blob_records cimport Place, Wanted
from fastio.exporter._fill cimport NewBlob
from workers._arena cimport Arena

cdef enum:
    FIRST_ROOM = 64
    # States of a blob.
    WAITING = 0
    PLACED = 1  # its record lies in the arena
    OTHER = 2  # and up: the caller's, who has to deal with it


cdef struct Slot:
    NewBlob blob  # its position is one of the whole text
    Place place
    int64_t segment
    int64_t state


cdef class Assembly:
    """What of the stream is there and not written yet.

    Args:
        arena: Where blobs' records lie.

    Attributes:
        first: Number of the first blob that was not taken.
        end: Number of the next blob that is added.
        held_text: Bytes of text that wait.
    """

    cdef readonly int64_t first, end
    cdef Arena arena
    cdef Slot *slots
    cdef int64_t room
    cdef object texts  # what is not taken: (where in the whole text it begins, bytes)
    cdef int64_t text_at, text_end  # of the whole text: what was taken and what was added
    cdef dict unwritten  # how many records of each segment are still needed
    cdef int64_t written  # blobs below are written

    def __cinit__(self, Arena arena not None):
        self.arena = arena
        self.first = self.end = self.written = self.text_at = self.text_end = 0
        self.texts, self.unwritten = deque(), {}
        self.room = FIRST_ROOM
        self.slots = <Slot *>malloc(self.room * sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)

    @property
    def held_text(self):
        return self.text_end - self.text_at

    cdef inline Slot *slot(self, int64_t number) noexcept:
        return &self.slots[number & (self.room - 1)]

    cdef int grow(self) except -1:
        """Double the ring."""
        cdef int64_t number
        cdef Slot *slots = <Slot *>malloc(2 * self.room * sizeof(Slot))
        if slots == NULL:
            raise MemoryError
        for number in range(self.written, self.end):
            slots[number & (2 * self.room - 1)] = self.slot(number)[0]
        free(self.slots)
        self.slots, self.room = slots, 2 * self.room
        return 0

    def add(self, bytes text not None, bytes blobs not None):
        """Add what was filled; return the number of the first of its blobs."""
        cdef NewBlob *row = <NewBlob *>PyBytes_AS_STRING(blobs)
        cdef int64_t i, count = PyBytes_GET_SIZE(blobs) // <int64_t>sizeof(NewBlob)
        cdef int64_t added = self.end
        cdef Slot *slot
        for i in range(count):
            if self.end - self.written == self.room:
                self.grow()
            slot = self.slot(self.end)
            slot.blob = row[i]
            slot.blob.position += self.text_end
            slot.state = WAITING
            self.end += 1
        if text:
            self.texts.append((self.text_end, text))
            self.text_end += PyBytes_GET_SIZE(text)
        return added

    cdef int64_t *checked(self, bytes numbers, int64_t *count) except NULL:
        cdef int64_t *number = <int64_t *>PyBytes_AS_STRING(numbers)
        cdef int64_t i
        count[0] = PyBytes_GET_SIZE(numbers) // <int64_t>sizeof(int64_t)
        for i in range(count[0]):
            if not self.first <= number[i] < self.end:
                raise IndexError(f"there is no blob {number[i]} that waits")
        return number

    def rows(self, bytes numbers not None):
        """Return rows of a job for blobs; *numbers* are packed 64-bit ones."""
        cdef int64_t count, i
        cdef int64_t *number = self.checked(numbers, &count)
        cdef Wanted *row
        rows = PyBytes_FromStringAndSize(NULL, count * sizeof(Wanted))
        row = <Wanted *>PyBytes_AS_STRING(rows)
        for i in range(count):
            row[i].mark = self.slot(number[i]).blob.mark
            memcpy(row[i].oid, self.slot(number[i]).blob.oid, sizeof(row[i].oid))
        return rows

    def place(self, bytes numbers not None, bytes places not None, segment):
        """Note where the records of blobs lie, as many as there are places, all in one segment."""
        cdef int64_t count, i, placed = PyBytes_GET_SIZE(places) // <int64_t>sizeof(Place)
        cdef int64_t *number = self.checked(numbers, &count)
        cdef Place *place = <Place *>PyBytes_AS_STRING(places)
        cdef Slot *slot
        if placed > count:
            raise IndexError(f"{placed} places for {count} blobs")
        for i in range(placed):
            if not (
                0 <= place[i].size <= self.arena.size
                and 0 <= place[i].offset <= self.arena.size - place[i].size
            ):
                raise IndexError("a record lies outside the arena")
            slot = self.slot(number[i])
            slot.place, slot.segment, slot.state = place[i], segment, PLACED
        if placed:
            self.unwritten[segment] = self.unwritten.get(segment, 0) + placed

    def mark(self, int64_t number, int64_t state):
        """Give a blob a state of the caller's, OTHER or above."""
        if not self.first <= number < self.end or state < OTHER:
            raise IndexError(f"there is no blob {number} that waits")
        self.slot(number).state = state

    @property
    def state(self):
        """The state of the first blob that was not taken; None when there is none."""
        return None if self.first == self.end else self.slot(self.first).state

    def take(self, int64_t most):
        """Return the next pieces of the stream as far as they are there, *most* or a few more.

        They have to be written, and then freed by `free`, before more is taken.
        """
        cdef list pieces = []
        cdef Slot *slot
        while self.first < self.end and len(pieces) < most:
            slot = self.slot(self.first)
            self.take_text(slot.blob.position, pieces)
            if slot.state != PLACED:
                return pieces
            pieces.append(
                PyMemoryView_FromMemory(
                    <char *>self.arena.base + slot.place.offset, slot.place.size, PyBUF_READ
                )
            )
            self.first += 1
        if self.first == self.end:
            self.take_text(self.text_end, pieces)
        return pieces

    cdef int take_text(self, int64_t to, list pieces) except -1:
        """Take text up to a position."""
        cdef int64_t start, size
        while self.text_at < to:
            start, text = self.texts[0]
            size = PyBytes_GET_SIZE(text)
            if start + size <= to:
                self.texts.popleft()
            if self.text_at == start and start + size <= to:
                pieces.append(text)
            else:
                size = min(to - start, size)
                pieces.append(memoryview(text)[self.text_at - start : size])
            self.text_at = start + size
        return 0

    def free(self):
        """Return segments of which nothing is needed any more: all that was taken is written."""
        cdef list freed = []
        cdef Slot *slot
        while self.written < self.first:
            slot = self.slot(self.written)
            self.written += 1
            if slot.state != PLACED:
                continue
            left = self.unwritten[slot.segment] - 1
            if left:
                self.unwritten[slot.segment] = left
            else:
                del self.unwritten[slot.segment]
                freed.append(slot.segment)
        return freed

    def skip(self):
        """Pass over the first blob: the caller, who gave it its state, has written it."""
        if self.first == self.end or self.slot(self.first).state < OTHER:
            raise IndexError("the first blob is none of the caller's")
        self.first += 1
