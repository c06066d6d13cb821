# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Loops that apply deltas; see delta.py.

All pointers are walked within [start, end) pairs, as in the loops that make deltas: what a damaged
delta says is compared with them before it is believed.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy

from workers._delta_output cimport MAX_COPY

from workers.errors import DeltaError


cdef int64_t get_size(
    const unsigned char **at, const unsigned char *end, int64_t limit
) noexcept nogil:
    cdef int64_t size = 0, group
    cdef int shift = 0
    cdef unsigned char byte
    while at[0] < end:
        byte = at[0][0]
        at[0] += 1
        group = byte & 0x7F
        if group and (shift > 49 or group << shift > limit - size):
            size = limit + 1
        elif size <= limit and group:
            size += group << shift
        shift = min(shift + 7, 56)
        if not byte & 0x80:
            return size
    return DAMAGED_CUT


cdef int64_t get_bytes(
    const unsigned char **at, const unsigned char *end, unsigned int mask, int count
) noexcept nogil:
    """Read the little-endian number whose bytes *mask* says are there."""
    cdef int64_t number = 0
    cdef int i
    for i in range(count):
        if mask & (1 << i):
            if at[0] == end:
                return DAMAGED_CUT
            number |= <int64_t>at[0][0] << (8 * i)
            at[0] += 1
    return number


cdef int64_t c_apply(
    const unsigned char *base,
    int64_t base_size,
    const unsigned char *at,
    const unsigned char *end,
    unsigned char *out,
    unsigned char *out_end,
) noexcept nogil:
    cdef unsigned int code
    cdef int64_t offset, size
    while at < end:
        code = at[0]
        at += 1
        if code == 0:
            return DAMAGED_OPCODE
        if code & 0x80:
            offset = get_bytes(&at, end, code, 4)
            size = get_bytes(&at, end, code >> 4, 3)
            if offset < 0 or size < 0:
                return DAMAGED_CUT
            if size == 0:
                size = MAX_COPY
            if offset + size > base_size:
                return DAMAGED_COPY
            if size > out_end - out:
                return DAMAGED_TARGET
            memcpy(out, base + offset, size)
        else:
            size = code
            if size > end - at:
                return DAMAGED_CUT
            if size > out_end - out:
                return DAMAGED_TARGET
            memcpy(out, at, size)
            at += size
        out += size
    return 0 if out == out_end else DAMAGED_TARGET


cdef int64_t measure(
    const unsigned char *at, const unsigned char *end, int64_t base_size, int64_t target,
    size_t *literal_size,
) noexcept nogil:
    cdef int64_t built = 0
    cdef uint32_t code, offset, size
    literal_size[0] = 0
    while at < end:
        code = at[0]
        at += 1
        if code == 0:
            return DAMAGED_OPCODE
        if code < 0x80:
            if code > end - at:
                return DAMAGED_CUT
            size = code
            literal_size[0] += code
            at += code
        else:
            at = read_copy(at, code, &offset, &size)
            if at > end:
                return DAMAGED_CUT
            if <int64_t>offset + size > base_size:
                return DAMAGED_COPY
        built += size
        if built > target:
            return DAMAGED_TARGET
    return target if built == target else DAMAGED_TARGET


cdef dict REASONS = {
    DAMAGED_CUT: "delta is cut short",
    DAMAGED_BASE: "delta was made for a base of another size",
    DAMAGED_COPY: "delta copies from outside its base",
    DAMAGED_OPCODE: "delta has the reserved instruction 0",
    DAMAGED_TARGET: "delta does not build the size it promises",
}


cdef str delta_problem(int64_t problem):
    return REASONS[problem]


def apply_delta(const unsigned char[::1] base, const unsigned char[::1] delta, int64_t max_size):
    """Return the target as bytes, or raise DeltaError."""
    cdef const unsigned char *at = &delta[0] if delta.shape[0] else NULL
    cdef const unsigned char *end = at + delta.shape[0]
    cdef int64_t size = get_sizes(&at, end, base.shape[0], max_size)
    target = PyBytes_FromStringAndSize(NULL, size)
    carry_out(base, at, end, <unsigned char *>PyBytes_AS_STRING(target), size)
    return target


def apply_delta_into(
    const unsigned char[::1] base, const unsigned char[::1] delta, unsigned char[::1] target
):
    """Fill the target, or raise DeltaError."""
    cdef const unsigned char *at = &delta[0] if delta.shape[0] else NULL
    cdef const unsigned char *end = at + delta.shape[0]
    cdef int64_t size = target.shape[0]
    if get_sizes(&at, end, base.shape[0], size) != size:
        raise DeltaError(delta_problem(DAMAGED_TARGET))
    carry_out(base, at, end, &target[0] if size else NULL, size)


cdef int64_t get_sizes(
    const unsigned char **at, const unsigned char *end, int64_t base_size, int64_t max_size
) except -1:
    """Read a delta's sizes, of which the base's must be right; return the target's."""
    cdef int64_t size = get_size(at, end, base_size)
    if size != base_size:
        raise DeltaError(delta_problem(DAMAGED_CUT if size == DAMAGED_CUT else DAMAGED_BASE))
    size = get_size(at, end, max_size)
    if size == DAMAGED_CUT:
        raise DeltaError(delta_problem(DAMAGED_CUT))
    if size > max_size:
        raise DeltaError(f"delta builds more than {max_size} bytes")
    return size


cdef int carry_out(
    const unsigned char[::1] base, const unsigned char *at, const unsigned char *end,
    unsigned char *out, int64_t size,
) except -1:
    cdef const unsigned char *old = &base[0] if base.shape[0] else NULL
    cdef int64_t problem = c_apply(old, base.shape[0], at, end, out, out + size)
    if problem:
        raise DeltaError(delta_problem(problem))
    return 0
