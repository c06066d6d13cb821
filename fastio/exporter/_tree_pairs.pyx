# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The entries in which two trees differ, found without looking at those in which they do not.

Two versions of a large directory have long runs of bytes in common. Where recipes tell of them,
nothing of a run is ever built; else a comparison of memory is thirty times as fast as one of
entries. Where a run ends, the entry that it ends in begins somewhere before; an oid may have any
bytes, so looking backwards cannot tell where. The old tree's stops (see ``_tree_cache.pyx``) can:
from the last one before, it is a few entries. From there on entries are compared by name until both
sides are in a run again.

So the new tree gets its stops as well: the old one's, moved along, and some among what is new.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from fastio.exporter._tree_view cimport View, read_at
from fastio.objects._tree_cache cimport STEP, UNKNOWN, Tree
from fastio.objects._trees cimport Bytes, Entry, compare_names, is_directory, read_entry
from fastio.store._recipe_runs cimport Run, Runs
from workers._arrays cimport resized

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


cdef Py_ssize_t rest_of_run(
    const Runs *runs, Py_ssize_t *number, Py_ssize_t at, Py_ssize_t to
) noexcept nogil:
    """How many bytes are left of the run that both places are in, at the same place of it.

    Args:
        runs: All runs.
        number: The first one that is not over; is counted up.
        at: The place in the old tree.
        to: That in the new tree.
    """
    cdef const Run *run
    while number[0] < runs.count:
        run = &runs.items[number[0]]
        if at < <Py_ssize_t>run.old + run.size and to < <Py_ssize_t>run.new + run.size:
            if at < run.old or to < run.new or at - run.old != to - run.new:
                return 0
            return <Py_ssize_t>run.old + run.size - at
        number[0] += 1
    return 0


cdef Py_ssize_t entry_at(
    View *view, Py_ssize_t start, Py_ssize_t place, Py_ssize_t oid_size, Entry *entry
) noexcept nogil:
    """Read the entry that the byte at *place* is in; where it begins, the tree's size at its end.

    Args:
        view: A tree in order.
        start: Where an entry begins, not behind *place*.
        place: Which byte.
        oid_size: Bytes of an oid.
        entry: Becomes what was read.
    """
    cdef Py_ssize_t at = start
    while at < view.tree.size:
        read_at(view, at, oid_size, entry)
        if entry.end > place:
            break
        at = entry.end
    return at


cdef int add_pair(EntryPairs *pairs, Py_ssize_t old, Py_ssize_t new) except -1:
    cdef Py_ssize_t capacity
    if pairs.count == pairs.capacity:
        capacity = max(2 * pairs.capacity, <Py_ssize_t>FIRST_PAIRS)
        pairs.items = <EntryPair *>resized(pairs.items, capacity * sizeof(EntryPair))
        pairs.capacity = capacity
    pairs.items[pairs.count].old, pairs.items[pairs.count].new = old, new
    pairs.count += 1
    return 0


cdef int add_equal(
    EntryPairs *pairs, View *old, Py_ssize_t at, Py_ssize_t end, Py_ssize_t moved,
    Py_ssize_t oid_size,
) except -1:
    """Add pairs for all entries from *at* to *end*."""
    cdef Entry entry
    while at < end:
        read_at(old, at, oid_size, &entry)
        add_pair(pairs, at, at + moved)
        at = entry.end
    return 0


cdef inline int compare_entries(
    const Tree *old, const Entry *left, const Tree *new, const Entry *right
) noexcept nogil:
    return compare_names(
        old.data + left.name, left.name_size, is_directory(left.mode),
        new.data + right.name, right.name_size, is_directory(right.mode),
    )


cdef bint follows(
    View *old, Py_ssize_t at, const Tree *new, const Entry *entry, Py_ssize_t oid_size
) noexcept nogil:
    """Whether *entry* of *new* may follow on what stands before *at* in *old*."""
    cdef Entry last
    cdef Py_ssize_t low = 0, high = old.tree.stop_count, middle
    if at == 0:
        return True
    while high - low > 1:
        middle = (low + high) // 2
        if old.tree.stops[middle] < <size_t>at:
            low = middle
        else:
            high = middle
    entry_at(old, old.tree.stops[low], at - 1, oid_size, &last)
    return compare_entries(old.tree, &last, new, entry) < 0


