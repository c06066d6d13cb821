# cython: language_level=3, cdivision=True
"""A stream's file mapped into memory, and what guards those who read there.

Reading a mapping is reading the file, at another time than one thinks: when the page is first
touched. A file that somebody has cut short, or a disk that fails, then means SIGBUS, in whichever
process touches the page, and that would be its end. So as long as a file is mapped a handler takes
that signal: it puts a page of zeros where the file's should be, notes where that was in a page that
all processes share, and lets the reader go on. What the reader makes of the zeros is of no use, so
somebody has to ask for `lost_at` before anything that came of it is believed. A SIGBUS at any other
address goes to whom it went before.
"""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from libc cimport errno
from libc.signal cimport SIG_DFL, SIG_IGN, SIGBUS, sighandler_t
from libc.stdint cimport int64_t
from libc.string cimport memchr, memcmp, memset
from posix.mman cimport (
    MADV_DONTNEED, MADV_WILLNEED, MAP_ANONYMOUS, MAP_FAILED, MAP_FIXED, MAP_PRIVATE, MAP_SHARED,
    PROT_READ, PROT_WRITE, madvise, mmap, munmap,
)
from posix.unistd cimport _SC_PAGESIZE, sysconf

# Cython's own declarations have no handler that may be called without the GIL.
cdef extern from "<signal.h>" nogil:
    ctypedef struct siginfo_t:
        void *si_addr

    ctypedef void (*action_t)(int, siginfo_t *, void *) noexcept nogil
    cdef struct sigaction_t "sigaction":
        sighandler_t sa_handler
        action_t sa_sigaction
        int sa_flags

    int SA_ONSTACK, SA_SIGINFO
    int sigaction(int number, const sigaction_t *action, sigaction_t *previous)

cdef extern from *:
    """
    #include <string.h>
    #ifdef __linux__
    #include <sys/vfs.h>
    static long fastio_file_system(int fd) {
        struct statfs status;
        return fstatfs(fd, &status) ? 0 : (long) status.f_type;
    }
    #else
    static long fastio_file_system(int fd) { (void) fd; return 0; }
    #endif
    /* Only the first loss is kept: 0 becomes the place, and stays it. */
    #define fastio_note_first(at, value) \\
        ((void) __sync_bool_compare_and_swap((at), 0, (value)))
    """
    long fastio_file_system(int fd) nogil
    void fastio_note_first(int64_t *at, int64_t value) noexcept nogil
    void *memmem(const void *, size_t, const void *, size_t) nogil

cdef enum:
    MOST_GUARDED = 64  # mappings at a time; an import has one


cdef struct Guarded:
    unsigned char *start  # NULL: this place is free
    size_t size
    int64_t *lost  # shared by all processes: 1 + the offset of the first page lost, or 0


# The handler runs in the middle of anything, so it finds all it needs here.
cdef Guarded guarded[MOST_GUARDED]
cdef int guarded_count = 0
cdef sigaction_t before  # whose SIGBUS it was
cdef size_t page_size = <size_t>sysconf(_SC_PAGESIZE)


cdef bint replace_page(unsigned char *address) noexcept nogil:
    """Put zeros where *address* is, if a mapping of ours lost its page."""
    cdef unsigned char *page = address - <size_t>address % page_size
    cdef int i
    for i in range(MOST_GUARDED):
        if guarded[i].start != NULL and 0 <= address - guarded[i].start < <int64_t>guarded[i].size:
            fastio_note_first(guarded[i].lost, page - guarded[i].start + 1)
            return mmap(
                page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0
            ) != MAP_FAILED
    return False


cdef void on_bus_error(int number, siginfo_t *info, void *context) noexcept nogil:
    cdef int error = errno.errno
    cdef sigaction_t fatal
    if replace_page(<unsigned char *>info.si_addr):
        errno.errno = error
    elif before.sa_flags & SA_SIGINFO:
        before.sa_sigaction(number, info, context)
    elif before.sa_handler == SIG_DFL or before.sa_handler == SIG_IGN:
        # It happens again when this returns, and ends the process as it would have done.
        memset(&fatal, 0, sizeof(fatal))
        fatal.sa_handler = SIG_DFL
        sigaction(number, &fatal, NULL)
    else:
        before.sa_handler(number)


cdef int guard(unsigned char *start, size_t size, int64_t *lost) except -1:
    """Guard a mapping; the first one takes the signal."""
    global guarded_count
    cdef sigaction_t ours
    cdef int i
    for i in range(MOST_GUARDED):
        if guarded[i].start == NULL:
            break
    else:
        raise OSError("too many files are mapped")
    if not guarded_count:
        memset(&ours, 0, sizeof(ours))
        ours.sa_sigaction = on_bus_error
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK
        if sigaction(SIGBUS, &ours, &before):
            raise OSError(errno.errno, "cannot handle SIGBUS")
    guarded[i].lost, guarded[i].size = lost, size
    guarded[i].start = start
    guarded_count += 1
    return 0


