# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Loops that read objects; see object_reader.py.

Offsets within a pack are compared with its ends by read_header and the inflater. Sizes that a pack
claims are believed only as far as its bytes could yield so much.
"""

from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from fastio.objects._oids cimport checked_oid
from fastio.store._commits_ahead cimport Ahead, CommitsAhead
from fastio.store._idx cimport IndexView
from fastio.store._loose cimport LooseReader
from fastio.store._objmap cimport fastio_prefetch
from fastio.store._pack_search cimport (
    HEADER_BASE, HEADER_CUT, HEADER_KIND, HEADER_OUTSIDE, HEADER_SIZE, Found, Header, Place,
    read_header,
)
from fastio.store._recipes cimport SLACK, TOO_LARGE, Recipe, Recipes, c_run
from fastio.store._results cimport Result, Results
from workers._arrays cimport resized
from workers._checksums cimport c_crc32
from workers._delta_apply cimport delta_problem, get_size
from workers._inflate cimport INFLATE_TOO_LONG, c_inflate, c_inflate_head, inflate_problem

import os

from fastio.errors import CircularDeltaError, DeltaError, ObjectError, PackError
from fastio.objects import kinds
from fastio.store.large_objects import verified

cdef enum:
    COMMIT = 1
    TAG = 4
    OFS_DELTA = 6
    REF_DELTA = 7
    MOST_RATIO = 1032  # bytes that deflate can make of one
    RESULT_BYTES = 1 << 23  # for what was read last, at most
    DELTA_HEAD = 20  # two sizes of at most 64 bits
    MOST_SIZE = 0x1000000000000


cdef inline uint64_t key_of(int64_t number, int64_t offset) noexcept nogil:
    return <uint64_t>number << 48 | <uint64_t>offset


cdef class ObjectReader:
    """Reads objects of *store*; see object_reader.py."""

    def __init__(self, store, *, size_t memory, bint verify=False):
        self.store, self.verify = store, verify
        self.oid_size = store.object_format.oid_size
        self.search = store.search
        self.generation = self.search.generation
        self.recipes = Recipes(memory - min(memory // 4, <size_t>RESULT_BYTES))
        self.loose = LooseReader(self.oid_size, store.object_directories)
        self.results = Results(
            self.oid_size, min(self.recipes.memory // 3, <size_t>RESULT_BYTES)
        )
        if store.commits_ahead is not None:
            self.ahead, self.ahead_pack, self.ahead_generation = store.commits_ahead

    def __dealloc__(self):
        free(self.steps)

    cdef bytes name_of(self, const unsigned char *oid):
        return PyBytes_FromStringAndSize(<const char *>oid, self.oid_size)

    # --- finding an object --------------------------------------------------------------------

    cdef int refresh(self) except -1:
        """Forget what belongs to packs that were let go of."""
        if self.generation != self.search.generation:
            self.generation = self.search.generation
            self.recipes.c_clear()
        return 0

    cdef int look(self, const unsigned char *oid) except -1:
        """Find an object, and all that is needed to write it."""
        memcpy(self.oid, oid, self.oid_size)
        if self.search.replaces:
            replaced = self.store.replaced(self.name_of(oid))
            memcpy(self.oid, PyBytes_AS_STRING(replaced), self.oid_size)
        try:
            if self.look_in_packs() or self.look_for_loose():
                return 0
        except PackError as error:  # perhaps the pack is gone, its objects being in a new one
            if not self.store.reload():
                return rescue(self, error)
        return self.look_slowly()

    cdef bint look_in_packs(self) except -1:
        self.refresh()
        self.search.c_find(self.oid, &self.found)
        if self.found.pack < 0:
            return False
        self.whole = False
        self.recipe = self.recipes.c_find(key_of(self.found.pack, self.found.offset))
        if self.recipe == NULL and not self.resolve():
            return False
        if not self.whole:
            self.found_kind, self.found_size = self.recipe.kind, self.recipe.size
            if self.recipe.stop:
                self.check_crc(self.recipe.stop)
                self.recipe.stop = 0
        return True

    cdef bint look_for_loose(self) except -1:
        """Read a loose object, unless a pack has the same one: it is then too large for recipes."""
        if self.found.pack >= 0 or not self.loose.c_find(self.oid):
            return False
        self.recipe, self.whole, self.content = NULL, False, None
        self.found_kind, self.found_size = self.loose.kind, self.loose.size
        return True

    cdef int look_slowly(self) except -1:
        """Read what is large or out of the ordinary; only look if it is larger than *most*."""
        cdef bytes name = self.name_of(self.oid)
        self.recipe, self.whole = NULL, False
        try:
            opened = None if self.most < 0 else self.store.open(name, above=self.most)
            if opened is not None and not isinstance(opened, tuple):
                self.found_kind, self.found_size = opened.kind, opened.size
                return 0
            self.found_kind, self.content = opened or self.store.read(name)
        except PackError as error:
            raise type(error)(f"object {name.hex()}: {error}") from None
        except MemoryError:
            raise ObjectError(f"object {name.hex()} is too large for the memory") from None
        self.found_size = PyBytes_GET_SIZE(self.content)
        return 0

    # --- commits that were read ahead ---------------------------------------------------------

    cdef int c_read_ahead(self, int64_t memory) except -1:
        if self.store.commits_ahead is not None or not self.whole:
            return 0
        # A view of its own: who closes the pack is not in the way.
        view = memoryview(self.search.packs[self.found.pack].content.obj)
        self.ahead = CommitsAhead(view, oid_size=self.oid_size, memory=memory)
        self.ahead_pack, self.ahead_generation = self.found.pack, self.generation
        self.store.commits_ahead = self.ahead, self.ahead_pack, self.ahead_generation
        self.ahead.start(<IndexView>self.search.places[self.found.pack].index)
        return 0

    cdef bint is_of_ahead(self) noexcept:
        """Whether what was found is an entry of the pack whose commits are read ahead."""
        return (
            self.ahead is not None and self.whole and self.found.pack == self.ahead_pack
            and self.generation == self.ahead_generation
        )

    cdef const Ahead *read_already(self) noexcept:
        """What was found, if it was read ahead, or NULL."""
        return self.ahead.c_find(self.found.offset) if self.is_of_ahead() else NULL

    cdef void c_foresee_seen(self, const Ahead *ahead, int64_t position) noexcept:
        cdef Place *place
        if ahead != NULL and self.search.generation == self.ahead_generation:
            place = &self.search.places[self.ahead_pack]
            fastio_prefetch((<IndexView>place.index).crcs + 4 * position)
            fastio_prefetch(<const unsigned char *>place.content.buf + ahead.offset)
            fastio_prefetch(ahead.data)

    cdef bint c_read_seen(
        self, const unsigned char *oid, const Ahead *ahead, int64_t position, Content *out
    ) except -1:
        self.refresh()
        if ahead == NULL or self.generation != self.ahead_generation:
            return False
        memcpy(self.oid, oid, self.oid_size)
        self.found = Found(self.ahead_pack, ahead.offset, position)
        if not self.has_crc(ahead.stop):
            return False
        out.kind, out.size, out.data = COMMIT, ahead.size, ahead.data
        return True

    # --- packs --------------------------------------------------------------------------------

    cdef bint resolve(self) except -1:
        """Make a recipe of what was found, or see that none is needed; False: it is too large."""
        cdef IndexView index = <IndexView>self.search.places[self.found.pack].index
        cdef int64_t offset = self.found.offset, count = 0
        cdef Header *header = &self.header
        cdef Recipe *recipe = NULL
        cdef int problem
        while recipe == NULL:
            problem = read_header(self.pack(), self.end(), offset, self.oid_size, header)
            if problem:
                raise self.damaged(offset, HEADER_PROBLEMS[problem])
            if header.size // MOST_RATIO > <uint64_t>(self.end() - header.payload):
                raise self.damaged(offset, f"the pack is too short for {header.size} bytes")
            if header.kind < OFS_DELTA and count == 0 and header.size > self.recipes.largest // 4:
                break  # it would drive out much, and needs no recipe
            if header.size > self.recipes.largest:
                return False
            if header.kind < OFS_DELTA:
                break
            if count > index.count:
                raise CircularDeltaError(
                    str(self.damaged(self.found.offset, "its delta chain is circular"))
                )
            self.push(count)
            self.steps[count].offset = offset
            self.steps[count].payload, self.steps[count].size = header.payload, header.size
            count += 1
            if header.kind == OFS_DELTA:
                offset = header.base
            else:
                offset = index.c_find(self.pack() + header.base)
            if offset < 0:
                name = self.name_of(self.pack() + header.base).hex()
                offset = self.steps[count - 1].offset
                raise self.damaged(offset, f"its delta base {name} is missing from the pack")
            recipe = self.recipes.c_find(key_of(self.found.pack, offset))
        if count == 0 and (
            header.kind == COMMIT or header.kind == TAG
            or header.size > self.recipes.largest // 4  # it would drive out much
        ):
            self.whole, self.found_kind, self.found_size = True, header.kind, header.size
            return True
        if recipe == NULL:
            recipe = self.read_root(offset)
        while count and recipe != NULL:
            count -= 1
            recipe = self.read_delta(recipe, &self.steps[count])
        self.recipe = recipe
        return recipe != NULL

    cdef int push(self, int64_t count) except -1:
        """Have room for another step."""
        if count == self.steps_room:
            self.steps = <Step *>resized(self.steps, (2 * count + 64) * sizeof(Step))
            self.steps_room = 2 * count + 64
        return 0

    cdef Recipe *read_root(self, int64_t offset) except NULL:
        """Begin a family with the full object at `header`."""
        cdef int64_t size = self.header.size, stop
        cdef unsigned char *room = self.recipes.c_begin(size)
        cdef Recipe *recipe
        try:
            stop = self.inflate(offset, self.header.payload, size, room, size + SLACK)
        except PackError:
            self.recipes.c_undo()
            raise
        recipe = self.recipes.c_add_whole(key_of(self.found.pack, offset), self.header.kind, size)
        recipe.stop = stop
        return recipe

    cdef Recipe *read_delta(self, Recipe *base, Step *step) except? NULL:
        """Add the object of a delta to its base's family; NULL if it is too large."""
        cdef unsigned char *room = self.recipes.c_payload(step.size)
        cdef int64_t stop
        cdef int problem = 0
        cdef Recipe *recipe
        stop = self.inflate(step.offset, step.payload, step.size, room, step.size + SLACK)
        recipe = self.recipes.c_add_delta(
            key_of(self.found.pack, step.offset), base, step.size, &problem
        )
        if recipe != NULL:
            recipe.stop = stop
        elif problem != TOO_LARGE:
            raise DeltaError(str(self.damaged(step.offset, delta_problem(problem))))
        return recipe

    cdef int64_t inflate(
        self, int64_t offset, int64_t payload, uint64_t size, unsigned char *out, int64_t room
    ) except -1:
        """Inflate what the entry at *offset* holds; return where it ends."""
        cdef const unsigned char *pack = self.pack()
        cdef int64_t packed = c_inflate(pack + payload, pack + self.end(), out, size, out + room)
        if packed < 0:
            raise self.damaged(offset, inflate_problem(packed))
        return payload + packed

    cdef int write(self, unsigned char *out, int64_t room) except -1:
        """Write what `look` found, which has its size at least as room."""
        if self.recipe != NULL:
            c_run(self.recipe, out, room)
        elif self.whole:
            write_whole(self, out, room)
        elif self.content is None:
            memcpy(out, self.loose.content, self.found_size)
        else:
            memcpy(out, PyBytes_AS_STRING(self.content), self.found_size)
            self.content = None
        if self.verify:
            self.check_oid(out)
        return 0

    # --- trust --------------------------------------------------------------------------------

    cdef bint has_crc(self, int64_t stop) noexcept:
        """Whether the bytes of the entry that was found are those that its idx tells of."""
        cdef IndexView index = <IndexView>self.search.places[self.found.pack].index
        cdef const unsigned char *at
        cdef uint32_t crc
        if index.crcs == NULL:
            return True
        at = index.crcs + 4 * self.found.position
        crc = <uint32_t>at[0] << 24 | <uint32_t>at[1] << 16 | <uint32_t>at[2] << 8 | at[3]
        return c_crc32(self.pack() + self.found.offset, stop - self.found.offset) == crc

    cdef int check_crc(self, int64_t stop) except -1:
        if not self.has_crc(stop):
            raise self.damaged(self.found.offset, "the checksum in the idx is another one")
        return 0

    cdef int check_oid(self, const unsigned char *content) except -1:
        cdef bytes name = self.name_of(self.oid)
        view = PyMemoryView_FromMemory(<char *>content, self.found_size, PyBUF_READ)
        if self.store.object_format.hash_object(self.found_kind, view) != name:
            raise ObjectError(f"object {name.hex()} is damaged: its content has another oid")
        return 0

    cdef object damaged(self, int64_t offset, reason):
        path = os.fsdecode(self.search.packs[self.found.pack].path)
        name = self.name_of(self.oid).hex()
        return PackError(f"object {name}: {path}: entry at {offset}: {reason}")

    # --- what the reader is asked -------------------------------------------------------------

    cdef int c_read(self, const unsigned char *oid, Content *out) except -1:
        cdef Result *result = self.results.c_find(oid)
        cdef const Ahead *ahead
        if result == NULL:
            self.most = -1
            self.look(oid)
            ahead = NULL if self.verify else self.read_already()
            if ahead != NULL and self.has_crc(ahead.stop):
                out.kind, out.size, out.data = self.found_kind, ahead.size, ahead.data
                return 0
            try:
                result = self.results.c_next(self.found_size + SLACK)
            except MemoryError:
                raise ObjectError(
                    f"object {self.name_of(self.oid).hex()} is too large for the memory"
                ) from None
            self.write(result.data, result.room)
            self.results.c_enter(oid, self.found_kind, self.found_size)
        out.kind, out.size, out.data = result.kind, result.size, result.data
        return 0

    cdef int64_t c_look_for(self, const unsigned char *oid, int kind) except -1:
        self.most = -1
        self.look(oid)
        self.check_kind(oid, kind)
        return self.found_size

    cdef const Recipe *c_recipe(self) noexcept:
        return NULL if self.verify else self.recipe

    cdef int check_kind(self, const unsigned char *oid, int kind) except -1:
        if kind and self.found_kind != kind:
            raise ObjectError(
                f"object {self.name_of(oid).hex()} is a {kinds.NAMES[self.found_kind].decode()}, "
                f"not a {kinds.NAMES[kind].decode()}"
            )
        return 0

    cdef int64_t c_read_into(
        self, const unsigned char *oid, int kind, unsigned char *out, int64_t room
    ) except -2:
        self.most = room
        self.look(oid)
        self.check_kind(oid, kind)
        if self.found_size > room:
            return -1
        self.write(out, room)
        return self.found_size

    cdef const unsigned char *c_head(
        self, const unsigned char *oid, unsigned char *buffer, int64_t room, int64_t *size,
        int *kind,
    ) except NULL:
        cdef Content content
        cdef int64_t packed
        self.most = -1
        self.seen = NULL
        self.look(oid)
        kind[0], size[0] = self.found_kind, self.found_size
        if self.is_of_ahead() and not self.verify and self.found_kind == COMMIT:
            self.seen = self.ahead.c_find(self.found.offset)
            if self.seen == NULL:
                self.seen = self.ahead.c_keep(self.found.offset, &self.header)
        if self.seen != NULL:
            if self.found_size <= room:
                self.check_crc(self.seen.stop)
            return self.seen.data
        if self.found_size <= room:
            self.write(buffer, room + SLACK)
            return buffer
        if not self.whole or self.verify:
            self.c_read(oid, &content)
            return content.data
        size[0] = room
        packed = c_inflate(
            self.pack() + self.header.payload, self.pack() + self.end(), buffer, room,
            buffer + room + SLACK,
        )
        if packed != INFLATE_TOO_LONG:
            raise self.damaged(self.found.offset, inflate_problem(packed))
        return buffer

    cdef int64_t c_size(self, const unsigned char *oid, int *kind) except -1:
        cdef bytes name
        try:
            if self.size_in_packs(oid, kind):
                return self.found_size
        except PackError:
            pass  # read_info finds it, too, or another pack that has the object
        if not self.search.replaces and self.loose.c_info(
            oid, &self.found_kind, &self.found_size
        ):
            if kind != NULL:
                kind[0] = self.found_kind
            return self.found_size
        name = self.name_of(oid)
        found = self.store.info(name)
        if found is None:
            raise self.store.missing(name)
        if kind != NULL:
            kind[0] = found[0]
        return found[1]

    cdef bint size_in_packs(self, const unsigned char *oid, int *kind) except -1:
        cdef unsigned char head[DELTA_HEAD]
        cdef const unsigned char *at = head
        cdef const unsigned char *end
        cdef Header header
        self.refresh()
        if self.search.replaces:
            return False
        self.search.c_find(oid, &self.found)
        if self.found.pack < 0:
            return False
        self.recipe = self.recipes.c_find(key_of(self.found.pack, self.found.offset))
        if self.recipe != NULL:
            self.found_size, self.found_kind = self.recipe.size, self.recipe.kind
        else:
            if read_header(self.pack(), self.end(), self.found.offset, self.oid_size, &header):
                return False
            self.found_size, self.found_kind = header.size, header.kind
            if self.found_kind >= OFS_DELTA:
                end = head + c_inflate_head(
                    self.pack() + header.payload, self.pack() + self.end(), head, DELTA_HEAD
                )
                get_size(&at, end, MOST_SIZE)
                self.found_size = get_size(&at, end, MOST_SIZE)
                if kind != NULL:
                    self.search.root_of(self.found.pack, self.found.offset, &self.found_kind)
            if not 0 <= self.found_size <= MOST_SIZE or self.found_kind == 0:
                return False
        if kind != NULL:
            kind[0] = self.found_kind
        return True

    cdef uint64_t c_family(self, const unsigned char *oid) except? 0:
        cdef Found found
        cdef int kind
        self.search.c_find(oid, &found)
        if found.pack >= 0:
            return key_of(found.pack, self.search.root_of(found.pack, found.offset, &kind))
        memcpy(&found.offset, oid, sizeof(found.offset))
        return <uint64_t>found.offset

    def read(self, oid):
        """Return an object's type and content."""
        cdef Content content
        self.c_read(checked_oid(oid, self.oid_size, ObjectError), &content)
        return content.kind, PyBytes_FromStringAndSize(<const char *>content.data, content.size)

    def read_into(self, oid, unsigned char[::1] room not None, int kind=0):
        """Write an object to *room*; return its size, -1 if it is larger."""
        cdef unsigned char nothing
        cdef unsigned char *out = &room[0] if room.shape[0] else &nothing
        return self.c_read_into(
            checked_oid(oid, self.oid_size, ObjectError), kind, out, room.shape[0]
        )

    def size(self, oid):
        """Return an object's type and size."""
        cdef int kind = 0
        cdef int64_t size = self.c_size(checked_oid(oid, self.oid_size, ObjectError), &kind)
        return kind, size

    def family(self, oid):
        """Return a number that objects of one delta family share."""
        return self.c_family(checked_oid(oid, self.oid_size, ObjectError))

    def open_large(self, oid, *, above):
        """Open an object that is stored whole and larger than *above*; None if it is not so."""
        if self.c_size(checked_oid(oid, self.oid_size, ObjectError), NULL) <= above:
            return None
        found = self.store.open(oid, above=above)
        if found is None or isinstance(found, tuple):
            return None
        if not self.verify:
            return found
        return verified(found, self.store.replaced(oid), self.store.object_format)


