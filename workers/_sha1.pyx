# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Oids by SHA-1: of one object, of many side by side, of one that changed behind its first bytes.

Theory of operation. What is hashed is ``<kind> <size>\\0``, the object's bytes, and padding. In
memory it is a row of *stretches* of whole 64-byte blocks: the first block, put together from the
header and the first bytes; the blocks that lie in the object itself; one or two with its last
bytes and the padding.

Many objects are hashed in lanes (``_sha1.h``). Each step takes all lanes as far as the shortest of
their stretches; a lane whose object ends goes on with the next one. Longer ones come first, so that
lanes end together. A step costs the same however many lanes are in use: when they are few, what
is left of their objects is hashed one by one.

If collisions are looked for (``_collisions.h``), objects are hashed block by block, each of which
is looked at. What is found is noted in a page that is shared with all forked processes, so that
whoever publishes objects needs to look there only (`workers.collisions`).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef extern from "_sha1.h":
    """
    #define fastio_msb64(x) (63 - __builtin_clzll(x))
    """
    enum:
        SHA1_LANES
    ctypedef struct Sha1Kernel:
        const char *name
        int lanes
        void (*one)(uint32_t *state, const unsigned char *data, int64_t blocks) noexcept nogil
        void (*many)(
            uint32_t (*states)[SHA1_LANES], const unsigned char **data, int64_t blocks
        ) noexcept nogil
    int sha1_kernels(Sha1Kernel *kernels) noexcept nogil
    int fastio_msb64(uint64_t x) noexcept nogil

cdef extern from "_collisions.h":
    void sha1_make_differences() noexcept nogil
    enum:
        ABREAST
    void sha1_possible(const unsigned char *data, int count, uint32_t *possible) noexcept nogil
    bint sha1_collides(
        const uint32_t *begin, const unsigned char *block, uint32_t possible
    ) noexcept nogil

cdef enum:
    BLOCK = 64
    OID_SIZE = 20
    # Sixteen lanes take 150 ns for a block of each, and one object's block alone takes 40.
    FEW_LANES = 4
    SIZE_CLASSES = 64

cdef uint32_t *INITIAL = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
cdef const char **KIND_NAMES = [b"", b"commit ", b"tree ", b"blob ", b"tag "]
cdef int *KIND_NAME_SIZES = [0, 7, 5, 5, 4]

cdef Sha1Kernel kernels[4]
cdef int kernel_count = sha1_kernels(kernels)
cdef const Sha1Kernel *best = &kernels[kernel_count - 1]

cdef struct Lane:
    Message *message  # NULL: none is left for this lane
    const unsigned char *at  # the stretch that is being hashed
    int64_t blocks
    const unsigned char *data  # what lies behind it
    int64_t left
    int64_t size  # of the message, header included
    int filled  # bytes of the edge that wait for the next ones to make a stretch with
    bint is_last
    unsigned char edge[2 * BLOCK]  # the first stretch, and later the last one

cdef struct Lanes:
    uint32_t states[5][SHA1_LANES]
    const unsigned char *places[SHA1_LANES]
    Lane lane[SHA1_LANES]

cdef struct Queue:
    Message *heads[SIZE_CLASSES]  # by the size's highest bit
    int highest


cdef bint c_is_fast() noexcept nogil:
    return kernel_count > 1 or note != NULL


cdef int c_lanes() noexcept nogil:
    return best.lanes


# --- collisions ---------------------------------------------------------------------------------

cdef unsigned char *note = NULL  # 1 and an oid, once there is a collision; NULL: nobody looks
cdef object note_page = None


def look_for_collisions(page):
    """Look at every block from now on, and note in *page*, at least 64 bytes, what is found."""
    global note, note_page
    cdef unsigned char[::1] view = page
    if view.shape[0] < BLOCK:
        raise ValueError("the page is too small")
    sha1_make_differences()
    note_page, note = page, &view[0]


cdef void look_at(
    const Sha1Kernel *kernel, uint32_t *state, const unsigned char *at, int64_t blocks, bint *found
) noexcept nogil:
    """Hash blocks from *state* on, and look at each."""
    cdef uint32_t possible[ABREAST]
    cdef int64_t done = 0, i, looked_at
    while done < blocks:
        looked_at = min(<int64_t>ABREAST, blocks - done)
        sha1_possible(at, <int>looked_at, possible)
        for i in range(looked_at):
            if possible[i] and sha1_collides(state, at, possible[i]):
                found[0] = True
            kernel.one(state, at, 1)
            at += BLOCK
        done += looked_at


