cimport cython
from libc.stdint cimport int64_t

cdef enum:  # what stands at a path
    FILE = 0
    DIRECTORY = 1
    SUBMODULE = 2

cdef enum:
    NOTHING = 0
    PERHAPS = 1  # a directory: something below it may be wanted
    ALL = 2  # the file; of a directory everything


@cython.final
cdef class PathFilter:
    cdef object ask
    cdef bytes text
    cdef int64_t *ends
    cdef int64_t count

    # Whether to take what stands at a path.
    cdef int c_wants(
        self, const unsigned char *path, int64_t size, int kind
    ) except -1
