# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The thread that reads commits ahead; see commits_ahead.py."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from fastio.store._idx cimport IndexView
from fastio.store._pack_search cimport Header, read_header
from workers._inflate cimport INFLATE_SLACK, c_inflate

cdef extern from *:
    int64_t load "__atomic_load_n" (const int64_t *at, int order) noexcept nogil
    void store "__atomic_store_n" (int64_t *at, int64_t value, int order) noexcept nogil
    int ACQUIRE "__ATOMIC_ACQUIRE"
    int RELEASE "__ATOMIC_RELEASE"

cdef enum:
    COMMIT = 1
    PACK_HEADER = 12
    LEAST_COMMIT = 128  # bytes that one has on average, at least, or not all are read
    # What else lies between commits, tags or deltas of commits, is passed over; but not more of it.
    MOST_OTHERS = 256
    LARGEST_OTHER = 1 << 14
    SAMPLES = 512  # entries that are looked at to see where commits lie
    # So many percent of the commits are left to the walk itself, which gets past them while the
    # thread reads others. The walk of git.git takes 0.26, 0.23, 0.21, 0.22 s with 10, 18, 25, 35;
    # but what is left is inflated once more by workers: all of an export without data takes 1.06 s
    # with 18, 1.09 with 25, 1.10 with 32.
    LEFT = 18


cdef class CommitsAhead:
    """Reads the commits that a pack begins with.

    Args:
        pack: All of its bytes, which must not change.
        oid_size: Bytes of an oid.
        memory: For what is read.

    Attributes:
        used: How much of that is.
    """

    def __init__(self, pack, *, int oid_size, int64_t memory):
        if self.held:
            raise ValueError("commits of another pack are being read")
        self.oid_size = oid_size
        self.room = max(memory // (LEAST_COMMIT + <int64_t>sizeof(Ahead)), 1)
        self.content_room = max(memory - self.room * <int64_t>sizeof(Ahead), 0)
        self.rows = <Ahead *>malloc(self.room * sizeof(Ahead))
        self.content = <unsigned char *>malloc(self.content_room + INFLATE_SLACK)
        if self.rows == NULL or self.content == NULL:
            raise MemoryError
        PyObject_GetBuffer(pack, &self.pack, PyBUF_SIMPLE)
        self.held = True

    def __dealloc__(self):
        free(self.rows)
        free(self.content)
        if self.held:
            PyBuffer_Release(&self.pack)

    def __len__(self):
        return load(&self.count, ACQUIRE)

    @property
    def used(self):
        return self.content_size + len(self) * sizeof(Ahead)

    def start(self, IndexView index=None):
        """Begin to read.

        Args:
            index: The pack's, to begin behind the commits that are left to the walk; None to begin
                with the first.
        """
        import threading  # few walks are so long
        cdef int64_t first = PACK_HEADER
        if index is not None:
            first = first_to_read(index, <const unsigned char *>self.pack.buf, self.pack.len)
        self.thread = threading.Thread(target=self.read, args=(first,), name="commits ahead")
        self.thread.start()

    def read(self, int64_t first):
        """Read until there is a reason to end; what the thread does."""
        with nogil:
            self.run(first)

    def finish(self):
        """Wait until all is read."""
        if self.thread is not None:
            self.thread.join()
            self.thread = None

    def stop(self):
        """Read no more; what is there stays."""
        self.stopping = 1
        self.finish()

    def find(self, int64_t offset):
        """Return a commit's content and the end of its entry; None if it was not read."""
        cdef const Ahead *row = self.c_find(offset)
        if row == NULL:
            return None
        return PyBytes_FromStringAndSize(<const char *>row.data, row.size), row.stop

    cdef void run(self, int64_t offset) noexcept nogil:
        cdef const unsigned char *pack = <const unsigned char *>self.pack.buf
        cdef int64_t end = self.pack.len - self.oid_size, packed
        cdef int64_t count = 0, left
        cdef int others = 0
        cdef unsigned char *out
        cdef Header header
        while count < self.room and not (<volatile int *>&self.stopping)[0]:
            if read_header(pack, end, offset, self.oid_size, &header):
                break
            left = self.content_room - self.content_size
            if header.size > <uint64_t>left:
                break
            if header.kind != COMMIT:
                others += 1
                if others > MOST_OTHERS or header.size > LARGEST_OTHER:
                    break
            out = self.content + self.content_size
            packed = c_inflate(
                pack + header.payload, pack + end, out, header.size, out + left + INFLATE_SLACK
            )
            if packed < 0:
                break
            if header.kind == COMMIT:
                others = 0
                self.rows[count] = Ahead(
                    offset, header.payload + packed, <int64_t>header.size, out
                )
                self.content_size += <int64_t>header.size
                count += 1
                store(&self.count, count, RELEASE)
            offset = header.payload + packed

    cdef const Ahead *c_find(self, int64_t offset) noexcept nogil:
        # Mostly it is a neighbour of the last one, so the search goes on from there.
        cdef int64_t count = load(&self.count, ACQUIRE), step = 1
        cdef int64_t low = 0, high = count, middle
        if count == 0 or offset > self.rows[count - 1].offset or offset < self.rows[0].offset:
            return NULL
        if self.rows[self.last].offset <= offset:
            low = self.last
            while low + step < count and self.rows[low + step].offset <= offset:
                low += step
                step *= 2
            high = min(low + step, count)
        else:
            high = self.last
            while high - step > 0 and self.rows[high - step].offset > offset:
                high -= step
                step *= 2
            low = max(high - step, <int64_t>0)
        while high - low > 1:
            middle = (low + high) // 2
            if self.rows[middle].offset <= offset:
                low = middle
            else:
                high = middle
        if self.rows[low].offset != offset:
            return NULL
        self.last = low
        return &self.rows[low]


cdef int64_t first_to_read(IndexView index, const unsigned char *pack, int64_t size) except -1:
    """Find a commit behind those that are left to the walk, by a sample of the pack's entries."""
    cdef list offsets = []
    cdef uint32_t number, step = max(index.count // SAMPLES, <uint32_t>1)
    cdef int64_t offset
    cdef Header header
    for number in range(0, index.count, step):
        offset = index.c_offset_at(number)
        if read_header(pack, size - index.oid_size, offset, index.oid_size, &header) == 0:
            if header.kind == COMMIT:
                offsets.append(offset)
    offsets.sort()
    return offsets[len(offsets) * LEFT // 100] if offsets else PACK_HEADER
