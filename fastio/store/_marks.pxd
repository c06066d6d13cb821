cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef enum:
    PAGE_BITS = 6
    PAGE_SIZE = 64
    PAGE_MASK = 63


cdef struct Page:
    uint64_t number  # mark >> PAGE_BITS
    uint32_t *ids  # PAGE_SIZE of them, UNSET where there is no mark; NULL in a free slot


@cython.final
cdef class MarkTable:
    cdef Page *slots
    cdef uint64_t mask
    cdef uint64_t page_count
    cdef uint64_t count
    cdef Page last  # the page used last: marks mostly come in order

    # The entry id of *mark*, or -1.
    cdef int64_t c_get(self, uint64_t mark) noexcept nogil
    # Set or overwrite. Raises MemoryError.
    cdef int c_set(self, uint64_t mark, uint32_t id) except -1
    # Let a mark that is set have another id, or none (-1).
    cdef void c_put_back(self, uint64_t mark, int64_t id) noexcept
    cdef uint32_t *find_page(self, uint64_t number) noexcept nogil
    cdef uint32_t *add_page(self, uint64_t number) except NULL
    cdef int grow(self, uint64_t slots) except -1
    cdef list page_numbers(self)
