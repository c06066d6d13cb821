from libc.stdint cimport int64_t, uint32_t

cdef enum:
    STATE_STEP = 1024  # bytes from one kept state to the next

cdef struct Message:
    const unsigned char *data
    int64_t size
    int64_t kind  # git's object type number, 1 to 4
    unsigned char *oid  # takes 20 bytes
    Message *next  # the hashing's own

cdef struct State:
    uint32_t words[5]

# Whether this processor has a kernel that is as fast as hashlib's, or faster.
cdef bint c_is_fast() noexcept nogil

# How many objects are hashed side by side.
cdef int c_lanes() noexcept nogil

cdef void c_hash_objects(Message *messages, int64_t count) noexcept nogil

cdef void c_hash_object(
    int64_t kind, const unsigned char *data, int64_t size, unsigned char *oid
) noexcept nogil

cdef inline int64_t c_state_count(int64_t size) noexcept nogil:
    """How many states `c_hash_again` keeps of an object of *size* bytes."""
    return size // STATE_STEP + 1

cdef void c_hash_again(
    int64_t kind, const unsigned char *data, int64_t size, int64_t unchanged, State *states,
    unsigned char *oid,
) noexcept nogil
