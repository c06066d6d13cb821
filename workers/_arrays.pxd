"""Memory of tables that grow."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport realloc


cdef inline void *resized(void *memory, uint64_t size) except NULL nogil:
    """Return *memory* with another size; what was there is kept.

    Raises:
        MemoryError: There is not so much; *memory* is as it was.
    """
    memory = realloc(memory, size)
    if memory == NULL:
        with gil:
            raise MemoryError
    return memory