cdef void hash_looking(const Sha1Kernel *kernel, Message *message) noexcept nogil:
    cdef uint32_t state[5]
    cdef Lane lane
    cdef bint found = False
    memcpy(state, INITIAL, sizeof(state))
    open_lane(&lane, message)
    while next_stretch(&lane):
        look_at(kernel, state, lane.at, lane.blocks, &found)
    put_oid(message.oid, state)
    if found:
        put_note(state)


cdef void put_note(const uint32_t *state) noexcept nogil:
    put_oid(note + 1, state)
    note[0] = 1


cdef class LookingHash:
    """SHA-1 as in hashlib, with a look at each block; no copies, no hex."""

    cdef uint32_t state[5]
    cdef unsigned char edge[2 * BLOCK]
    cdef int filled
    cdef int64_t size
    cdef bint found

    def __cinit__(self, data=b"", *, usedforsecurity=False):
        memcpy(self.state, INITIAL, sizeof(self.state))
        self.update(data)

    def update(self, data):
        """Take in more bytes."""
        cdef const unsigned char[::1] view = data
        cdef int64_t size = view.shape[0], taken, blocks
        cdef const unsigned char *at
        if note == NULL:
            raise RuntimeError("nobody looks for collisions")
        if size == 0:
            return
        at = &view[0]
        with nogil:
            self.size += size
            if self.filled:
                taken = min(<int64_t>(BLOCK - self.filled), size)
                memcpy(self.edge + self.filled, at, taken)
                self.filled += <int>taken
                at += taken
                size -= taken
                if self.filled == BLOCK:
                    look_at(best, self.state, self.edge, 1, &self.found)
                    self.filled = 0
            blocks = size // BLOCK
            look_at(best, self.state, at, blocks, &self.found)
            size -= blocks * BLOCK
            if size:
                memcpy(self.edge, at + blocks * BLOCK, size)
                self.filled = <int>size

    def digest(self):
        """Return the digest; nothing can follow."""
        cdef unsigned char out[OID_SIZE]
        cdef int blocks = put_padding(self.edge, self.filled, self.size)
        look_at(best, self.state, self.edge, blocks, &self.found)
        put_oid(out, self.state)
        if self.found:
            put_note(self.state)
        return PyBytes_FromStringAndSize(<char *>out, OID_SIZE)


# --- one object ---------------------------------------------------------------------------------

cdef int put_header(unsigned char *out, int64_t kind, int64_t size) noexcept nogil:
    """Write what git hashes before an object; return its length, 27 at most."""
    cdef unsigned char digits[20]
    cdef int count = 0, length = KIND_NAME_SIZES[kind]
    memcpy(out, KIND_NAMES[kind], length)
    while True:
        digits[count] = <unsigned char>(c'0' + size % 10)
        count += 1
        size //= 10
        if not size:
            break
    while count:
        count -= 1
        out[length] = digits[count]
        length += 1
    out[length] = 0
    return length + 1


cdef int put_padding(unsigned char *edge, int filled, int64_t size) noexcept nogil:
    """End a message of *size* bytes, the last *filled* ones in *edge*; return its blocks there."""
    cdef int blocks = 1 if filled < BLOCK - 8 else 2, i
    cdef uint64_t bits = <uint64_t>size * 8
    memset(edge + filled, 0, blocks * BLOCK - filled)
    edge[filled] = 0x80
    for i in range(8):
        edge[blocks * BLOCK - 1 - i] = <unsigned char>(bits >> 8 * i)
    return blocks


cdef inline void put_word(unsigned char *out, uint32_t word) noexcept nogil:
    out[0] = <unsigned char>(word >> 24)
    out[1] = <unsigned char>(word >> 16)
    out[2] = <unsigned char>(word >> 8)
    out[3] = <unsigned char>word


cdef void put_oid(unsigned char *oid, const uint32_t *state) noexcept nogil:
    cdef int i
    for i in range(5):
        put_word(oid + 4 * i, state[i])


cdef void open_lane(Lane *lane, Message *message) noexcept nogil:
    """Make *message* the lane's; its first stretch is made by `next_stretch`."""
    lane.message, lane.data, lane.left = message, message.data, message.size
    lane.filled = put_header(lane.edge, message.kind, message.size)
    lane.size = lane.filled + message.size
    lane.is_last = False


cdef bint next_stretch(Lane *lane) noexcept nogil:
    """Make the next stretch; False if there was the last one already."""
    cdef int64_t taken = 0
    if lane.is_last:
        return False
    if lane.filled or lane.left < BLOCK:
        taken = min(<int64_t>(BLOCK - lane.filled), lane.left)
        memcpy(lane.edge + lane.filled, lane.data, taken)
        lane.filled += <int>taken
        lane.at, lane.blocks = lane.edge, 1
        if lane.filled < BLOCK:
            lane.is_last = True
            lane.blocks = put_padding(lane.edge, lane.filled, lane.size)
        lane.filled = 0
    else:
        lane.at, lane.blocks = lane.data, lane.left // BLOCK
        taken = lane.blocks * BLOCK
    lane.data += taken
    lane.left -= taken
    return True


