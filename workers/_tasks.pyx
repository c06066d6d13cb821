# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Carries out a batch of tasks: hash, delta, deflate.

Every range that a task names is checked against the arena and its annex before a pointer is made of
it; the bounds checks that are off would check nothing.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from cpython.buffer cimport PyBUF_READ
from libc.stdint cimport int64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from workers._arena cimport Arena
from workers._checksums cimport c_crc32
from workers._codec cimport c_deflate_ours, c_is_ours, c_store
from workers._delta cimport NO_MEMORY, c_encode_delta
from workers._sha1 cimport Message, c_hash_objects, c_is_fast
from workers._tasks cimport DELTA, FAILED, FULL, NO_OID, Result, Task, c_deflate_bound

from workers import codec
from workers.errors import TaskError

cdef enum:
    # Below this an object's delta cannot win: two sizes and a copy, and a chain to follow.
    MIN_DELTA_TARGET = 32
    # Up to here, header and body are hashed as one bytes object; a memoryview costs more.
    SMALL = 1024
    # Up to here, our own CRC is sooner done than a call of ISA-L's.
    SMALL_CRC = 64
    # A delta's buffer is kept from task to task up to this size.
    KEPT_BUFFER = 1 << 22
    # When the packed delta is longer than this part of the object, full may be smaller.
    DOUBTFUL_PART = 8

LEAST_DELTA_TARGET = MIN_DELTA_TARGET

cdef const char **KIND_NAMES = [b"", b"commit", b"tree", b"blob", b"tag"]


cdef class _Coder:
    """One batch's settings, and the delta buffer that its tasks share."""

    cdef object hasher  # None: our own SHA-1
    cdef object compress
    cdef int level
    cdef unsigned char *buffer
    cdef int64_t room

    def __cinit__(self, settings):
        name = settings.object_format
        if name not in ("sha1", "sha256"):
            raise TaskError(f"there is no object format {name}")
        if name != "sha1" or not c_is_fast():
            import hashlib  # loads OpenSSL, 3 ms of an import's start
            self.hasher = getattr(hashlib, name)
        chosen = codec.compressor(settings.level)
        if chosen is None:
            self.level = 0
        else:
            self.compress, self.level = chosen
        self.buffer = NULL
        self.room = 0

    def __dealloc__(self):
        free(self.buffer)

    cdef int reserve(self, int64_t size) except -1:
        if size > self.room:
            free(self.buffer)
            self.room = 0
            self.buffer = <unsigned char *>malloc(size)
            if self.buffer == NULL:
                raise MemoryError
            self.room = size
        return 0

    cdef int put_oids(self, Result *results, Task *tasks, int64_t count, Arena arena) except -1:
        cdef int64_t i, wanted = 0
        cdef Message *messages = NULL
        if self.hasher is not None:
            for i in range(count):
                if not tasks[i].flags & NO_OID:
                    self.put_oid(&results[i], &tasks[i], arena.c_at(tasks[i].raw_offset))
            return 0
        messages = <Message *>malloc(count * sizeof(Message) + 1)
        if messages == NULL:
            raise MemoryError
        for i in range(count):
            if not tasks[i].flags & NO_OID:
                messages[wanted].data = arena.c_at(tasks[i].raw_offset)
                messages[wanted].size = tasks[i].raw_size
                messages[wanted].kind = tasks[i].kind
                messages[wanted].oid = results[i].oid
                wanted += 1
        c_hash_objects(messages, wanted)
        free(messages)
        return 0

    cdef int put_oid(self, Result *result, Task *task, const unsigned char *raw) except -1:
        """Hash "<kind> <size>\\0" and the object by hashlib."""
        cdef char header[SMALL + 64]
        cdef int length = 1 + snprintf(
            header, 64, b"%s %lld", KIND_NAMES[task.kind], <long long>task.raw_size
        )
        if task.raw_size <= SMALL:
            memcpy(header + length, raw, task.raw_size)
            length += <int>task.raw_size
            state = self.hasher(
                PyBytes_FromStringAndSize(header, length), usedforsecurity=False
            )
        else:
            state = self.hasher(
                PyBytes_FromStringAndSize(header, length), usedforsecurity=False
            )
            state.update(PyMemoryView_FromMemory(<char *>raw, task.raw_size, PyBUF_READ))
        oid = <bytes>state.digest()
        memcpy(result.oid, PyBytes_AS_STRING(oid), PyBytes_GET_SIZE(oid))
        return 0

    cdef int64_t deflate(
        self, const unsigned char *data, int64_t size, unsigned char *out, int64_t capacity
    ) except -2:
        """Write *data* to *out* as a zlib stream; return its size, -1 when it does not fit."""
        if self.compress is None:
            return c_store(data, size, out, capacity)
        if c_is_ours(self.level, size):
            return c_deflate_ours(data, size, out, capacity)
        packed = <bytes>self.compress(
            PyMemoryView_FromMemory(<char *>data, size, PyBUF_READ), self.level
        )
        if PyBytes_GET_SIZE(packed) > c_deflate_bound(size):
            return c_store(data, size, out, capacity)
        if PyBytes_GET_SIZE(packed) > capacity:
            return -1
        memcpy(out, PyBytes_AS_STRING(packed), PyBytes_GET_SIZE(packed))
        return PyBytes_GET_SIZE(packed)

    cdef int64_t put_delta(
        self, Result *result, Task *task, Arena arena, unsigned char *out
    ) except -2:
        """Write the packed delta to *out*; return its size, -1 when there is no good one."""
        cdef int64_t size, limit = min(task.max_delta, task.raw_size)
        if task.base_offset < 0 or task.raw_size < MIN_DELTA_TARGET or limit <= 0:
            return -1
        self.reserve(limit)
        size = c_encode_delta(
            arena.c_at(task.base_offset), task.base_size,
            arena.c_at(task.raw_offset), task.raw_size, self.buffer, limit,
        )
        if size == NO_MEMORY:
            raise MemoryError
        if size < 0:
            return -1
        result.inflated_size = size
        return self.deflate(self.buffer, size, out, task.out_capacity)

    cdef int put_payload(self, Result *result, Task *task, Arena arena) except -1:
        """Write the object in its smaller form, delta or full."""
        cdef unsigned char *out = arena.base + task.out_offset
        cdef const unsigned char *raw = arena.c_at(task.raw_offset)
        cdef int64_t packed = self.put_delta(result, task, arena, out), full
        result.form = DELTA
        if packed < 0:
            packed = self.deflate(raw, task.raw_size, out, task.out_capacity)
            result.form = FULL if packed >= 0 else FAILED
        elif packed > task.raw_size // DOUBTFUL_PART:
            # Only a shorter full form is written: it overwrites the delta.
            full = self.deflate(raw, task.raw_size, out, packed)
            if full >= 0:
                packed, result.form = full, FULL
        if result.form == FULL:
            result.inflated_size = task.raw_size
        result.packed_size = packed
        if packed <= 0:
            result.crc = 0
        elif packed <= SMALL_CRC:
            result.crc = c_crc32(out, packed)
        else:
            result.crc = codec.crc32(PyMemoryView_FromMemory(<char *>out, packed, PyBUF_READ))
        if self.room > KEPT_BUFFER:
            free(self.buffer)
            self.buffer = NULL
            self.room = 0
        return 0


