from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastio.store._block_memory cimport BlockMemory
from workers._inflate cimport INFLATE_SLACK

cdef enum:
    SLACK = INFLATE_SLACK  # bytes of room behind what lies in a family's memory
    # Why a delta makes no recipe, beside DAMAGED_CUT and the others: its object is too large.
    TOO_LARGE = -6


cdef struct Block:  # of a family's memory
    Block *before
    size_t size
    size_t used
    # and `size` bytes behind


cdef struct Family:
    Family *newer  # by use
    Family *older
    Block *blocks
    Recipe *recipes
    size_t held  # bytes of all blocks


cdef struct Recipe:  # of one object
    Recipe *next  # in the same bucket of the table
    Recipe *sibling
    Family *family
    const unsigned char *ground  # the full object that it was made from
    size_t ground_size
    uint64_t key
    int64_t size
    const unsigned char **sources  # of each piece
    uint32_t *ends  # of each piece, in the object
    uint32_t count
    int kind
    int64_t stop  # the caller's


cdef class Recipes:
    cdef readonly size_t memory, held, largest
    cdef readonly size_t count
    cdef BlockMemory blocks
    cdef Family *newest
    cdef Family *oldest
    cdef Recipe **buckets
    cdef size_t mask
    cdef uint32_t *ends  # pieces of the recipe that is being made
    cdef const unsigned char **sources
    cdef size_t room
    cdef unsigned char *payload
    cdef size_t payload_room
    cdef unsigned char *base
    cdef size_t base_room

    # The recipe by that name, its family used last from now on; NULL when there is none.
    cdef Recipe *c_find(self, uint64_t key) noexcept
    # Begin a family; room for its full object of *size* bytes, and for SLACK behind.
    cdef unsigned char *c_begin(self, size_t size) except NULL
    # Enter the full object that now lies in the room which c_begin gave.
    cdef Recipe *c_add_whole(self, uint64_t key, int kind, size_t size) except NULL
    # Take back what c_begin did.
    cdef void c_undo(self) noexcept
    # Room for a delta of *size* bytes, and for SLACK behind.
    cdef unsigned char *c_payload(self, size_t size) except NULL
    # Enter what the delta of that *size*, now in the room which c_payload gave, makes of *base*,
    # which was the last one found or added. NULL with *problem* set for a delta that is damaged.
    cdef Recipe *c_add_delta(
        self, uint64_t key, Recipe *base, size_t size, int *problem
    ) except? NULL
    cdef void c_clear(self) noexcept

    cdef void use(self, Family *family) noexcept
    cdef void drop(self, Family *family) noexcept
    cdef bint is_full(self, const Family *family, size_t size) noexcept
    cdef int add_family(self) except -1
    cdef unsigned char *make_room(self, size_t size) except NULL
    cdef Recipe *add(self, uint64_t key, int kind, int64_t size, size_t count) except NULL
    cdef int grow_table(self) except -1
    cdef int reserve(self, size_t count) except -1
    cdef int64_t compose(
        self, const Recipe *base, const unsigned char *at, const unsigned char *end,
        size_t most, unsigned char *literals, size_t *literal_size,
    ) except -2
    cdef Recipe *add_built(
        self, uint64_t key, const Recipe *base, const unsigned char *at,
        const unsigned char *end, int64_t size,
    ) except NULL

# Write the object to *out*; up to *room* bytes may be written, which are no fewer than its size.
cdef void c_run(const Recipe *recipe, unsigned char *out, size_t room) noexcept nogil
