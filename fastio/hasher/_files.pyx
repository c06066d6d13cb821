# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Small files read one after the other into one buffer, and hashed side by side.

A reader stops at the first file that is not small and regular, or cannot be read: what is to become
of that one is the caller's business.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.errno cimport EINTR, errno
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy, strlen

from workers._codec cimport c_deflated
from workers._sha1 cimport Message, c_hash_objects

cdef extern from "<fcntl.h>" nogil:
    int open(const char *path, int flags)
    enum:
        O_RDONLY
        O_CLOEXEC

cdef extern from "<sys/stat.h>" nogil:
    struct stat:
        int64_t st_size
        unsigned int st_mode
    int c_stat "stat"(const char *path, stat *about)
    int lstat(const char *path, stat *about)
    bint S_ISREG(unsigned int mode)

cdef extern from "<unistd.h>" nogil:
    ssize_t read(int fd, void *out, size_t count)
    int close(int fd)

cdef enum:
    OID_SIZE = 20  # of SHA-1, the only one that has lanes
    BLOB = 3

cdef enum:
    C_LARGEST = 1 << 20
    C_MOST = 512
    C_ROOM = 1 << 22
    GOES_ON = 0
    NO_MORE_ROOM = 1
    NOT_SMALL = 2

cdef enum:
    # Building codes of its own takes ISA-L 5 to 11 us for each object, half of the time where it
    # is small. At its level 0 the codes are fixed: 20,000 source files take a tenth less CPU, and
    # 40.5 MB instead of 38.6 MB (zlib 1: 39.2); with all up to 16 KiB 41.1 MB, with any 42.4 MB.
    FASTEST = 1  # level that asks for speed
    FIXED_CODES = 0
    C_QUICK = 1 << 13  # bytes of a file to which this applies

LARGEST = C_LARGEST  # bytes of a file that is small
MOST = C_MOST  # files at once
ROOM = C_ROOM  # bytes at once
QUICK = C_QUICK
OUT_ROOM = C_ROOM + C_MOST * 128  # whatever is deflated fits: stored blocks have that much around


def is_there(bytes path):
    """Tell whether there is something at *path*, be it a link that leads nowhere.

    Other threads wait meanwhile: that takes a microsecond, and having their turn taken 20.
    """
    cdef stat about
    return lstat(PyBytes_AS_STRING(path), &about) == 0


