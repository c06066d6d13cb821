# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Recipes of objects and the memory of delta families; see recipes.py.

`measure` has checked every instruction of a delta before `compose` or c_apply believe it; what a
piece of a recipe points to lies in its family's blocks, each of which has SLACK bytes behind its
end, so that copies of a few bytes need not be exact.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from fastio.store._block_memory cimport BlockMemory
from fastio.store._pieces cimport piece_after, put
from workers._arrays cimport resized
from workers._delta_apply cimport (
    DAMAGED_BASE, c_apply, delta_problem, get_size, measure, read_copy,
)

from fastio.errors import DeltaError

cdef enum:
    PIECE = sizeof(uint32_t) + sizeof(void *)  # bytes of a piece of a recipe
    FIRST_BUCKETS = 1 << 10
    LEAST_BLOCK = 1 << 12
    MOST_BLOCK = 1 << 18  # but for what is larger itself
    KEPT_BUFFER = 1 << 22  # above it a buffer is given back when little is to be put into it
    SHORT = 32  # bytes that are copied without asking how many they are
    TOO_MANY = -1  # pieces
    # A family that has this part of the memory, and some times the size of its objects, gets no
    # more. With parts of 4, 150, 1000 it took 7.0, 3.0, 2.6 s to read all blobs of a git.git that
    # import wrote (families of thousands), and 2.7, 2.7, 3.6 s where git repack did (dozens).
    PART = 150
    FULL_SIZES = 4


cdef inline uint64_t spread(uint64_t key) noexcept nogil:
    return (key * <uint64_t>0x9E3779B97F4A7C15) >> 24


cdef inline unsigned char *bytes_of(Block *block) noexcept nogil:
    return <unsigned char *>block + sizeof(Block)


cdef inline void take(Family *family, size_t size) noexcept nogil:
    # Use up what make_room found; blocks are multiples of eight bytes.
    family.blocks.used += (size + 7) & ~<size_t>7


cdef inline void copy_literal(
    unsigned char *to, const unsigned char *at, uint32_t size
) noexcept nogil:
    """Copy a few bytes; both sides have SHORT more, and mostly one copy of so many will do."""
    cdef uint32_t done = 0
    while done < size:
        memcpy(to + done, at + done, SHORT)
        done += SHORT


