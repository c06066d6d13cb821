from libc.string cimport memcmp

ctypedef const unsigned char *Bytes

cdef enum:
    FORMAT_BITS = 0o170000
    DIRECTORY = 0o040000
    MODE_DIGITS = 11  # of any mode at all

cdef enum:
    LARGEST_BASE = 0xFFFFFFFF  # a copy's offset has 32 bits

cdef struct Entry:
    Py_ssize_t start
    Py_ssize_t mode_start  # behind leading zeros, which git wrote long ago
    Py_ssize_t name
    Py_ssize_t name_size
    Py_ssize_t oid
    Py_ssize_t end
    unsigned int mode

cdef enum:
    MOST_PREFIXES = 8

cdef struct OrderCheck:  # of a tree that is read from its start; all zeros to begin with
    Entry last
    # Files whose name starts the last one's, the shortest first: a directory may yet have it.
    Entry prefixes[MOST_PREFIXES]
    Py_ssize_t prefix_count

cdef struct Event:  # what the edit wants at one place in the order
    Bytes key  # the name, with a slash for the directory's place
    Py_ssize_t key_size
    Bytes entry
    Py_ssize_t entry_size  # 0: nothing may stand here
    Py_ssize_t oid  # within the entry
    unsigned int mode

cdef struct Segment:
    Bytes data
    Py_ssize_t size
    Py_ssize_t base_offset  # -1: new bytes

cdef struct Segments:
    Segment *items
    Py_ssize_t count
    Py_ssize_t capacity


cdef inline bint is_directory(unsigned int mode) noexcept nogil:
    return (mode & FORMAT_BITS) == DIRECTORY


# Bytes that put_event may write for a name of that size.
cdef inline Py_ssize_t event_room(Py_ssize_t name_size, Py_ssize_t oid_size) noexcept nogil:
    return 2 * name_size + MODE_DIGITS + 3 + oid_size

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    /* Return the place of the first NUL from at on, or size. Eight bytes at a time: names are
       short, and a call of memchr for each took half the time of a scan. */
    static inline Py_ssize_t find_nul(const unsigned char *data, Py_ssize_t size, Py_ssize_t at)
    {
    #if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        uint64_t word, zeros;
        for (; at + 8 <= size; at += 8) {
            memcpy(&word, data + at, 8);
            zeros = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;
            if (zeros)
                return at + (__builtin_ctzll(zeros) >> 3);
        }
    #endif
        while (at < size && data[at])
            at++;
        return at;
    }
    """
    Py_ssize_t find_nul(Bytes data, Py_ssize_t size, Py_ssize_t at) noexcept nogil


cdef inline int read_mode(Bytes tree, Py_ssize_t size, Py_ssize_t at, Entry *entry) noexcept nogil:
    """Read any mode at *at*, of which the last 32 bits count; return 0 if there is none."""
    cdef Py_ssize_t start = at
    cdef unsigned int mode = 0
    while at + 1 < size and tree[at] == 48 and tree[at + 1] != 32:  # 0, unless it is the last one
        at += 1
    entry.mode_start = at
    while at < size and 48 <= tree[at] <= 55:
        mode = (mode << 3) | (tree[at] - 48)
        at += 1
    entry.mode = mode
    entry.name = at + 1
    return at > start and at < size and tree[at] == 32


cdef inline int read_entry(
    Bytes tree, Py_ssize_t size, Py_ssize_t at, Py_ssize_t oid_size, Entry *entry
) noexcept nogil:
    """Read the entry at *at*; return 0 if the bytes there are no entry."""
    entry.start = entry.mode_start = at
    if size - at < 8 + oid_size:  # shorter than the shortest but "40000 " and one letter
        if not read_mode(tree, size, at, entry):
            return 0
    elif memcmp(tree + at, b"100644 ", 7) == 0:
        entry.mode, entry.name = 0o100644, at + 7
    elif memcmp(tree + at, b"40000 ", 6) == 0:
        entry.mode, entry.name = 0o040000, at + 6
    elif not read_mode(tree, size, at, entry):
        return 0
    entry.oid = find_nul(tree, size, entry.name) + 1
    entry.name_size = entry.oid - 1 - entry.name
    entry.end = entry.oid + oid_size
    return entry.name_size > 0 and entry.end <= size


cdef inline int compare_to_key(
    Bytes name, Py_ssize_t size, bint directory, Bytes key, Py_ssize_t key_size
) noexcept nogil:
    """Order an entry against a key that carries its own slash."""
    cdef int order = <int>name[0] - <int>key[0]
    if order:
        return order
    order = memcmp(name, key, size if size < key_size else key_size)
    if order:
        return order
    if size < key_size:
        return (47 if directory else 0) - <int>key[size]  # the slash that is not written
    return 1 if size > key_size or directory else 0


cdef inline int compare_names(
    Bytes left, Py_ssize_t left_size, bint left_directory,
    Bytes right, Py_ssize_t right_size, bint right_directory,
) noexcept nogil:
    """Git's order of tree entries."""
    cdef Py_ssize_t common = left_size if left_size < right_size else right_size
    cdef int order = memcmp(left, right, common)
    cdef int left_end, right_end
    if order:
        return order
    left_end = left[common] if left_size > common else (47 if left_directory else 0)
    right_end = right[common] if right_size > common else (47 if right_directory else 0)
    return left_end - right_end


# Take a tree's next entry; give 0 if it does not come behind all before it, or its name is taken.
cdef bint comes_next(OrderCheck *check, Bytes tree, const Entry *entry) noexcept nogil
cdef unsigned char *put_event(
    unsigned char *out, Event *events, Bytes name, Py_ssize_t size,
    unsigned int mode, Bytes oid, Py_ssize_t oid_size,
) noexcept nogil
# For qsort: events by their keys.
cdef int compare_events(const void *left, const void *right) noexcept nogil
cdef int add_segment(
    Segments *segments, Bytes data, Py_ssize_t size, Py_ssize_t base_offset
) except -1 nogil
cdef int merge_entry(
    Segments *segments, Bytes data, Entry *entry, Event *event, Py_ssize_t oid_size
) except -1 nogil
# The size of what the segments make, and where to write it.
cdef Py_ssize_t joined_size(const Segments *segments) noexcept nogil
cdef void put_segments(const Segments *segments, unsigned char *out) noexcept nogil
cdef int align_trees(
    Segments *segments,
    Bytes base, Py_ssize_t base_size,
    Bytes target, Py_ssize_t target_size,
    Py_ssize_t oid_size,
) except -1 nogil
cdef Py_ssize_t put_delta(
    Segments *segments, Py_ssize_t base_size, Bytes target, Py_ssize_t size,
    unsigned char **delta,
) except -1 nogil
cdef bytes write_delta(Segments *segments, Py_ssize_t base_size, Bytes target, Py_ssize_t size)
