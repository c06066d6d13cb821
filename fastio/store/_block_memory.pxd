from workers._arena cimport Arena


cdef class BlockMemory:
    cdef Arena arena  # None where blocks are few

    # Memory for a block; NULL if there is none.
    cdef void *take(self, size_t size) noexcept
    # Give back what `take` gave.
    cdef void give_back(self, void *block) noexcept
