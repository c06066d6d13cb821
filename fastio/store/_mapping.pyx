"""Files mapped into memory without keeping a descriptor, as Python's mmap would."""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from posix.mman cimport MAP_FAILED, MAP_SHARED, PROT_READ, mmap, munmap

import os


@cython.final
cdef class Mapping:
    """A whole file; unmapped when the last view of it is gone."""

    cdef void *start
    cdef Py_ssize_t size

    def __init__(self, int descriptor):
        cdef void *start
        cdef Py_ssize_t size = os.fstat(descriptor).st_size
        if self.start != NULL:
            raise ValueError("this file is mapped already")
        if size == 0:
            raise ValueError("cannot mmap an empty file")
        start = mmap(NULL, <size_t>size, PROT_READ, MAP_SHARED, descriptor, 0)
        if start == MAP_FAILED:
            raise MemoryError(f"cannot map {size} bytes")
        self.start, self.size = start, size

    def __dealloc__(self):
        if self.start != NULL:
            munmap(self.start, <size_t>self.size)

    def __len__(self):
        return self.size

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        if self.start == NULL:
            raise BufferError("nothing is mapped")
        PyBuffer_FillInfo(buffer, self, self.start, self.size, 1, flags)


def map_file(int descriptor):
    """Map all of a file that is not empty, for reading."""
    return memoryview(Mapping(descriptor))
