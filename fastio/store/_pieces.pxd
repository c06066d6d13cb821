# Pieces of a recipe: where each one's bytes lie, and where it ends in the object.

from libc.stdint cimport uint32_t


cdef inline uint32_t piece_after(
    const uint32_t *ends, uint32_t count, uint32_t low, uint32_t offset
) noexcept nogil:
    """Find the piece of *count*, from *low* on, that has the byte at *offset*."""
    cdef uint32_t high = count - 1, middle
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] <= offset:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline size_t put(
    const unsigned char **sources, uint32_t *ends, size_t count,
    const unsigned char *source, uint32_t size, uint32_t *done,
) noexcept nogil:
    """Append a piece, or extend the last one by it; returns how many there are."""
    cdef uint32_t start
    if count:
        start = ends[count - 2] if count > 1 else 0
        if sources[count - 1] + (done[0] - start) == source:
            done[0] += size
            ends[count - 1] = done[0]
            return count
    done[0] += size
    sources[count] = source
    ends[count] = done[0]
    return count + 1
