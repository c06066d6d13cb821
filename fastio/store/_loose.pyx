# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Loose objects read one after the other through the same two buffers.

All that is out of the ordinary is left to `fastio.store.loose`, which says what is wrong with it:
files that are damaged, cannot be read or are no small ones. So nothing here raises an error.

A read that gives less than a full buffer is taken for a whole file. Where it is not, as may happen
on file systems over a network, the zlib stream is cut short, and the file is left as well.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from fastio.objects._digits cimport write_hex
from fastio.objects._oids cimport checked_oid
from workers._inflate cimport INFLATE_SLACK, c_inflate_all, c_inflate_head

from fastio.errors import ObjectError

cdef extern from "<fcntl.h>" nogil:
    int open(const char *path, int flags)
    enum:
        O_RDONLY
        O_CLOEXEC
        AT_FDCWD

cdef extern from "<sys/stat.h>" nogil:
    int utimensat(int directory, const char *path, const void *times, int flags)

cdef extern from "<unistd.h>" nogil:
    ssize_t read(int fd, void *out, size_t count)
    int close(int fd)

cdef enum:
    # Beyond these the time goes into inflating, which ISA-L does as fast as we do.
    PACKED_ROOM = 1 << 16
    ROOM = 1 << 19
    MOST_HEADER = 32
    MOST_DIGITS = 18


cdef class LooseReader:
    """Reads loose objects.

    Args:
        oid_size: Bytes of an oid.
        list_directories: Returns the object directories, in the order to look into them; called
            when an object is first looked for.
    """

    def __init__(self, int oid_size, list_directories):
        self.oid_size, self.list_directories = oid_size, list_directories
        self.directories = None

    def __dealloc__(self):
        free(self.buffer)

    cdef int prepare(self) except -1:
        """List the directories, as paths with room for an object's own."""
        self.buffer = <unsigned char *>malloc(PACKED_ROOM + ROOM + INFLATE_SLACK)
        if self.buffer == NULL:
            raise MemoryError
        self.inflated = self.buffer + PACKED_ROOM
        self.directories = [
            directory + b"/" + bytes(2 * self.oid_size + 2) for directory in self.list_directories()
        ]
        return 0

    cdef int64_t load(self, const unsigned char *oid) except -1:
        """Read the file of an object; its size, or 0 if that is not to be had or not small."""
        cdef bytes path
        cdef char *start
        cdef int64_t got
        self.size = -1
        if self.directories is None:
            self.prepare()
        for path in self.directories:
            start = PyBytes_AS_STRING(path)
            write_name(start + PyBytes_GET_SIZE(path) - 2 * self.oid_size - 2, oid, self.oid_size)
            with nogil:
                got = read_file(start, self.buffer, PACKED_ROOM)
            if got >= 0:
                return got if got < PACKED_ROOM else 0
        return 0

    cdef bint c_find(self, const unsigned char *oid) except -1:
        cdef int64_t packed, inflated = 0
        if self.size >= 0 and memcmp(self.oid, oid, self.oid_size) == 0:
            return True
        packed = self.load(oid)
        if packed == 0 or packed != c_inflate_all(
            self.buffer, self.buffer + packed, self.inflated, ROOM,
            self.inflated + ROOM + INFLATE_SLACK, &inflated,
        ):
            return False
        self.content = parse_header(self.inflated, inflated, &self.kind, &self.size)
        if self.content == NULL or self.content + self.size != self.inflated + inflated:
            self.size = -1
            return False
        memcpy(self.oid, oid, self.oid_size)
        return True

    cdef bint c_info(self, const unsigned char *oid, int *kind, int64_t *size) except -1:
        cdef unsigned char head[MOST_HEADER]
        cdef int64_t packed
        if self.size >= 0 and memcmp(self.oid, oid, self.oid_size) == 0:
            kind[0], size[0] = self.kind, self.size
            return True
        packed = self.load(oid)
        packed = c_inflate_head(self.buffer, self.buffer + packed, head, MOST_HEADER)
        return parse_header(head, packed, kind, size) != NULL

    def read(self, oid):
        """Return an object's type and content; None if it is missing or to be read otherwise."""
        if not self.c_find(checked_oid(oid, self.oid_size, ObjectError)):
            return None
        return self.kind, PyBytes_FromStringAndSize(<const char *>self.content, self.size)

    def info(self, oid):
        """Return an object's type and size; None if it is missing or to be read otherwise."""
        cdef int kind = 0
        cdef int64_t size = 0
        cdef const unsigned char *raw = checked_oid(oid, self.oid_size, ObjectError)
        return (kind, size) if self.c_info(raw, &kind, &size) else None


