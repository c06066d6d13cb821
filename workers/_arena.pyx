# cython: language_level=3, cdivision=True
"""One shared mapping and the allocator inside it.

Theory of operation. The mapping is a row of blocks, each a whole number of 64-byte granules long.
A block opens with a 16-byte header, so an offset handed out is 16 past a granule:

    size   uint32  granules in this block
    before uint32  granules in the block just below, 0 for the first (finds it for coalescing)
    next   uint32  free: next block of its bin; live: LIVE
    prev   uint32  free: previous block of its bin; live: granules * 64 less the bytes asked for

Granule 0 is never a block, so that 0 can end a list. A last header behind the final granule is
not needed: the end is known.

Free blocks stand in 464 bins by size, sixteen to each power of two, newest first: what was freed
last is handed out first, for its pages are mapped and likely in cache. A bitmap finds the next
filled bin. The never touched rest of the mapping is the largest block and so the last choice.

Only the coordinator allocates and frees; workers read and write inside the blocks that they are
told of. So there are no locks.

An annex may be attached: bytes that lie somewhere else, at the same address in every process, and
are read as if they stood behind the arena. Nothing is allocated there.
"""

import mmap

from cpython.buffer cimport (
    PyBUF_SIMPLE, PyBUF_WRITABLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memmove, memset

from workers.errors import ArenaError
from workers.pages import own_pages

cdef extern from *:
    """
    #define fastio_ctz64(x) __builtin_ctzll(x)
    #define fastio_msb32(x) (31 - __builtin_clz(x))
    """
    int fastio_ctz64(uint64_t x) noexcept nogil
    int fastio_msb32(uint32_t x) noexcept nogil

cdef enum:
    GRANULE = 64
    HEADER = 16
    # Blocks of a bin differ by a sixteenth at most; how many of the exact bin to try before a
    # larger one is split, and how many when nothing larger is left.
    QUICK_TRIES = 4
    LAST_TRIES = 64
    # Who touches a page of a file has some beside it mapped as well.
    READ_AROUND = 32 << 10

cdef enum:
    LIVE = 0xFFFFFFFF
# Granule numbers have 32 bits; half their range is kept unused.
cdef int64_t SIZE_LIMIT = <int64_t>1 << 37


cdef inline uint32_t bin_of(uint32_t count) noexcept nogil:
    """Bin of blocks of *count* granules: exact below 16, then sixteen bins a power of two."""
    cdef int msb
    if count < 16:
        return count
    msb = fastio_msb32(count)
    return <uint32_t>((msb - 3) * 16) + ((count >> (msb - 4)) & 15)


cdef inline uint32_t granules_for(int64_t n) noexcept nogil:
    return <uint32_t>((n + HEADER + GRANULE - 1) // GRANULE)


cdef class Arena:
    """One anonymous mapping of *size* bytes, and its allocator.

    Made before workers fork, so that it lies at the same address everywhere, needs no name in
    any file system, and goes away with the last process. One that is not *shared* is this
    process's own.
    """

    def __cinit__(self, size, *, bint shared=True):
        cdef Py_buffer buffer
        if not 4096 <= size <= SIZE_LIMIT:
            raise ArenaError(f"arena size {size} is out of range")
        self.size = size // GRANULE * GRANULE
        try:
            mapping = mmap.mmap(-1, self.size) if shared else own_pages(self.size)
        except OSError as error:
            raise ArenaError(f"cannot map {size} bytes: {error.strerror}") from error
        self.view = memoryview(mapping)
        PyObject_GetBuffer(self.view, &buffer, PyBUF_WRITABLE)
        # The view keeps the mapping alive and open, so the address outlives this buffer.
        self.base = <unsigned char *>buffer.buf
        PyBuffer_Release(&buffer)
        self.granules = <uint32_t>(self.size // GRANULE)
        self.used = 0
        self.annex, self.annex_base, self.annex_size = None, NULL, 0
        self.let_go, self.most_read = None, 0
        self._read_nothing()
        memset(self.bins, 0, sizeof(self.bins))
        memset(self.occupied, 0, sizeof(self.occupied))
        self._header(1).before = 0
        self._release(1, self.granules - 1)

    def attach(self, buffer, let_go=None, int64_t most=0):
        """Let offsets from the arena's size on name the bytes of *buffer*, which is kept.

        Before workers fork: only those that are forked afterwards find the bytes as well. What is
        attached later takes the place of what was before.

        Args:
            buffer: The bytes.
            let_go: Is given the start and end of what was read there in a process lately, so that
                the memory it holds for that can be given back; None where that is not possible.
            most: When it has read so many bytes.
        """
        cdef Py_buffer taken
        view = memoryview(buffer)
        PyObject_GetBuffer(view, &taken, PyBUF_SIMPLE)
        # As with the arena's own: the view keeps the bytes where they are.
        self.annex_base, self.annex_size = <const unsigned char *>taken.buf, taken.len
        PyBuffer_Release(&taken)
        self.annex, self.let_go, self.most_read = view, let_go, most
        self._read_nothing()

    cdef void _read_nothing(self) noexcept:
        self.annex_read, self.read_from, self.read_to = 0, self.annex_size, 0

    cdef int c_have_read(self, int64_t offset, int64_t n) except -1:
        """Note that so many bytes were read, if they lie in the annex."""
        cdef int64_t start = offset - self.size
        if start < 0 or self.let_go is None:
            return 0
        self.read_from, self.read_to = min(self.read_from, start), max(self.read_to, start + n)
        self.annex_read += n + READ_AROUND
        if self.annex_read > self.most_read:
            self.let_go(self.read_from, self.read_to)
            self._read_nothing()
        return 0

    cdef inline Header *_header(self, uint32_t block) noexcept:
        return <Header *>(self.base + <int64_t>block * GRANULE)

    cdef void _set_size(self, uint32_t block, uint32_t count) noexcept:
        """Write a block's size, and tell the block above of it."""
        self._header(block).size = count
        if block + count < self.granules:
            self._header(block + count).before = count

    cdef void _push(self, uint32_t block) noexcept:
        cdef Header *header = self._header(block)
        cdef uint32_t number = bin_of(header.size)
        header.next = self.bins[number]
        header.prev = 0
        if header.next:
            self._header(header.next).prev = block
        self.bins[number] = block
        self.occupied[number >> 6] |= <uint64_t>1 << (number & 63)

    cdef void _unlink(self, uint32_t block) noexcept:
        cdef Header *header = self._header(block)
        cdef uint32_t number = bin_of(header.size)
        if header.next:
            self._header(header.next).prev = header.prev
        if header.prev:
            self._header(header.prev).next = header.next
        else:
            self.bins[number] = header.next
            if not header.next:
                self.occupied[number >> 6] &= ~(<uint64_t>1 << (number & 63))

    cdef uint32_t _take(self, uint32_t count) noexcept:
        """Unlink and return a free block of at least *count* granules, 0 if there is none."""
        cdef uint32_t own = bin_of(count), number = own + 1, word, block
        cdef uint64_t bits
        block = self._take_from(own, count, QUICK_TRIES)
        if block:
            return block
        word = number >> 6
        if word < WORD_COUNT:
            bits = self.occupied[word] & ~((<uint64_t>1 << (number & 63)) - 1)
            while not bits and word + 1 < WORD_COUNT:
                word += 1
                bits = self.occupied[word]
            if bits:
                block = self.bins[word * 64 + fastio_ctz64(bits)]
                self._unlink(block)
                return block
        return self._take_from(own, count, LAST_TRIES)

    cdef uint32_t _take_from(self, uint32_t number, uint32_t count, int tries) noexcept:
        """The same from one bin, whose blocks may be too small: look at so many of them."""
        cdef uint32_t block = self.bins[number]
        cdef int _try
        for _try in range(tries):
            if not block:
                break
            if self._header(block).size >= count:
                self._unlink(block)
                return block
            block = self._header(block).next
        return 0

    cdef void _release(self, uint32_t block, uint32_t count) noexcept:
        """Make granules free, joined with free neighbours; ``before`` of *block* is right."""
        cdef uint32_t above = block + count
        cdef uint32_t below = block - self._header(block).before
        if above < self.granules and self._header(above).next != LIVE:
            self._unlink(above)
            count += self._header(above).size
        if below != block and self._header(below).next != LIVE:
            self._unlink(below)
            count += block - below
            block = below
        self._set_size(block, count)
        self._push(block)

    cdef void _trim(self, uint32_t block, uint32_t count) noexcept:
        """Give back what a live block has over *count* granules."""
        cdef uint32_t rest = self._header(block).size - count
        if rest:
            self._header(block).size = count
            self._header(block + count).before = count
            self._release(block + count, rest)

    cdef int64_t c_allocate(self, int64_t n) noexcept:
        """Return the offset of *n* fresh bytes (unset), -1 when no gap is large enough."""
        cdef uint32_t count, block
        if n < 0 or n > self.size:
            return -1
        count = granules_for(n)
        block = self._take(count)
        if not block:
            return -1
        self._header(block).next = LIVE
        self._trim(block, count)
        self._header(block).prev = <uint32_t>(<int64_t>count * GRANULE - n)
        self.used += <int64_t>count * GRANULE
        return <int64_t>block * GRANULE + HEADER

    cdef void c_free(self, int64_t offset) noexcept:
        """Free the live block at *offset*."""
        cdef uint32_t block = <uint32_t>(offset // GRANULE)
        cdef uint32_t count = self._header(block).size
        self.used -= <int64_t>count * GRANULE
        self._release(block, count)

    cdef void c_shrink(self, int64_t offset, int64_t n) noexcept:
        """Keep the first *n* bytes of the live block at *offset*, free the granules behind."""
        cdef uint32_t block = <uint32_t>(offset // GRANULE)
        cdef uint32_t count = granules_for(n)
        self.used -= <int64_t>(self._header(block).size - count) * GRANULE
        self._trim(block, count)
        self._header(block).prev = <uint32_t>(<int64_t>count * GRANULE - n)

    cdef int64_t c_size_of(self, int64_t offset) noexcept:
        """Return the bytes that were asked for when *offset* was allocated."""
        cdef Header *header = self._header(<uint32_t>(offset // GRANULE))
        return <int64_t>header.size * GRANULE - header.prev

    cdef bint c_is_live(self, int64_t offset) noexcept:
        """Whether *offset* looks like one that was handed out: a check, not a proof."""
        cdef Header *header
        if offset < GRANULE or offset % GRANULE != HEADER or offset >= self.size:
            return False
        header = self._header(<uint32_t>(offset // GRANULE))
        return header.next == LIVE and offset // GRANULE + header.size <= self.granules

    cdef _require_live(self, int64_t offset):
        if not self.c_is_live(offset):
            raise ArenaError(f"offset {offset} names no live block")

    def allocate(self, int64_t n):
        """Return the offset of *n* bytes (content unset), or -1 when no gap is large enough."""
        return self.c_allocate(n)

    def free(self, int64_t offset):
        """Give the block at *offset* back.

        Raises:
            ArenaError: No live block starts there.
        """
        self._require_live(offset)
        self.c_free(offset)

    def shrink(self, int64_t offset, int64_t n):
        """Keep only the first *n* bytes of the block at *offset*.

        Raises:
            ArenaError: No live block starts there, or it is shorter than that.
        """
        self._require_live(offset)
        if not 0 <= n <= self.c_size_of(offset):
            raise ArenaError(f"block at {offset} cannot be cut to {n} bytes")
        self.c_shrink(offset, n)

    def size_of(self, int64_t offset):
        """Return how many bytes were asked for at *offset*.

        Raises:
            ArenaError: No live block starts there.
        """
        self._require_live(offset)
        return self.c_size_of(offset)

    def compact(self, offsets):
        """Move the named blocks down, so that the gaps become one at the top.

        Only for moments when nothing refers to the arena: no task is in flight. Live blocks that
        are not named stay where they are, and the named ones settle around them.

        Args:
            offsets: Offsets of the blocks that may move.

        Returns:
            Their new offsets, in the same order.

        Raises:
            ArenaError: An offset names no live block; nothing was moved.
        """
        cdef int64_t offset
        cdef dict places = {}
        for offset in offsets:
            self._require_live(offset)
            places[offset] = offset
        self._slide(places)
        return [places[offset] for offset in offsets]

    cdef _slide(self, dict places):
        """Move every block that *places* names and note there where it went."""
        cdef uint32_t block = 1, floor = 1, before = 0, count
        memset(self.bins, 0, sizeof(self.bins))
        memset(self.occupied, 0, sizeof(self.occupied))
        while block < self.granules:
            count = self._header(block).size
            if self._header(block).next == LIVE:
                offset = <int64_t>block * GRANULE + HEADER
                if offset not in places:
                    before = self._gap(floor, block, before)
                    floor = block
                elif floor != block:
                    memmove(self._header(floor), self._header(block), <size_t>count * GRANULE)
                    places[offset] = <int64_t>floor * GRANULE + HEADER
                self._header(floor).before = before
                before = count
                floor += count
            block += count
        self._gap(floor, self.granules, before)

    cdef uint32_t _gap(self, uint32_t floor, uint32_t end, uint32_t before) noexcept:
        """Make one free block of [floor, end); return the size of the block below *end*."""
        if floor == end:
            return before
        self._header(floor).before = before
        self._set_size(floor, end - floor)
        self._push(floor)
        return end - floor

    def check_invariants(self):
        """Walk all blocks and bins; an AssertionError tells what does not fit (for tests)."""
        cdef uint32_t block = 1, before = 0, number
        cdef int64_t used = 0
        free, binned = set(), set()
        was_free = False
        while block < self.granules:
            assert self._header(block).before == before, f"block {block}: wrong size below"
            before = self._header(block).size
            assert before, f"block {block} is empty"
            if self._header(block).next == LIVE:
                used += <int64_t>before * GRANULE
                was_free = False
            else:
                assert not was_free, f"block {block} was not joined with the one below"
                free.add(block)
                was_free = True
            block += before
        assert block == self.granules, "the last block leaves the arena"
        assert used == self.used, f"{used} bytes are live, {self.used} counted"
        for number in range(BIN_COUNT):
            block = self.bins[number]
            filled = (self.occupied[number >> 6] >> (number & 63)) & 1
            assert filled == (block != 0), f"bin {number}: wrong bit"
            while block:
                assert bin_of(self._header(block).size) == number, f"block {block}: wrong bin"
                binned.add(block)
                block = self._header(block).next
        assert free == binned, "free blocks and bins differ"
