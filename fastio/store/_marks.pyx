"""Loops of the mark table; marks.py tells how it is laid out."""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from fastio.errors import MarksError

cdef enum:
    FIRST_SLOTS = 4
    UNSET = 0xFFFFFFFF  # never an id: the object map ends before


cdef inline uint64_t scatter(uint64_t number) noexcept nogil:
    # Page numbers often run in steps of a power of two; a multiplication mixes them upwards.
    number *= <uint64_t>0x9E3779B97F4A7C15
    return number ^ number >> 32


@cython.final
cdef class MarkTable:
    """Entry ids by mark; ``get`` gives -1 for an unknown one, ``items`` go up by mark."""

    def __dealloc__(self):
        cdef uint64_t at
        if self.slots == NULL:
            return
        for at in range(self.mask + 1):
            free(self.slots[at].ids)
        free(self.slots)

    cdef int64_t c_get(self, uint64_t mark) noexcept nogil:
        cdef uint32_t *ids = self.find_page(mark >> PAGE_BITS)
        if ids == NULL or ids[mark & PAGE_MASK] == <uint32_t>UNSET:
            return -1
        return ids[mark & PAGE_MASK]

    cdef int c_set(self, uint64_t mark, uint32_t id) except -1:
        cdef uint32_t *ids = self.find_page(mark >> PAGE_BITS)
        if ids == NULL:
            ids = self.add_page(mark >> PAGE_BITS)
        self.count += ids[mark & PAGE_MASK] == <uint32_t>UNSET
        ids[mark & PAGE_MASK] = id
        return 0

    cdef void c_put_back(self, uint64_t mark, int64_t id) noexcept:
        self.count -= id < 0
        self.find_page(mark >> PAGE_BITS)[mark & PAGE_MASK] = <uint32_t>id

    cdef uint32_t *find_page(self, uint64_t number) noexcept nogil:
        cdef uint64_t at
        if self.last.ids != NULL and self.last.number == number:
            return self.last.ids
        if self.slots == NULL:
            return NULL
        at = scatter(number) & self.mask
        while self.slots[at].ids != NULL:  # ends: a quarter of the slots is free
            if self.slots[at].number == number:
                self.last = self.slots[at]
                return self.last.ids
            at = (at + 1) & self.mask
        return NULL

    cdef uint32_t *add_page(self, uint64_t number) except NULL:
        cdef uint32_t *ids
        if self.slots == NULL:
            self.grow(FIRST_SLOTS)
        elif (self.page_count + 1) * 4 > (self.mask + 1) * 3:
            self.grow((self.mask + 1) * 2)
        ids = <uint32_t *>malloc(PAGE_SIZE * sizeof(uint32_t))
        if ids == NULL:
            raise MemoryError
        memset(ids, 0xFF, PAGE_SIZE * sizeof(uint32_t))
        self.last.number, self.last.ids = number, ids
        put_page(self.slots, self.mask, self.last)
        self.page_count += 1
        return ids

    cdef int grow(self, uint64_t slots) except -1:
        cdef Page *fresh = <Page *>calloc(slots, sizeof(Page))
        cdef uint64_t at
        if fresh == NULL:
            raise MemoryError
        if self.slots != NULL:
            for at in range(self.mask + 1):
                if self.slots[at].ids != NULL:
                    put_page(fresh, slots - 1, self.slots[at])
        free(self.slots)
        self.slots, self.mask = fresh, slots - 1
        return 0

    def set(self, mark, entry_id):
        if not 0 <= entry_id < 0xFFFFFFFF:
            raise MarksError(f"mark :{mark} cannot stand for entry {entry_id}")
        self.c_set(checked(mark), entry_id)

    def get(self, mark):
        return self.c_get(checked(mark))

    def items(self):
        cdef uint64_t mark, number
        cdef uint32_t *ids
        cdef int within
        for number in self.page_numbers():
            for within in range(PAGE_SIZE):
                ids = self.find_page(number)  # again: the caller may have used the table
                if ids[within] != <uint32_t>UNSET:
                    mark = number << PAGE_BITS | <uint64_t>within
                    yield mark, ids[within]

    cdef list page_numbers(self):
        cdef list numbers = []
        cdef uint64_t at
        if self.slots != NULL:
            for at in range(self.mask + 1):
                if self.slots[at].ids != NULL:
                    numbers.append(self.slots[at].number)
        numbers.sort()
        return numbers

    def __len__(self):
        return self.count

    def __contains__(self, mark):
        return self.c_get(checked(mark)) >= 0

    @property
    def nbytes(self):
        cdef uint64_t slots = self.mask + 1 if self.slots != NULL else 0
        return slots * sizeof(Page) + self.page_count * PAGE_SIZE * sizeof(uint32_t)


cdef inline void put_page(Page *slots, uint64_t mask, Page page) noexcept nogil:
    cdef uint64_t at = scatter(page.number) & mask
    while slots[at].ids != NULL:
        at = (at + 1) & mask
    slots[at] = page


cdef uint64_t checked(object mark) except? 0:
    if not 0 <= mark < 1 << 64:
        raise MarksError(f"mark :{mark} is not a number of 64 bits")
    return mark