cdef int rescue(ObjectReader self, error) except -1:
    """Read another copy of what was found damaged."""
    self.recipe, self.whole = NULL, False
    self.found_kind, self.content = self.store.rescue(self.name_of(self.oid), error)
    self.found_size = PyBytes_GET_SIZE(self.content)
    return 0


cdef int write_whole(ObjectReader self, unsigned char *out, int64_t room) except -1:
    """Write what was found deflated as it is."""
    cdef const Ahead *ahead = self.read_already()
    cdef int64_t stop, size = self.found_size
    try:
        if ahead != NULL:
            stop = ahead.stop
            memcpy(out, ahead.data, ahead.size)
        else:
            stop = self.inflate(self.found.offset, self.header.payload, size, out, room)
        self.check_crc(stop)
    except PackError as error:
        rescue(self, error)
        if self.found_size != size:
            raise
        memcpy(out, PyBytes_AS_STRING(self.content), size)
        self.content = None
    return 0


cdef dict HEADER_PROBLEMS = {
    HEADER_OUTSIDE: "it is outside of the pack",
    HEADER_CUT: "it is cut short",
    HEADER_SIZE: "its size is beyond 64 bits",
    HEADER_KIND: "its type is unknown",
    HEADER_BASE: "its delta base is outside of the pack",
}
