# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Look-ups in all packs of a repository at once, for whoever has many oids to ask about.

Which packs there are, and all that is out of the ordinary (a pack that is damaged, a loose object,
more packs than may be open), stays with `fastio.store.objects.ObjectStore`, which this asks.

The type of a deltified object is that of the full one at the end of its chain, its root. Only
headers are read on the way there, and what was learnt is remembered for all of the chain in a
table where entries displace each other: neighbours in history share their chains, so most walks are
short.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from fastio.objects._oids cimport checked_oid
from fastio.store._idx cimport IndexView
from fastio.store._multi_pack cimport MultiPackView
from fastio.store._objmap cimport fastio_prefetch

import os

from fastio.errors import PackError

cdef enum:
    HEADER_SIZE_OF_PACK = 12
    OFS_DELTA = 6
    REF_DELTA = 7
    MOST_STEPS = 1 << 16  # damaged packs can have chains without end
    LINE = 64  # bytes of the processor's cache
    TABLE_BITS = 17  # three megabytes; enough for the 262,000 blobs of git.git
    LONGEST_NOTED = 64
    MOST_PACKS = 8192  # their numbers and offsets share a word with the type
    # An idx has its fan-out refined, which takes 2 ns for each of its oids, once this part of them
    # was asked for: by then it is likely that many more follow, each of which is found in 0.1 us
    # instead of 0.4.
    MANY = 32


cdef class PackSearch:
    """Finds objects in packs.

    Args:
        oid_size: Bytes of an oid.
        open_packs: Returns the list of all packs, opened; None if they are too many.
        has_slowly: Tells whether a usable pack has an oid, when they are too many.
        kind_slowly: Returns an object's type, 0 if it is missing: asked where headers of one pack
            do not tell.
        replaces: Whether other objects may have to be read in the place of some.
        open_multi: Returns all multi-pack-indexes, opened.
    """

    def __init__(
        self, int oid_size, open_packs, has_slowly, kind_slowly, *, bint replaces, open_multi=list
    ):
        self.oid_size, self.replaces = oid_size, replaces
        self.open_multi, self.multis = open_multi, []
        self.open_packs, self.has_slowly, self.kind_slowly = open_packs, has_slowly, kind_slowly

    def __dealloc__(self):
        self.let_go()

    def has(self, oid):
        """Tell whether a usable pack has the object."""
        return self.c_has(checked_oid(oid, self.oid_size, PackError))

    def kind(self, oid):
        """Return the object's type, None if there is no such object."""
        return self.c_kind(checked_oid(oid, self.oid_size, PackError)) or None

    def forget(self):
        """Let go of all packs: some are about to be closed, or there are others from now on."""
        self.let_go()

    cdef void let_go(self) noexcept:
        cdef int64_t number
        for number in range(self.count):
            if self.places[number].readiness == READY:
                PyBuffer_Release(&self.places[number].content)
        free(self.places)
        free(self.roots)
        self.places, self.roots, self.packs, self.multis = NULL, NULL, None, []
        self.count = self.last = 0
        self.loaded = False
        self.generation += 1

    cdef int load(self) except -1:
        cdef list packs = self.open_packs()
        cdef int64_t number
        self.too_many = packs is None or len(packs) > MOST_PACKS
        self.loaded = True
        if self.too_many or not packs:
            return 0
        self.places = <Place *>calloc(len(packs), sizeof(Place))
        if self.places == NULL:
            raise MemoryError
        self.packs, self.count = packs, len(packs)
        for number in range(self.count):
            self.places[number].index = <void *>(<IndexView?>packs[number].index)
        if self.count > 1:
            self.load_multis()
        return 0

    cdef int load_multis(self) except -1:
        numbers = {pack.path: number for number, pack in enumerate(self.packs)}
        for multi in self.open_multi():
            covered = [numbers.get(path + b".pack", -1) for path in multi.paths()]
            self.multis.append((multi, covered))
            for number in covered:
                if number >= 0:
                    self.places[<int64_t>number].covered = True
        return 0

    cdef bytes bytes_of(self, const unsigned char *oid):
        return PyBytes_FromStringAndSize(<const char *>oid, self.oid_size)

    # --- look-ups -----------------------------------------------------------------------------

    cdef bint c_has(self, const unsigned char *oid) except -1:
        cdef Found found
        self.c_find(oid, &found)
        if self.too_many:
            return self.has_slowly(self.bytes_of(oid))
        return found.pack >= 0

    cdef int c_kind(self, const unsigned char *oid) except -1:
        cdef Found found
        cdef int kind = 0
        if not self.replaces:
            self.c_find(oid, &found)
            if found.pack >= 0:
                self.root_of(found.pack, found.offset, &kind)
        return kind or self.kind_slowly(self.bytes_of(oid))

    cdef int c_find(self, const unsigned char *oid, Found *found) except -1:
        cdef int64_t number
        if not self.loaded:
            self.load()
        found.pack = -1
        if self.count == 0 or self.find_in(self.last, oid, found):
            return 0
        if self.multis and self.find_by_multi(oid, found):
            return 0
        for number in range(self.count):
            if number != self.last and not self.places[number].covered:
                if self.find_in(number, oid, found):
                    return 0
        return 0

    cdef bint find_in(self, int64_t number, const unsigned char *oid, Found *found) except -1:
        cdef IndexView index = <IndexView>self.places[number].index
        self.places[number].asked += 1
        if self.places[number].asked == index.count // MANY:
            index.c_refine()
        found.position = index.c_position(oid)
        if found.position < 0 or not self.is_ready(number):
            return False
        found.offset = index.c_offset_at(<uint32_t>found.position)
        if found.offset < 0:
            path = os.fsdecode(self.packs[number].path)
            raise PackError(f"{path}: its idx points outside its table of large offsets")
        self.last = found.pack = number
        return True

    cdef void c_foresee(self, const unsigned char *oid, bint far) noexcept:
        if self.count:
            (<IndexView>self.places[self.last].index).c_foresee(oid, far)

    cdef void c_foresee_entry(self, const unsigned char *oid) noexcept:
        cdef Place *place
        cdef IndexView index
        cdef int64_t position, offset
        if self.count == 0 or self.places[self.last].readiness != READY:
            return
        place = &self.places[self.last]
        index = <IndexView>place.index
        position = index.c_position(oid)
        if position >= 0:
            offset = index.c_offset_at(<uint32_t>position)
            fastio_prefetch(index.crcs + 4 * position)
            fastio_prefetch(<const unsigned char *>place.content.buf + offset)
            fastio_prefetch(<const unsigned char *>place.content.buf + offset + LINE)

    cdef bint find_by_multi(self, const unsigned char *oid, Found *found) except -1:
        """Let a multi-pack-index say which pack to ask; if that is wrong, ask none any more."""
        cdef int64_t position, number
        cdef uint32_t pack
        cdef MultiPackView view
        for multi, covered in self.multis:
            view = multi
            position = view.c_position(oid)
            if position < 0:
                continue
            pack = view.c_pack_at(<uint32_t>position)
            number = covered[pack] if pack < len(covered) else -1
            if number >= 0 and self.find_in(number, oid, found):
                return True
            self.multis = []
            for number in range(self.count):
                self.places[number].covered = False
            break
        return False

    cdef bint is_ready(self, int64_t number) except -1:
        """Tell whether a pack can be read; the first time it is opened for that."""
        cdef Place *place = &self.places[number]
        if place.readiness == UNTRIED:
            place.readiness = UNUSABLE
            if self.packs[number].is_usable():
                PyObject_GetBuffer(self.packs[number].content, &place.content, PyBUF_SIMPLE)
                place.readiness = READY
        return place.readiness == READY

    # --- delta chains -------------------------------------------------------------------------

    cdef int64_t root_of(self, int64_t number, int64_t offset, int *kind) except -1:
        cdef const unsigned char *content = <const unsigned char *>self.places[number].content.buf
        cdef int64_t end = self.places[number].content.len - self.oid_size
        cdef uint64_t passed[LONGEST_NOTED]
        cdef uint64_t key
        cdef Header header
        cdef Root *slot
        cdef int count = 0, _step
        if self.roots == NULL:
            self.roots = <Root *>calloc(1 << TABLE_BITS, sizeof(Root))
            if self.roots == NULL:
                raise MemoryError
        kind[0] = 0
        for _step in range(MOST_STEPS):
            key = <uint64_t>number << 48 | <uint64_t>offset
            slot = &self.roots[slot_of(key)]
            if slot.key == key:
                kind[0], offset = slot.kind, slot.offset
                break
            if count < LONGEST_NOTED:
                passed[count] = key
                count += 1
            if read_header(content, end, offset, self.oid_size, &header):
                return offset
            if header.kind == OFS_DELTA:
                offset = header.base
            elif header.kind == REF_DELTA:
                offset = (<IndexView>self.places[number].index).c_find(content + header.base)
                if offset < 0:
                    return 0
            else:
                kind[0] = header.kind
                break
        if kind[0]:
            for count in range(count - 1, -1, -1):
                slot = &self.roots[slot_of(passed[count])]
                slot.key, slot.offset, slot.kind = passed[count], offset, kind[0]
        return offset