def touch_loose(directory, list oids, list found):
    """Make the files of objects look new that are not *found* yet; those that have one are then.

    Args:
        directory: An object directory.
        oids: The objects.
        found: Whether each was found elsewhere.
    """
    cdef int64_t count = len(oids), i
    cdef int oid_size = len(oids[0]) if count else 0
    cdef bytes joined = b"".join(oids), path = directory + b"/" + bytes(2 * oid_size + 2)
    cdef bytearray done = bytearray(found)
    cdef const unsigned char *first = <const unsigned char *>PyBytes_AS_STRING(joined)
    cdef char *start = PyBytes_AS_STRING(path)
    cdef char *name = start + PyBytes_GET_SIZE(path) - 2 * oid_size - 2
    cdef char *touched = PyByteArray_AS_STRING(done)
    if len(joined) != count * oid_size or len(found) != count:
        raise ObjectError(f"{len(joined)} bytes are not {len(found)} oids")
    with nogil:
        for i in range(count):
            if touched[i]:
                continue
            write_name(name, first + i * oid_size, oid_size)
            touched[i] = utimensat(AT_FDCWD, start, NULL, 0) == 0
    found[:] = map(bool, done)


cdef void write_name(char *out, const unsigned char *oid, int oid_size) noexcept nogil:
    """Write where an object lies below an object directory."""
    cdef unsigned char *at = write_hex(<unsigned char *>out, oid, 1)
    at[0] = c"/"
    write_hex(at + 1, oid + 1, oid_size - 1)


cdef int64_t read_file(const char *path, unsigned char *out, size_t room) noexcept nogil:
    """Read a file as far as it fits; -1 if it cannot be read."""
    cdef int64_t got
    cdef int fd = open(path, O_RDONLY | O_CLOEXEC)
    if fd < 0:
        return -1
    got = read(fd, out, room)
    close(fd)
    return got


cdef const unsigned char *parse_header(
    const unsigned char *at, int64_t given, int *kind, int64_t *size
) noexcept nogil:
    """Read an object's header, such as ``blob 12`` with a zero byte; where it ends, or NULL."""
    cdef const unsigned char *end = at + min(given, <int64_t>MOST_HEADER)
    cdef const unsigned char *digits
    if end - at < 6:  # "tag 0" and its end; of what follows one byte may be compared as well
        return NULL
    if memcmp(at, b"blob ", 5) == 0:
        kind[0] = 3
        at += 5
    elif memcmp(at, b"tree ", 5) == 0:
        kind[0] = 2
        at += 5
    elif memcmp(at, b"commit ", 7) == 0:
        kind[0] = 1
        at += 7
    elif memcmp(at, b"tag ", 4) == 0:
        kind[0] = 4
        at += 4
    else:
        return NULL
    size[0], digits = 0, at
    while at < end and c"0" <= at[0] <= c"9" and at - digits < MOST_DIGITS:
        size[0] = 10 * size[0] + at[0] - c"0"
        at += 1
    if at == digits or at == end or at[0] or (digits[0] == c"0" and at - digits > 1):
        return NULL
    return at + 1
