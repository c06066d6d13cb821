# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Which paths an export is limited to: literal ones by comparison, others by asking Python.

The answer for a directory says whether it is worth opening, so that a subtree without a match is
never read.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp


@cython.final
cdef class PathFilter:
    """Tells of a path whether it is wanted: 0 no, 1 perhaps something below, 2 with all below.

    Args:
        literals: Paths of files and directories, all of which are wanted with what is below. One
            that ends in a slash is a directory's alone; the empty one wants everything.
        ask: Called where no literal wants all, with a path and what stands there; answers likewise,
            for those limits that are not literal.
    """

    def __cinit__(self, literals, ask=None):
        cdef int64_t at = 0
        self.ask, self.text, self.count = ask, b"".join(literals), len(literals)
        self.ends = <int64_t *>malloc(max(self.count, 1) * sizeof(int64_t))
        if self.ends == NULL:
            raise MemoryError
        for number, literal in enumerate(literals):
            at += len(literal)
            self.ends[<int64_t>number] = at

    def __dealloc__(self):
        free(self.ends)

    cdef int c_wants(
        self, const unsigned char *path, int64_t size, int kind
    ) except -1:
        cdef int64_t number, length, at = 0
        cdef int answer = NOTHING
        cdef const unsigned char *literal = <const unsigned char *>PyBytes_AS_STRING(self.text)
        for number in range(self.count):
            literal += at
            at = length = self.ends[number] - (self.ends[number - 1] if number else 0)
            if length > size:
                if kind != FILE and literal[size] == 47 and memcmp(path, literal, size) == 0:
                    if length == size + 1:
                        return ALL
                    if kind == DIRECTORY:
                        answer = PERHAPS
            elif (
                length == size or length == 0 or path[length] == 47 or literal[length - 1] == 47
            ):
                if memcmp(path, literal, length) == 0:
                    return ALL
        if self.ask is not None:
            answer = max(
                answer,
                <int>self.ask(PyBytes_FromStringAndSize(<const char *>path, size), kind),
            )
        return answer

    def wants(self, bytes path not None, int kind):
        """Tell whether what stands at a path is wanted: 0 a file, 1 a directory, 2 a submodule."""
        return self.c_wants(
            <const unsigned char *>PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path), kind
        )