cdef bint is_inside(int64_t offset, int64_t size, int64_t arena_size) noexcept nogil:
    return 0 <= offset <= arena_size and 0 <= size <= arena_size - offset


cdef bint is_readable(Arena arena, int64_t offset, int64_t size) noexcept nogil:
    if offset < arena.size:
        return is_inside(offset, size, arena.size)
    return is_inside(offset - arena.size, size, arena.annex_size)


cdef int check(Task *task, Arena arena) except -1:
    """Refuse what would read or write outside the arena."""
    if not 1 <= task.kind <= 4:
        raise TaskError(f"there is no object type {task.kind}")
    if task.flags & ~NO_OID:
        raise TaskError(f"there are no task flags {task.flags}")
    if not (
        is_readable(arena, task.raw_offset, task.raw_size)
        and is_inside(task.out_offset, task.out_capacity, arena.size)
        and (task.base_offset == -1 or is_readable(arena, task.base_offset, task.base_size))
    ):
        raise TaskError("a task names bytes outside the arena")
    return 0


def encode(Arena arena not None, bytes tasks, settings):
    """Carry out packed tasks; return their packed results.

    All objects are hashed first, which is sooner done for many at once.
    """
    cdef int64_t count = len(tasks) // sizeof(Task), i
    cdef _Coder coder = _Coder(settings)
    cdef Task *task = <Task *>PyBytes_AS_STRING(tasks)
    cdef Result *result
    if count * <int64_t>sizeof(Task) != len(tasks):
        raise TaskError(f"{len(tasks)} bytes are no whole number of tasks")
    results = PyBytes_FromStringAndSize(NULL, count * sizeof(Result))
    memset(PyBytes_AS_STRING(results), 0, count * sizeof(Result))
    result = <Result *>PyBytes_AS_STRING(results)
    for i in range(count):
        check(&task[i], arena)
    coder.put_oids(result, task, count, arena)
    for i in range(count):
        coder.put_payload(&result[i], &task[i], arena)
        arena.c_have_read(task[i].raw_offset, task[i].raw_size)
        arena.c_have_read(task[i].base_offset, task[i].base_size)
    return results