cdef void finish_alone(const Sha1Kernel *kernel, Lane *lane, uint32_t *state) noexcept nogil:
    """Hash what is left of the lane's stretch and message, from *state* on."""
    while True:
        kernel.one(state, lane.at, lane.blocks)
        if not next_stretch(lane):
            break
    put_oid(lane.message.oid, state)


cdef void hash_alone(const Sha1Kernel *kernel, Message *message) noexcept nogil:
    cdef uint32_t state[5]
    cdef Lane lane
    memcpy(state, INITIAL, sizeof(state))
    open_lane(&lane, message)
    next_stretch(&lane)
    finish_alone(kernel, &lane, state)


cdef void c_hash_object(
    int64_t kind, const unsigned char *data, int64_t size, unsigned char *oid
) noexcept nogil:
    """Hash one object."""
    cdef Message message
    message.kind, message.data, message.size, message.oid = kind, data, size, oid
    if note != NULL:
        hash_looking(best, &message)
    else:
        hash_alone(best, &message)


cdef void c_hash_again(
    int64_t kind, const unsigned char *data, int64_t size, int64_t unchanged, State *states,
    unsigned char *oid,
) noexcept nogil:
    """Hash an object whose first *unchanged* bytes were hashed before, in one of the same size.

    *states* has room for c_state_count(size), those of the last object of that size and type; they
    are brought up to date. With *unchanged* 0 nothing need be in them.
    """
    cdef unsigned char edge[2 * BLOCK]
    cdef int header = put_header(edge, kind, size), left
    cdef int64_t at = BLOCK - header  # state 0 is behind the first block
    cdef int64_t number = (unchanged - at) // STATE_STEP
    cdef uint32_t state[5]
    if size < at or note != NULL:
        c_hash_object(kind, data, size, oid)
        return
    if unchanged < at:
        number = 0
        memcpy(state, INITIAL, sizeof(state))
        memcpy(edge + header, data, at)
        best.one(state, edge, 1)
        memcpy(&states[0], state, sizeof(state))
    else:
        memcpy(state, &states[number], sizeof(state))
        at += number * STATE_STEP
    while size - at >= STATE_STEP:
        best.one(state, data + at, STATE_STEP // BLOCK)
        at += STATE_STEP
        number += 1
        memcpy(&states[number], state, sizeof(state))
    left = (size - at) % BLOCK
    best.one(state, data + at, (size - at) // BLOCK)
    memcpy(edge, data + size - left, left)
    best.one(state, edge, put_padding(edge, left, header + size))
    put_oid(oid, state)


# --- many objects -------------------------------------------------------------------------------

cdef void fill_queue(Queue *queue, Message *messages, int64_t count) noexcept nogil:
    cdef int64_t i
    cdef int size_class
    memset(queue, 0, sizeof(Queue))
    for i in range(count):
        size_class = fastio_msb64(<uint64_t>messages[i].size | 1)
        messages[i].next = queue.heads[size_class]
        queue.heads[size_class] = &messages[i]
        queue.highest = max(queue.highest, size_class)


cdef Message *take_longest(Queue *queue) noexcept nogil:
    """Take one of the longest messages, to a factor of two; NULL if none is left."""
    cdef Message *message
    while queue.highest and queue.heads[queue.highest] == NULL:
        queue.highest -= 1
    message = queue.heads[queue.highest]
    if message != NULL:
        queue.heads[queue.highest] = message.next
    return message


cdef bint start(Lanes *lanes, int k, Message *message) noexcept nogil:
    """Let lane *k* go on with *message*, or with nothing if that is NULL."""
    cdef int i
    lanes.lane[k].message = message
    if message == NULL:
        return False
    for i in range(5):
        lanes.states[i][k] = INITIAL[i]
    open_lane(&lanes.lane[k], message)
    return next_stretch(&lanes.lane[k])


cdef void take_state(const Lanes *lanes, int k, uint32_t *state) noexcept nogil:
    cdef int i
    for i in range(5):
        state[i] = lanes.states[i][k]


cdef void step(const Sha1Kernel *kernel, Lanes *lanes) noexcept nogil:
    """Hash as many blocks as the shortest stretch has in each lane; at least one is in use."""
    cdef int64_t blocks = 0
    cdef const unsigned char *somewhere = NULL
    cdef Lane *lane
    cdef int k
    for k in range(kernel.lanes):
        lane = &lanes.lane[k]
        if lane.message != NULL and (blocks == 0 or lane.blocks < blocks):
            blocks, somewhere = lane.blocks, lane.at
    for k in range(kernel.lanes):
        # A lane without a message has to read something as well.
        lanes.places[k] = somewhere if lanes.lane[k].message == NULL else lanes.lane[k].at
    kernel.many(lanes.states, lanes.places, blocks)
    for k in range(kernel.lanes):
        if lanes.lane[k].message != NULL:
            lanes.lane[k].at += blocks * BLOCK
            lanes.lane[k].blocks -= blocks


cdef void hash_side_by_side(
    const Sha1Kernel *kernel, Message *messages, int64_t count
) noexcept nogil:
    cdef uint32_t state[5]
    cdef Lanes lanes
    cdef Lane *lane
    cdef Queue queue
    cdef int k, used = 0
    fill_queue(&queue, messages, count)
    for k in range(kernel.lanes):
        used += start(&lanes, k, take_longest(&queue))
    while used >= FEW_LANES:
        step(kernel, &lanes)
        for k in range(kernel.lanes):
            lane = &lanes.lane[k]
            if lane.message != NULL and lane.blocks == 0 and not next_stretch(lane):
                take_state(&lanes, k, state)
                put_oid(lane.message.oid, state)
                used -= not start(&lanes, k, take_longest(&queue))
    for k in range(kernel.lanes):
        if lanes.lane[k].message != NULL:
            take_state(&lanes, k, state)
            finish_alone(kernel, &lanes.lane[k], state)


cdef void hash_with(const Sha1Kernel *kernel, Message *messages, int64_t count) noexcept nogil:
    cdef int64_t i
    if kernel.lanes > 1 and count >= FEW_LANES:
        hash_side_by_side(kernel, messages, count)
    else:
        for i in range(count):
            hash_alone(kernel, &messages[i])


cdef void c_hash_objects(Message *messages, int64_t count) noexcept nogil:
    """Hash many objects; the sooner the more they are at once."""
    cdef int64_t i
    if note == NULL:
        hash_with(best, messages, count)
        return
    for i in range(count):
        hash_looking(best, &messages[i])


# --- for tests ----------------------------------------------------------------------------------

def kernel_names():
    """Return the names of the kernels that this processor can run, slowest first."""
    return [kernels[i].name.decode() for i in range(kernel_count)]


def hash_objects(list objects, kernel=None):
    """Return the oids of objects, pairs of type number and bytes; by the best kernel or by name."""
    cdef int64_t count = len(objects), i
    cdef const Sha1Kernel *chosen = best if kernel is None else _kernel(kernel)
    cdef Message *messages = <Message *>malloc(count * sizeof(Message) + 1)
    cdef bytes data, oids = PyBytes_FromStringAndSize(NULL, count * OID_SIZE)
    if messages == NULL:
        raise MemoryError
    try:
        for i in range(count):
            kind, data = objects[i]
            if not 1 <= kind <= 4:
                raise ValueError(f"there is no object type {kind}")
            messages[i].kind, messages[i].size = kind, PyBytes_GET_SIZE(data)
            messages[i].data = <const unsigned char *>PyBytes_AS_STRING(data)
            messages[i].oid = <unsigned char *>PyBytes_AS_STRING(oids) + i * OID_SIZE
        if note != NULL:
            c_hash_objects(messages, count)
        else:
            hash_with(chosen, messages, count)
    finally:
        free(messages)
    return [oids[i * OID_SIZE:(i + 1) * OID_SIZE] for i in range(count)]


cdef class Rehasher:
    """Hashes versions of one size, one after the other, as `c_hash_again` does."""

    cdef State *states
    cdef int64_t kind, size

    def __cinit__(self, int64_t kind, int64_t size):
        if not (1 <= kind <= 4 and size >= 0):
            raise ValueError(f"there is no object of type {kind} and size {size}")
        self.kind, self.size = kind, size
        self.states = <State *>malloc(c_state_count(size) * sizeof(State))
        if self.states == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.states)

    def hash(self, bytes data, int64_t unchanged):
        """Return the oid of *data*, whose first *unchanged* bytes are those of the last one."""
        cdef unsigned char oid[OID_SIZE]
        if not 0 <= unchanged <= PyBytes_GET_SIZE(data) == self.size:
            raise ValueError("it has another size, or more is unchanged than there is")
        c_hash_again(
            self.kind, <const unsigned char *>PyBytes_AS_STRING(data), self.size, unchanged,
            self.states, oid,
        )
        return PyBytes_FromStringAndSize(<char *>oid, OID_SIZE)


cdef const Sha1Kernel *_kernel(str name) except NULL:
    cdef int i
    for i in range(kernel_count):
        if kernels[i].name == name.encode():
            return &kernels[i]
    raise ValueError(f"this processor cannot run {name}")
