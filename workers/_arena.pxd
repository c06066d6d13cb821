cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef enum:
    BIN_COUNT = 464
    WORD_COUNT = 8

cdef struct Header:
    uint32_t size
    uint32_t before
    uint32_t next
    uint32_t prev


@cython.final
cdef class Arena:
    cdef unsigned char *base  # first byte of the mapping; the same in every forked process
    cdef readonly int64_t size
    cdef readonly int64_t used
    cdef readonly object view
    cdef readonly object annex
    cdef const unsigned char *annex_base
    cdef readonly int64_t annex_size
    cdef object let_go
    cdef int64_t most_read
    cdef int64_t annex_read
    cdef int64_t read_from
    cdef int64_t read_to
    cdef uint32_t granules
    cdef uint32_t bins[BIN_COUNT]
    cdef uint64_t occupied[WORD_COUNT]

    cdef inline const unsigned char *c_at(self, int64_t offset) noexcept nogil:
        """Where *offset* lies: in the arena or, from its size on, in the annex."""
        if offset < self.size:
            return self.base + offset
        return self.annex_base + (offset - self.size)

    cdef inline int64_t c_annexed(self, const unsigned char *data, int64_t n) noexcept nogil:
        """Return the offset of *n* bytes at *data* if they lie in the annex, or else -1."""
        if self.annex_base <= data and data + n <= self.annex_base + self.annex_size:
            return self.size + (data - self.annex_base)
        return -1

    cdef void _read_nothing(self) noexcept
    cdef int c_have_read(self, int64_t offset, int64_t n) except -1
    cdef int64_t c_allocate(self, int64_t n) noexcept
    cdef void c_free(self, int64_t offset) noexcept
    cdef void c_shrink(self, int64_t offset, int64_t n) noexcept
    cdef int64_t c_size_of(self, int64_t offset) noexcept
    cdef bint c_is_live(self, int64_t offset) noexcept
    cdef void _push(self, uint32_t block) noexcept
    cdef void _unlink(self, uint32_t block) noexcept
    cdef uint32_t _take(self, uint32_t count) noexcept
    cdef uint32_t _take_from(self, uint32_t number, uint32_t count, int tries) noexcept
    cdef void _trim(self, uint32_t block, uint32_t count) noexcept
    cdef void _release(self, uint32_t block, uint32_t count) noexcept
    cdef void _set_size(self, uint32_t block, uint32_t count) noexcept
    cdef Header *_header(self, uint32_t block) noexcept
    cdef uint32_t _gap(self, uint32_t floor, uint32_t end, uint32_t before) noexcept
    cdef _slide(self, dict places)
    cdef _require_live(self, int64_t offset)
