from libc.stdint cimport uint32_t

from fastio.store._recipes cimport Recipe


cdef struct Run:  # of bytes that two objects have in common
    uint32_t old  # where it begins
    uint32_t new
    uint32_t size


cdef struct Runs:
    Run *items
    Py_ssize_t count
    Py_ssize_t capacity


# Find runs that two recipes on the same ground have in common, ascending on both sides; how many
# bytes they have. There may be more that the two have in common.
cdef size_t find_runs(const Recipe *old, const Recipe *new, Runs *runs) except? 0

# Write the object's bytes from *at* to *end* to where they belong in *out*, which stands for all of
# it, and none beside. *piece* is one that ends behind *at* or a piece before it, and becomes one
# for *end*.
cdef void run_part(
    const Recipe *recipe, uint32_t *piece, uint32_t at, uint32_t end, unsigned char *out
) noexcept nogil
