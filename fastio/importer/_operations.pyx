# cython: language_level=3
"""The loops of `fastio.importer.pipeline`: what waits for blobs, and its execution in turn."""

from libc.stdint cimport int64_t

from collections import deque

from fastio.errors import FastioError
from fastio.importer.places import placed

cdef enum:
    # Operations wait as small objects; more of them than this would only cost memory.
    MAX_OPERATIONS = 50_000
    # Blobs in flight, however small they are.
    MAX_WAITING = 16_384


cdef class Operation:
    """What a command asks for, to be executed when the blobs before it are accepted."""

    cdef int run(self) except -1:
        raise NotImplementedError


cdef class Call(Operation):
    """An operation that is a call of a function."""

    cdef object action
    cdef tuple arguments

    cdef int run(self) except -1:
        self.action(*self.arguments)
        return 0


cdef class Deferred:
    """Who executes operations in part: all but what no other of its own needs to know."""

    cdef int settle(self) except -1:
        raise NotImplementedError


cdef class Operations:
    """Operations in the order of the stream.

    Args:
        in_flight: Bytes of blobs and of room for their results to have under way at most.

    Attributes:
        queue: Has the blobs that they wait for.
        deferred: Is settled before any operation but its own.
        count: How many there are.
    """

    def __init__(self, int64_t in_flight):
        self.in_flight = in_flight
        self.waiting = deque()

    @property
    def place(self):
        """Where the command stands that was executed last, or failed."""
        return self.offset, self.number, self.lines

    @place.setter
    def place(self, place):
        self.offset, self.number, self.lines = place

    @property
    def next_place(self):
        """Where the command stands that is to be executed next; None if there is none."""
        if not self.waiting:
            return None
        cdef Operation first = self.waiting[0]
        return first.offset, first.number, first.lines

    def add(self, place, action, *arguments):
        """Queue an operation of the command at *place*."""
        cdef Call call = Call.__new__(Call)
        call.action, call.arguments = action, arguments
        call.offset, call.number, call.lines = place
        self.append(call)

    cdef int append(self, Operation operation) except -1:
        """Queue an operation, which knows its place."""
        operation.needs = self.queue.submitted
        self.waiting.append(operation)
        self.count += 1
        return 0

    def clear(self):
        """Forget all operations."""
        self.waiting.clear()
        self.count = 0

    cdef bint is_full(self) noexcept:
        return (
            self.queue.in_flight > self.in_flight
            or self.queue.submitted - self.queue.accepted > MAX_WAITING
            or self.count > MAX_OPERATIONS
        )

    cpdef throttle(self):
        """Wait while too much is under way."""
        while self.is_full():
            self.wait()

    cpdef settle(self):
        """Do the rest of what was executed in part."""
        if self.deferred is not None:
            self.deferred.settle()

    cpdef advance(self):
        """Accept what blobs are done, and execute each operation that waits for no others."""
        cdef Operation first
        while self.count:
            first = self.waiting[0]
            if self.queue.accepted < first.needs:
                self.queue.accept(first.needs)
                if self.queue.accepted < first.needs:
                    return
            self.waiting.popleft()
            self.count -= 1
            self.offset, self.number, self.lines = first.offset, first.number, first.lines
            try:
                if not first.may_defer:
                    self.settle()
                first.run()
            except FastioError as error:
                raise placed(error, self.place) from error
        self.queue.accept(self.queue.submitted)
