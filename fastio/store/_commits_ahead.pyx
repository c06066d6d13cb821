# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The thread that reads commits ahead; see commits_ahead.py."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from fastio.store._idx cimport IndexView
from fastio.store._pack_search cimport Header, read_header
from workers._inflate cimport INFLATE_SLACK, c_inflate

from workers.pages import own_pages

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
    # thread reads others. The walk of git.git takes 0.33, 0.28, 0.28, 0.31, 0.30 s with 18, 22, 26,
    # 30, 35: with fewer it catches up with the thread, and both read the same ones.
    LEFT = 24
    OWN_PART = 3  # a third of the memory is for those


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
        self.oid_size, self.pages = oid_size, []
        self.set_up(&self.own, memory // OWN_PART)
        self.set_up(&self.read_ahead, memory - memory // OWN_PART)
        PyObject_GetBuffer(pack, &self.pack, PyBUF_SIMPLE)
        self.held = True

    def __dealloc__(self):
        free(self.own.rows)
        free(self.read_ahead.rows)
        if self.held:
            PyBuffer_Release(&self.pack)

    cdef int set_up(self, Shelf *shelf, int64_t memory) except -1:
        shelf.room = max(memory // (LEAST_COMMIT + <int64_t>sizeof(Ahead)), 1)
        shelf.content_room = max(memory - shelf.room * <int64_t>sizeof(Ahead), 0)
        shelf.rows = <Ahead *>malloc(shelf.room * sizeof(Ahead))
        if shelf.rows == NULL:
            raise MemoryError
        try:
            pages = own_pages(shelf.content_room + INFLATE_SLACK)
        except OSError:
            raise MemoryError from None
        self.pages.append(pages)
        shelf.content = room_of(pages)
        return 0

    def __len__(self):
        return load(&self.read_ahead.count, ACQUIRE)

    @property
    def used(self):
        return (
            self.read_ahead.content_size + self.own.content_size
            + (len(self) + self.own.count) * sizeof(Ahead)
        )

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

    cdef int64_t put(self, Shelf *shelf, int64_t offset, const Header *header) noexcept nogil:
        """Inflate an entry, and keep it if it is a commit; where it ends, 0 if that cannot be."""
        cdef const unsigned char *pack = <const unsigned char *>self.pack.buf
        cdef const unsigned char *end = pack + (self.pack.len - self.oid_size)
        cdef int64_t left = shelf.content_room - shelf.content_size, packed
        cdef unsigned char *out = shelf.content + shelf.content_size
        if shelf.count == shelf.room or header.size > <uint64_t>left:
            return 0
        packed = c_inflate(
            pack + header.payload, end, out, header.size, out + left + INFLATE_SLACK
        )
        if packed < 0:
            return 0
        if header.kind == COMMIT:
            shelf.rows[shelf.count] = Ahead(
                offset, header.payload + packed, <int64_t>header.size, out
            )
            shelf.content_size += <int64_t>header.size
            store(&shelf.count, shelf.count + 1, RELEASE)
        return header.payload + packed

    cdef const Ahead *c_keep(self, int64_t offset, const Header *header) noexcept nogil:
        return &self.own.rows[self.own.count - 1] if self.put(&self.own, offset, header) else NULL

    cdef void run(self, int64_t offset) noexcept nogil:
        cdef const unsigned char *pack = <const unsigned char *>self.pack.buf
        cdef int64_t end = self.pack.len - self.oid_size
        cdef int others = 0
        cdef Header header
        while offset and not (<volatile int *>&self.stopping)[0]:
            if read_header(pack, end, offset, self.oid_size, &header):
                break
            if header.kind == COMMIT:
                others = 0
            else:
                others += 1
                if others > MOST_OTHERS or header.size > LARGEST_OTHER:
                    break
            offset = self.put(&self.read_ahead, offset, &header)

    cdef const Ahead *c_find(self, int64_t offset) noexcept nogil:
        # Mostly it is a neighbour of the last one, so the search goes on from there.
        cdef const Ahead *rows = self.read_ahead.rows
        cdef int64_t count = load(&self.read_ahead.count, ACQUIRE), step = 1
        cdef int64_t low = 0, high = count, middle
        if count == 0 or offset > rows[count - 1].offset or offset < rows[0].offset:
            return NULL
        if rows[self.last].offset <= offset:
            low = self.last
            while low + step < count and rows[low + step].offset <= offset:
                low += step
                step *= 2
            high = min(low + step, count)
        else:
            high = self.last
            while high - step > 0 and rows[high - step].offset > offset:
                high -= step
                step *= 2
            low = max(high - step, <int64_t>0)
        while high - low > 1:
            middle = (low + high) // 2
            if rows[middle].offset <= offset:
                low = middle
            else:
                high = middle
        if rows[low].offset != offset:
            return NULL
        self.last = low
        return &rows[low]


cdef unsigned char *room_of(unsigned char[::1] pages):
    return &pages[0]


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