cdef inline void put_stop(Tree *tree, Py_ssize_t place, Py_ssize_t least) noexcept nogil:
    """Add an entry's place to the stops if that is so many bytes behind the last one."""
    if tree.stop_count == 0 or place - <Py_ssize_t>tree.stops[tree.stop_count - 1] >= least:
        tree.stops[tree.stop_count] = <uint32_t>place
        tree.stop_count += 1


cdef int pair_entries(
    EntryPairs *pairs, View *old, View *new, const Runs *runs, Py_ssize_t oid_size,
    bint everything,
) except -1:
    cdef Py_ssize_t at = 0, to = 0, old_size = old.tree.size, new_size = new.tree.size
    cdef Py_ssize_t place, same, run = 0, stop = 0
    cdef Tree *unknown = new.tree if new.tree.order == UNKNOWN else NULL
    cdef Entry mine, other, last
    cdef bint has_last = False  # whether *last* stands directly before *to*
    cdef int order
    mine.start = mine.end = -1
    if unknown != NULL and new_size:
        put_stop(unknown, 0, STEP)
    while at < old_size or to < new_size:
        if runs != NULL:
            same = rest_of_run(runs, &run, at, to)
        else:
            same = common_size(
                old.tree.data + at, new.tree.data + to, min(old_size - at, new_size - to)
            )
        if same:
            place = at
            while stop < old.tree.stop_count and <Py_ssize_t>old.tree.stops[stop] <= at + same:
                if <Py_ssize_t>old.tree.stops[stop] > at:
                    place = old.tree.stops[stop]
                    if unknown != NULL:  # of two that edits brought together one will do
                        put_stop(unknown, to + (place - at), STEP // 4)
                stop += 1
            place = entry_at(old, place, at + same, oid_size, &mine)
            if place > at:
                if everything:
                    add_equal(pairs, old, at, place, to - at, oid_size)
                has_last = False
                to += place - at
                at = place
        order = -1 if to == new_size else 1
        if at < old_size and mine.start != at:
            read_at(old, at, oid_size, &mine)
        if to < new_size:
            if not read_at(new, to, oid_size, &other) or other.mode_start > other.start:
                return 0
            if at < old_size:
                order = compare_entries(old.tree, &mine, new.tree, &other)
            if order > 0:
                # Only here can the new tree leave its order: every other entry of it has the
                # place of one of the old tree.
                if not (
                    compare_entries(new.tree, &last, new.tree, &other) < 0
                    if has_last else follows(old, at, new.tree, &other, oid_size)
                ):
                    return 0
        elif at == old_size:
            break
        add_pair(pairs, at if order <= 0 else -1, to if order >= 0 else -1)
        if order >= 0:
            if unknown != NULL:  # what changed is likely to change again
                put_stop(unknown, to, STEP // 4)
            last, has_last, to = other, True, other.end
        if order <= 0:
            at = mine.end
    return 1


cdef int pair_as_stored(
    EntryPairs *pairs, const Tree *old, const Tree *new, Py_ssize_t oid_size
) except -1:
    cdef Py_ssize_t at = 0, to = 0
    cdef Entry mine, other
    cdef int order
    while at < old.size or to < new.size:
        order = -1 if to == new.size else 1
        if at < old.size:
            read_entry(old.data, old.size, at, oid_size, &mine)
        if to < new.size:
            read_entry(new.data, new.size, to, oid_size, &other)
            if at < old.size:
                order = compare_entries(old, &mine, new, &other)
        add_pair(pairs, at if order <= 0 else -1, to if order >= 0 else -1)
        if order <= 0:
            at = mine.end
        if order >= 0:
            to = other.end
    return 0