# Never cleared by the collector: the memory has to be there when families are given back to it.
# Nothing in it refers to anything that could refer to recipes.
@cython.no_gc
cdef class Recipes:
    """Recipes by key, with *memory* bytes for them; families unused for longest are dropped."""

    def __cinit__(self, size_t memory):
        self.memory, self.blocks = memory, BlockMemory(memory)
        self.largest = min(memory // 4, <size_t>1 << 31)
        self.buckets = <Recipe **>calloc(FIRST_BUCKETS, sizeof(Recipe *))
        if self.buckets == NULL:
            raise MemoryError
        self.mask = FIRST_BUCKETS - 1

    def __dealloc__(self):
        self.c_clear()
        free(self.buckets)
        free(self.ends)
        free(self.sources)
        free(self.payload)
        free(self.base)

    # --- families ---------------------------------------------------------------------------

    cdef int add_family(self) except -1:
        cdef Family *family = <Family *>calloc(1, sizeof(Family))
        if family == NULL:
            raise MemoryError
        self.use(family)
        return 0

    cdef void use(self, Family *family) noexcept:
        # Make it the newest. One that is in no list yet has no newer one either.
        if family == self.newest:
            return
        if family.newer != NULL:
            family.newer.older = family.older
            if family.older != NULL:
                family.older.newer = family.newer
            else:
                self.oldest = family.newer
        family.newer, family.older = NULL, self.newest
        if self.newest != NULL:
            self.newest.newer = family
        else:
            self.oldest = family
        self.newest = family

    cdef void drop(self, Family *family) noexcept:
        cdef Recipe **link
        cdef Recipe *recipe = family.recipes
        cdef Block *block = family.blocks
        cdef Block *before
        while recipe != NULL:
            link = &self.buckets[spread(recipe.key) & self.mask]
            while link[0] != recipe:
                link = &link[0].next
            link[0] = recipe.next
            recipe = recipe.sibling
            self.count -= 1
        while block != NULL:
            before = block.before
            self.blocks.give_back(block)
            block = before
        self.held -= family.held
        if family.newer != NULL:
            family.newer.older = family.older
        else:
            self.newest = family.older
        if family.older != NULL:
            family.older.newer = family.newer
        else:
            self.oldest = family.newer
        free(family)

    cdef void c_clear(self) noexcept:
        while self.newest != NULL:
            self.drop(self.newest)

    cdef unsigned char *make_room(self, size_t size) except NULL:
        """Find room in the newest family for *size* bytes and SLACK; others may have to go."""
        cdef Family *family = self.newest
        cdef Block *block = family.blocks
        cdef size_t ahead
        if block == NULL or block.size - block.used < size + 8:
            ahead = min(max(family.held // 4, <size_t>LEAST_BLOCK), <size_t>MOST_BLOCK)
            size = (max(size, ahead) + 15) & ~<size_t>7
            while self.held + size > self.memory and self.oldest != family:
                self.drop(self.oldest)
            block = <Block *>self.blocks.take(sizeof(Block) + size + SLACK)
            if block == NULL:
                raise MemoryError
            block.before, block.size, block.used = family.blocks, size, 0
            family.blocks = block
            family.held += size
            self.held += size
        return bytes_of(block) + block.used

    cdef bint is_full(self, const Family *family, size_t size) noexcept:
        return family.held > min(max(self.memory // PART, FULL_SIZES * size), self.largest)

    # --- recipes ----------------------------------------------------------------------------

    cdef Recipe *c_find(self, uint64_t key) noexcept:
        cdef Recipe *recipe = self.buckets[spread(key) & self.mask]
        while recipe != NULL and recipe.key != key:
            recipe = recipe.next
        if recipe != NULL:
            self.use(recipe.family)
        return recipe

    cdef Recipe *add(self, uint64_t key, int kind, int64_t size, size_t count) except NULL:
        """Enter a recipe of *count* pieces, to be filled in, in the newest family."""
        cdef size_t fixed = sizeof(Recipe) + count * sizeof(void *)
        cdef Recipe *recipe
        cdef Recipe **bucket
        if self.count > self.mask:
            self.grow_table()
        recipe = <Recipe *>self.make_room(fixed + count * sizeof(uint32_t))
        take(self.newest, fixed + count * sizeof(uint32_t))
        memset(recipe, 0, sizeof(Recipe))
        recipe.sources = <const unsigned char **>(<unsigned char *>recipe + sizeof(Recipe))
        recipe.ends = <uint32_t *>(<unsigned char *>recipe + fixed)
        recipe.key, recipe.kind, recipe.size, recipe.count = key, kind, size, <uint32_t>count
        recipe.family, recipe.sibling = self.newest, self.newest.recipes
        self.newest.recipes = recipe
        bucket = &self.buckets[spread(key) & self.mask]
        recipe.next = bucket[0]
        bucket[0] = recipe
        self.count += 1
        return recipe

    cdef int grow_table(self) except -1:
        cdef size_t mask = 2 * self.mask + 1, i
        cdef Recipe **buckets = <Recipe **>calloc(mask + 1, sizeof(Recipe *))
        cdef Recipe *recipe
        cdef Recipe *next
        if buckets == NULL:
            raise MemoryError
        for i in range(self.mask + 1):
            recipe = self.buckets[i]
            while recipe != NULL:
                next = recipe.next
                recipe.next = buckets[spread(recipe.key) & mask]
                buckets[spread(recipe.key) & mask] = recipe
                recipe = next
        free(self.buckets)
        self.buckets, self.mask = buckets, mask
        return 0

    cdef unsigned char *c_begin(self, size_t size) except NULL:
        self.add_family()
        return self.make_room(size)

    cdef Recipe *c_add_whole(self, uint64_t key, int kind, size_t size) except NULL:
        cdef unsigned char *content = self.make_room(size)
        cdef Recipe *recipe
        take(self.newest, size)
        recipe = self.add(key, kind, size, 1 if size else 0)
        recipe.ground, recipe.ground_size = content, size
        if size:
            recipe.sources[0], recipe.ends[0] = content, <uint32_t>size
        return recipe

    cdef void c_undo(self) noexcept:
        self.drop(self.newest)

    cdef unsigned char *c_payload(self, size_t size) except NULL:
        grow(&self.payload, &self.payload_room, size + SLACK)
        return self.payload

    cdef Recipe *c_add_delta(
        self, uint64_t key, Recipe *base, size_t size, int *problem
    ) except? NULL:
        cdef const unsigned char *at = self.payload
        cdef const unsigned char *end = at + size
        cdef int64_t target, count = TOO_MANY
        cdef size_t literal_size, most
        cdef unsigned char *literals
        cdef Recipe *recipe
        target = get_size(&at, end, base.size)
        if target == base.size:
            target = get_size(&at, end, self.largest)
        elif target >= 0:
            target = DAMAGED_BASE
        if target > <int64_t>self.largest:
            target = TOO_LARGE
        if target >= 0:
            target = measure(at, end, base.size, target, &literal_size)
        if target < 0:
            problem[0] = <int>target
            return NULL
        most = target // (2 * PIECE)
        if most and not self.is_full(base.family, target):
            literals = self.make_room(literal_size)
            count = self.compose(base, at, end, most, literals, &literal_size)
        if count == TOO_MANY:
            return self.add_built(key, base, at, end, target)
        take(self.newest, literal_size)
        recipe = self.add(key, base.kind, target, count)
        recipe.ground, recipe.ground_size = base.ground, base.ground_size
        memcpy(recipe.sources, self.sources, count * sizeof(void *))
        memcpy(recipe.ends, self.ends, count * sizeof(uint32_t))
        return recipe

    cdef Recipe *add_built(
        self, uint64_t key, const Recipe *base, const unsigned char *at,
        const unsigned char *end, int64_t size,
    ) except NULL:
        """Enter the object in full, in a family of its own if the base's has become large."""
        cdef unsigned char *out
        cdef int64_t base_size = base.size
        cdef int kind = base.kind
        grow(&self.base, &self.base_room, base_size + SLACK)
        c_run(base, self.base, base_size + SLACK)
        if self.is_full(base.family, size):
            self.add_family()  # from here on the base may be dropped
        out = self.make_room(size)
        c_apply(self.base, base_size, at, end, out, out + size)
        return self.c_add_whole(key, kind, size)

    cdef int reserve(self, size_t count) except -1:
        cdef size_t room = max(count, 2 * self.room)
        if count <= self.room:
            return 0
        self.ends = <uint32_t *>resized(self.ends, room * sizeof(uint32_t))
        self.sources = <const unsigned char **>resized(<void *>self.sources, room * sizeof(void *))
        self.room = room
        return 0

    cdef int64_t compose(
        self, const Recipe *base, const unsigned char *at, const unsigned char *end,
        size_t most, unsigned char *literals, size_t *literal_size,
    ) except -2:
        """Make the pieces of a delta's target; return how many, or TOO_MANY."""
        cdef size_t count = 0
        cdef uint32_t code, offset, size, stop, first, last, i, done = 0
        cdef uint32_t *ends
        literal_size[0] = 0
        while at < end:
            code = at[0]
            at += 1
            self.reserve(count + 2)
            if code < 0x80:
                copy_literal(literals, at, code)
                count = put(self.sources, self.ends, count, literals, code, &done)
                literals += code
                literal_size[0] += code
                at += code
            else:
                at = read_copy(at, code, &offset, &size)
                stop = offset + size
                first = piece_after(base.ends, base.count, 0, offset)
                size = min(size, base.ends[first] - offset)
                offset -= base.ends[first - 1] if first else 0
                count = put(
                    self.sources, self.ends, count, base.sources[first] + offset, size, &done
                )
                if base.ends[first] < stop:
                    # What lies between the first and the last piece is taken over as it is.
                    last = piece_after(base.ends, base.count, first + 1, stop - 1)
                    if count + (last - first) > most:
                        return TOO_MANY
                    self.reserve(count + last - first)
                    ends = self.ends + count
                    done -= base.ends[first]
                    for i in range(last - first - 1):
                        ends[i] = base.ends[first + 1 + i] + done
                    memcpy(
                        self.sources + count, base.sources + first + 1,
                        (last - first - 1) * sizeof(void *),
                    )
                    count += last - first - 1
                    done += base.ends[last - 1]
                    count = put(
                        self.sources, self.ends, count, base.sources[last],
                        stop - base.ends[last - 1], &done,
                    )
            if count > most:
                return TOO_MANY
        return count

    # --- for tests --------------------------------------------------------------------------

    def add_whole(self, uint64_t key, int kind, bytes content):
        """Begin a family with a full object."""
        memcpy(self.c_begin(len(content)), PyBytes_AS_STRING(content), len(content))
        self.c_add_whole(key, kind, len(content))

    def add_delta(self, uint64_t key, uint64_t base_key, bytes delta):
        """Add what a delta makes of another object; False if that was dropped."""
        cdef Recipe *base = self.c_find(base_key)
        cdef int problem = 0
        if base == NULL:
            return False
        memcpy(self.c_payload(len(delta)), PyBytes_AS_STRING(delta), len(delta))
        if self.c_add_delta(key, base, len(delta), &problem) == NULL:
            if problem == TOO_LARGE:
                raise DeltaError("object is too large for a recipe")
            raise DeltaError(delta_problem(problem))
        return True

    def content(self, uint64_t key):
        """Return an object's type and content; None if it was dropped."""
        cdef Recipe *recipe = self.c_find(key)
        cdef bytes content
        if recipe == NULL:
            return None
        content = PyBytes_FromStringAndSize(NULL, recipe.size)
        c_run(recipe, <unsigned char *>PyBytes_AS_STRING(content), recipe.size)
        return recipe.kind, content

    def sizes(self, uint64_t key):
        """Return the sizes of the pieces of a recipe; None if it was dropped."""
        cdef Recipe *recipe = self.c_find(key)
        if recipe == NULL:
            return None
        ends = [0] + [recipe.ends[i] for i in range(recipe.count)]
        return [after - before for before, after in zip(ends, ends[1:])]


cdef int grow(unsigned char **buffer, size_t *room, size_t size) except -1:
    """Have a buffer of *size* bytes; what is in it is lost."""
    if size > room[0] or room[0] > max(4 * size, <size_t>KEPT_BUFFER):
        free(buffer[0])
        room[0] = 0
        buffer[0] = <unsigned char *>malloc(size)
        if buffer[0] == NULL:
            raise MemoryError
        room[0] = size
    return 0


cdef void c_run(const Recipe *recipe, unsigned char *out, size_t room) noexcept nogil:
    cdef uint32_t i, size, at = 0
    cdef unsigned char held[SHORT]
    for i in range(recipe.count):
        size = recipe.ends[i] - at
        if size <= SHORT and room - at >= SHORT:
            memcpy(held, recipe.sources[i], SHORT)
            memcpy(out + at, held, SHORT)
        else:
            memcpy(out + at, recipe.sources[i], size)
        at += size
