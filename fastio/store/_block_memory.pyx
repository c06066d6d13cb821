# cython: language_level=3
"""Memory for blocks of objects that are kept: huge pages, cut up by an arena of this process alone.

What the arena has no room for, as it is in pieces or was made for less, is the C library's.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from workers._arena cimport Arena

from workers.errors import ArenaError

cdef enum:
    LEAST = 1 << 24  # bytes: a few huge pages more or less do not matter beside them
    PIECES = 8  # a part of the arena that is likely to lie in pieces too small to be used


cdef class BlockMemory:
    """Blocks of all sizes.

    Args:
        size: Bytes of all blocks.
    """

    def __cinit__(self, size_t size):
        if size >= LEAST:
            try:
                self.arena = Arena(size + size // PIECES, shared=False)
            except ArenaError:
                pass  # the C library may find some in pieces

    cdef void *take(self, size_t size) noexcept:
        cdef int64_t offset = -1
        if self.arena is not None:
            offset = self.arena.c_allocate(<int64_t>size)
        return malloc(size) if offset < 0 else self.arena.base + offset

    cdef void give_back(self, void *block) noexcept:
        cdef size_t offset
        if self.arena is not None:
            offset = <size_t>block - <size_t>self.arena.base
            if offset < <size_t>self.arena.size:
                self.arena.c_free(<int64_t>offset)
                return
        free(block)