cdef class FileReader:
    """Reads and hashes runs of small files; what it has read stays until the next run.

    Attributes:
        count: Files of the last run.
        refused: Whether it ended because the next file is not small, or cannot be read.
    """

    cdef readonly int64_t count
    cdef readonly bint refused
    cdef unsigned char *buffer
    cdef int64_t *starts  # count + 1
    cdef Message *messages
    cdef const char **paths

    def __cinit__(self):
        self.buffer = <unsigned char *>malloc(C_ROOM + 1)
        self.starts = <int64_t *>malloc((C_MOST + 1) * sizeof(int64_t))
        self.messages = <Message *>malloc(C_MOST * sizeof(Message))
        self.paths = <const char **>malloc(C_MOST * sizeof(char *))
        if not (self.buffer and self.starts and self.messages and self.paths):
            raise MemoryError

    def __dealloc__(self):
        free(self.buffer)
        free(self.starts)
        free(self.messages)
        free(<void *>self.paths)

    def read(self, list paths, int64_t first=0):
        """Read files from *paths*, beginning with number *first*; return how many there were."""
        cdef int64_t most = min(<int64_t>len(paths) - first, <int64_t>C_MOST), i
        cdef int why = GOES_ON
        cdef bytes path
        for i in range(most):
            path = paths[first + i]
            self.paths[i] = PyBytes_AS_STRING(path)
            if strlen(self.paths[i]) != <size_t>len(path):
                most = i  # no file has such a name
                why = NOT_SMALL
                break
        self.count = 0
        with nogil:
            self.starts[0] = 0
            while self.count < most:
                i = self.read_next(self.paths[self.count])
                if i != GOES_ON:
                    why = <int>i
                    break
        self.refused = why == NOT_SMALL
        return self.count

    def oids(self):
        """Hash what was read with SHA-1: the oids of the blobs, one behind the other."""
        cdef bytes oids = PyBytes_FromStringAndSize(NULL, self.count * OID_SIZE)
        cdef unsigned char *out = <unsigned char *>PyBytes_AS_STRING(oids)
        cdef int64_t i
        with nogil:
            for i in range(self.count):
                self.messages[i].data = self.buffer + self.starts[i]
                self.messages[i].size = self.starts[i + 1] - self.starts[i]
                self.messages[i].kind = BLOB
                self.messages[i].oid = out + i * OID_SIZE
            c_hash_objects(self.messages, self.count)
        return oids

    def content(self, int64_t number):
        """Return what a file of the run holds."""
        self.check(number)
        return PyBytes_FromStringAndSize(
            <char *>self.buffer + self.starts[number],
            self.starts[number + 1] - self.starts[number],
        )

    def deflate(self, list numbers, chosen, unsigned char[::1] out not None):
        """Deflate some files of the run, one behind the other.

        Args:
            numbers: Which; each at most once.
            chosen: What `codec.compressor` gave.
            out: Where to; OUT_ROOM bytes.

        Returns:
            For each its size and that of what it became, as two numbers of 64 bits; and how many
            bytes they became.
        """
        cdef bytes sizes = PyBytes_FromStringAndSize(NULL, len(numbers) * 2 * sizeof(int64_t))
        cdef int64_t *row = <int64_t *>PyBytes_AS_STRING(sizes)
        cdef int64_t number, size, room = out.shape[0]
        cdef unsigned char *at = &out[0] if room else NULL
        cdef int level = 0
        compress = None
        if chosen is not None:
            compress, level = chosen
        for number in numbers:
            self.check(number)
            size = self.starts[number + 1] - self.starts[number]
            payload = c_deflated(
                compress,
                FIXED_CODES if level == FASTEST and size < C_QUICK else level,
                self.buffer + self.starts[number],
                size,
            )
            if PyBytes_GET_SIZE(payload) > room:
                raise ValueError(f"no room for {size} bytes that were deflated")
            memcpy(at, PyBytes_AS_STRING(payload), PyBytes_GET_SIZE(payload))
            row[0], row[1] = size, PyBytes_GET_SIZE(payload)
            at += row[1]
            room -= row[1]
            row += 2
        return sizes, out.shape[0] - room

    def find_cr(self, const unsigned char[::1] watched not None):
        """Return the number of the first file of the run that is watched and has a CR, or -1.

        Args:
            watched: A byte for each file of the run, not 0 for those that are.
        """
        cdef int64_t i, start, found = -1
        if watched.shape[0] != self.count:
            raise ValueError(f"{watched.shape[0]} files are not {self.count}")
        with nogil:
            for i in range(self.count):
                start = self.starts[i]
                if watched[i] and memchr(self.buffer + start, c"\r", self.starts[i + 1] - start):
                    found = i
                    break
        return found

    cdef int check(self, int64_t number) except -1:
        if not 0 <= number < self.count:
            raise IndexError(f"no file {number} among {self.count}")
        return 0

    cdef int read_next(self, const char *path) noexcept nogil:
        """Read one more file behind the last one; returns why not, or GOES_ON."""
        cdef stat about
        cdef int fd, why
        # Opening a FIFO would wait for whoever writes to it, and closing it again would end that.
        if c_stat(path, &about) or not S_ISREG(about.st_mode):
            return NOT_SMALL
        if about.st_size > C_LARGEST:
            return NOT_SMALL
        if self.starts[self.count] + about.st_size > C_ROOM:
            return NO_MORE_ROOM
        fd = open(path, O_RDONLY | O_CLOEXEC)
        if fd < 0:
            return NOT_SMALL
        why = self.read_open(fd, about.st_size)
        close(fd)
        return why

    cdef int read_open(self, int fd, int64_t size) noexcept nogil:
        """Read a file that had *size* bytes before it was opened, and is left alone if it has not.

        Who asks for a byte more than that sees the end come, which saves asking for the size again.
        """
        cdef int64_t start = self.starts[self.count], end = start + size
        cdef ssize_t got
        while True:
            got = read(fd, self.buffer + start, end + 1 - start)
            if got < 0 and errno == EINTR:
                continue
            if got < 0:
                return NOT_SMALL
            start += got
            if got == 0 or start >= end:
                break
        if start != end:
            return NOT_SMALL
        self.count += 1
        self.starts[self.count] = end
        return GOES_ON