cdef inline uint64_t slot_of(uint64_t key) noexcept:
    return key * <uint64_t>0x9E3779B97F4A7C15 >> (64 - TABLE_BITS)


cdef int read_header(
    const unsigned char *content, int64_t end, int64_t offset, int oid_size, Header *header
) noexcept nogil:
    cdef int64_t at = offset, back
    cdef unsigned int byte
    cdef int shift = 4
    if not HEADER_SIZE_OF_PACK <= offset < end:
        return HEADER_OUTSIDE
    byte = content[at]
    at += 1
    header.kind, header.size, header.base = byte >> 4 & 7, byte & 15, -1
    while byte & 0x80:
        if at >= end:
            return HEADER_CUT
        byte = content[at]
        at += 1
        if shift > 60 or (shift == 60 and byte & 0x70):
            return HEADER_SIZE
        header.size |= <uint64_t>(byte & 0x7F) << shift
        shift += 7
    if header.kind == REF_DELTA:
        header.base = at
        at += oid_size
    elif header.kind == OFS_DELTA:
        if at >= end:
            return HEADER_CUT
        byte = content[at]
        at += 1
        back = byte & 0x7F
        while byte & 0x80:
            if at >= end:
                return HEADER_CUT
            if back >= offset:
                return HEADER_BASE
            byte = content[at]
            at += 1
            back = (back + 1) << 7 | (byte & 0x7F)
        header.base = offset - back
        if back == 0 or header.base < HEADER_SIZE_OF_PACK:
            return HEADER_BASE
    elif not 1 <= header.kind <= 4:
        return HEADER_KIND
    header.payload = at
    return 0 if at < end else HEADER_CUT