cdef void end_guard(unsigned char *start) noexcept:
    """Guard it no longer; the last one gives the signal back, if nobody took it meanwhile."""
    global guarded_count
    cdef sigaction_t present
    cdef int i
    for i in range(MOST_GUARDED):
        if guarded[i].start == start:
            guarded[i].start = NULL
            guarded_count -= 1
            if (not guarded_count and not sigaction(SIGBUS, NULL, &present)
                    and present.sa_sigaction == on_bus_error):
                sigaction(SIGBUS, &before, NULL)


@cython.final
cdef class MappedStream:
    """What a file has from *position* on, *size* bytes, without a copy of it.

    It can be searched like bytes. Unmapped when the last view of it is gone.

    Raises:
        OSError: It cannot be mapped.
    """

    cdef unsigned char *pages
    cdef size_t pages_size
    cdef Py_ssize_t skipped  # bytes of the first page that stand before the stream
    cdef const unsigned char *first
    cdef readonly Py_ssize_t size
    cdef int64_t *lost

    def __cinit__(self, int fd, int64_t position, Py_ssize_t size):
        cdef void *pages
        if position < 0 or size <= 0:
            raise ValueError("there is nothing to map")
        self.skipped = <Py_ssize_t>(<size_t>position % page_size)
        self.pages_size = <size_t>(self.skipped + size)
        pages = mmap(
            NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0
        )
        if pages == MAP_FAILED:
            raise OSError(errno.errno, "cannot map a page")
        self.lost = <int64_t *>pages
        pages = mmap(
            NULL, self.pages_size, PROT_READ, MAP_SHARED, fd, position - self.skipped
        )
        if pages == MAP_FAILED:
            raise OSError(errno.errno, "cannot map the file")
        self.pages = <unsigned char *>pages
        self.first, self.size = self.pages + self.skipped, size
        guard(self.pages, self.pages_size, self.lost)

    def __dealloc__(self):
        if self.pages != NULL:
            end_guard(self.pages)
            munmap(self.pages, self.pages_size)
        if self.lost != NULL:
            munmap(self.lost, page_size)

    def __len__(self):
        return self.size

    def __getitem__(self, Py_ssize_t at):
        if not 0 <= at < self.size:
            raise IndexError(at)
        return self.first[at]

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        PyBuffer_FillInfo(buffer, self, <void *>self.first, self.size, 1, flags)

    def find(self, const unsigned char[::1] wanted not None, Py_ssize_t start, Py_ssize_t end):
        """Return the first place of *wanted* in ``[start:end]``, -1 if it is not there."""
        cdef const void *found
        cdef Py_ssize_t length = wanted.shape[0]
        if not 0 <= start <= end <= self.size:
            raise IndexError("a search leaves the file")
        if length == 0 or end - start < length:
            return -1
        if length == 1:
            found = memchr(self.first + start, wanted[0], end - start)
        else:
            found = memmem(self.first + start, end - start, &wanted[0], length)
        return -1 if found == NULL else <const unsigned char *>found - self.first

    def startswith(self, bytes prefix not None, Py_ssize_t start, Py_ssize_t end):
        """Tell whether ``[start:end]`` starts with *prefix*."""
        cdef Py_ssize_t length = len(prefix)
        if not 0 <= start <= end <= self.size:
            raise IndexError("a search leaves the file")
        return length <= end - start and not memcmp(
            self.first + start, <const unsigned char *>prefix, length
        )

    def expect(self, Py_ssize_t start, Py_ssize_t end):
        """Have ``[start:end]`` brought from the disk, without waiting for it."""
        self._advise(start, end, MADV_WILLNEED)

    def release(self, Py_ssize_t start, Py_ssize_t end):
        """Let go of the pages of ``[start:end]``: who touches them again has them again."""
        self._advise(start, end, MADV_DONTNEED)

    cdef int _advise(self, Py_ssize_t start, Py_ssize_t end, int advice) except -1:
        """Advise for whole pages, those at the ends included, as far as there are any."""
        cdef Py_ssize_t first = self.skipped + max(0, start)
        cdef Py_ssize_t behind = self.skipped + min(end, self.size)
        first -= first % <Py_ssize_t>page_size
        if first < behind and 0 < end:
            madvise(self.pages + first, <size_t>(behind - first), advice)
        return 0

    @property
    def lost_at(self):
        """Offset of the first page that somebody missed, in whatever process; -1: none so far."""
        return max(0, self.lost[0] - 1 - self.skipped) if self.lost[0] else -1


def file_system(int fd):
    """Return the number of the type of file system a file lies on; 0 where nobody can say."""
    return fastio_file_system(fd)
