# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The entries in which two trees differ, found without looking at those in which they do not.

Two versions of a large directory have long runs of bytes in common, and a comparison of memory is
thirty times as fast as one of entries. Where the bytes part, the entry that they are in begins
somewhere before; an oid may have any bytes, so looking backwards cannot tell where. The old tree's
stops (see ``_tree_cache.pyx``) can: from the last one before, it is a few entries. From there on
entries are compared by name until both sides agree again.

That costs the new tree its stops nothing as well: they are the old one's, moved along.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcmp, memcpy

from fastio.objects._tree_cache cimport Tree
from fastio.objects._trees cimport (
    Bytes,
    Entry,
    Segments,
    add_segment,
    compare_names,
    is_directory,
    read_entry,
)

cdef enum:
    FIRST_PAIRS = 64
    STRIDE = 1024


cdef Py_ssize_t common_size(Bytes left, Bytes right, Py_ssize_t size) noexcept nogil:
    """How many of the first *size* bytes are the same."""
    cdef Py_ssize_t at = 0
    cdef uint64_t a, b
    while size - at >= STRIDE and memcmp(left + at, right + at, STRIDE) == 0:
        at += STRIDE
    while size - at >= 8:
        memcpy(&a, left + at, 8)
        memcpy(&b, right + at, 8)
        if a != b:
            break
        at += 8
    while at < size and left[at] == right[at]:
        at += 1
    return at


cdef Py_ssize_t entry_at(
    const Tree *tree, Py_ssize_t start, Py_ssize_t place, Py_ssize_t oid_size, Py_ssize_t *before
) noexcept nogil:
    """Where the entry begins that the byte at *place* is in; the tree's size at its end.

    Args:
        tree: A tree in order.
        start: Where an entry begins, not behind *place*.
        place: Which byte.
        oid_size: Bytes of an oid.
        before: Becomes where the entry before it begins, if that is at *start* or behind it;
            else -1.
    """
    cdef Py_ssize_t low = 0, high = tree.stop_count, middle, at = start
    cdef Entry entry
    before[0] = -1
    while high - low > 1:  # the last stop before *place*: so the entry before is often met
        middle = (low + high) // 2
        if tree.stops[middle] < <size_t>place:
            low = middle
        else:
            high = middle
    if high and <Py_ssize_t>tree.stops[low] > at:
        at = tree.stops[low]
    while at < tree.size:
        read_entry(tree.data, tree.size, at, oid_size, &entry)
        if entry.end > place:
            break
        before[0], at = at, entry.end
    return at


cdef int add_pair(EntryPairs *pairs, Py_ssize_t old, Py_ssize_t new) except -1:
    cdef Py_ssize_t capacity
    cdef EntryPair *grown
    if pairs.count == pairs.capacity:
        capacity = max(2 * pairs.capacity, <Py_ssize_t>FIRST_PAIRS)
        grown = <EntryPair *>realloc(pairs.items, capacity * sizeof(EntryPair))
        if grown == NULL:
            raise MemoryError
        pairs.items, pairs.capacity = grown, capacity
    pairs.items[pairs.count].old, pairs.items[pairs.count].new = old, new
    pairs.count += 1
    return 0


cdef int add_equal(
    EntryPairs *pairs, const Tree *old, Py_ssize_t at, Py_ssize_t end, Py_ssize_t moved,
    Py_ssize_t oid_size,
) except -1:
    """Add pairs for all entries from *at* to *end*."""
    cdef Entry entry
    while at < end:
        read_entry(old.data, old.size, at, oid_size, &entry)
        add_pair(pairs, at, at + moved)
        at = entry.end
    return 0


cdef int follows(
    const Tree *old, Py_ssize_t at, const Tree *new, const Entry *entry, Py_ssize_t oid_size
) noexcept nogil:
    """Whether *entry* of *new* may follow on what stands before *at* in *old*."""
    cdef Entry last
    cdef Py_ssize_t place, before
    if at == 0:
        return 1
    place = entry_at(old, 0, at - 1, oid_size, &before)
    read_entry(old.data, old.size, place, oid_size, &last)
    return compare_entries(old, &last, new, entry) < 0


cdef inline int compare_entries(
    const Tree *old, const Entry *left, const Tree *new, const Entry *right
) noexcept nogil:
    return compare_names(
        old.data + left.name, left.name_size, is_directory(left.mode),
        new.data + right.name, right.name_size, is_directory(right.mode),
    )


cdef int pair_entries(
    EntryPairs *pairs, const Tree *old, const Tree *new, Py_ssize_t oid_size, bint everything,
    Segments *segments,
) except -1:
    cdef Py_ssize_t at = 0, to = 0, place, same, before
    cdef Entry mine, other, last
    cdef bint has_last = False  # whether *last* stands directly before *to*
    cdef int order
    mine.end = 0
    while at < old.size or to < new.size:
        same = common_size(old.data + at, new.data + to, min(old.size - at, new.size - to))
        if same:
            place = entry_at(old, at, at + same, oid_size, &before)
            if place > at:
                if everything:
                    add_equal(pairs, old, at, place, to - at, oid_size)
                if segments != NULL:
                    add_segment(segments, old.data + at, place - at, at)
                has_last = False
                to += place - at
                at = place
        order = -1 if to == new.size else 1
        if at < old.size:
            read_entry(old.data, old.size, at, oid_size, &mine)
        if to < new.size:
            if (
                not read_entry(new.data, new.size, to, oid_size, &other)
                or other.mode_start > other.start
            ):
                return 0
            if at < old.size:
                order = compare_entries(old, &mine, new, &other)
            if order > 0:
                # Only here can the new tree leave its order: every other entry of it has the
                # place of one of the old tree.
                if not (
                    compare_entries(new, &last, new, &other) < 0
                    if has_last else follows(old, at, new, &other, oid_size)
                ):
                    return 0
        elif at == old.size:
            break
        add_pair(pairs, at if order <= 0 else -1, to if order >= 0 else -1)
        if order >= 0:
            if segments != NULL:
                add_segment(segments, new.data + to, other.end - to, -1)
            last, has_last, to = other, True, other.end
        if order <= 0:
            at = mine.end
    return 1
