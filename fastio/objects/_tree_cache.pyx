"""Trees in memory: by oid, with places to start looking for an entry from.

A tree's entries have different lengths, so finding one takes a scan. Every tree that is edited has
*stops* therefore: places where entries begin, STEP bytes apart or so. An entry is found by a binary
search among the stops and a short scan. The stops of an edited tree come from those of its old
version, moved along, so that an edit of a large directory looks at a few entries only.

That works for trees that are in order: entries whole and sorted, each with a name of its own, modes
without leading zeros. All that git or we write are; others, which old tools left behind, are for
the general editor.

The cache keeps the trees used last. One that is in use stays. Where it must not show in which order
the trees of a few commits were used, trees make room at the end of *turns* only, and all of those
that were used last in the same turn.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from fastio.objects._trees cimport (
    LARGEST_BASE,
    Bytes,
    Entry,
    OrderCheck,
    Segment,
    Segments,
    comes_next,
    compare_to_key,
    is_directory,
    read_entry,
)

cdef enum:
    FIRST_BUCKETS = 64

TREE_OVERHEAD = OVERHEAD


cdef bytes content_of(const Tree *tree):
    cdef bytes content
    if tree.ground == NULL or tree.data != NULL:
        return PyBytes_FromStringAndSize(<const char *>tree.data, tree.size)
    content = PyBytes_FromStringAndSize(NULL, tree.size)
    put_patched(tree, <unsigned char *>PyBytes_AS_STRING(content))
    return content


cdef void put_patched(const Tree *tree, unsigned char *out) noexcept nogil:
    cdef Bytes at = <Bytes>(tree.patches + tree.patch_count)
    cdef int index
    memcpy(out, tree.ground.data, tree.size)
    for index in range(tree.patch_count):
        memcpy(out + tree.patches[index].at, at, tree.patches[index].size)
        at += tree.patches[index].size


cdef void free_tree(Tree *tree) noexcept nogil:
    PyMem_RawFree(<void *>tree.data)
    PyMem_RawFree(tree.stops)
    PyMem_RawFree(tree.states)
    PyMem_RawFree(tree.patches)
    PyMem_RawFree(tree)


# --- stops ------------------------------------------------------------------------------------

cdef int reserve_stops(Tree *tree) except -1 nogil:
    cdef Py_ssize_t room = 4 * max(tree.size, tree.room) // STEP + 2
    tree.stop_count = 0
    if tree.stop_room < room:
        PyMem_RawFree(tree.stops)
        tree.stop_room = 0
        tree.stops = <uint32_t *>PyMem_RawMalloc(room * sizeof(uint32_t))
        if tree.stops == NULL:
            with gil:
                raise MemoryError
        tree.stop_room = room
    return 0


cdef int look_through(Tree *tree, Py_ssize_t oid_size) except -1 nogil:
    cdef Py_ssize_t at = 0, stop = -STEP
    cdef OrderCheck check
    cdef Entry entry
    tree.order = OUT_OF_ORDER
    if tree.size > LARGEST_BASE:
        return 0
    reserve_stops(tree)
    memset(&check, 0, sizeof(check))
    while at < tree.size:
        if not read_entry(tree.data, tree.size, at, oid_size, &entry) or entry.mode_start > at:
            return 0
        if not comes_next(&check, tree.data, &entry):
            return 0
        if at - stop >= STEP:
            stop = tree.stops[tree.stop_count] = <uint32_t>at
            tree.stop_count += 1
        at = entry.end
    tree.order = IN_ORDER
    return 0


cdef Py_ssize_t put_stop(
    Tree *tree, Py_ssize_t last, Py_ssize_t place, Py_ssize_t oid_size
) noexcept nogil:
    """Add an entry's place to the stops if the last one is not near; return the last one then.

    Where the two are too far apart, the entries between them are asked.
    """
    cdef Py_ssize_t at = last
    cdef Entry entry
    while place - last > 2 * STEP:
        while at - last < STEP:
            read_entry(tree.data, tree.size, at, oid_size, &entry)
            at = entry.end
        if at >= place:
            break
        last = tree.stops[tree.stop_count] = <uint32_t>at
        tree.stop_count += 1
    if place - last < STEP // 2 or place == tree.size:
        return last
    tree.stops[tree.stop_count] = <uint32_t>place
    tree.stop_count += 1
    return place


cdef int derive_stops(
    Tree *tree, const Tree *old, const Segments *segments, Py_ssize_t oid_size
) except -1 nogil:
    cdef Py_ssize_t at = 0, last = 0, index, stop = 0, moved
    cdef const Segment *segment
    tree.order = OUT_OF_ORDER
    if tree.size == 0 or tree.size > LARGEST_BASE:
        return 0
    reserve_stops(tree)
    tree.order = IN_ORDER
    tree.stops[0] = 0
    tree.stop_count = 1
    for index in range(segments.count):
        segment = &segments.items[index]
        if segment.base_offset >= 0:
            moved = at - segment.base_offset
            while stop < old.stop_count and old.stops[stop] < segment.base_offset:
                stop += 1
            while stop < old.stop_count and old.stops[stop] < segment.base_offset + segment.size:
                last = put_stop(tree, last, old.stops[stop] + moved, oid_size)
                stop += 1
        at += segment.size
    put_stop(tree, last, tree.size, oid_size)
    return 0


cdef Py_ssize_t lower_bound(
    const Tree *tree, Py_ssize_t start, Bytes key, Py_ssize_t key_size, Py_ssize_t oid_size,
    Entry *entry, int *order,
) noexcept nogil:
    cdef Py_ssize_t low = 0, high = tree.stop_count, middle, at = start
    if at < tree.size:
        order[0] = order_at(tree, at, key, key_size, oid_size, entry)
        if order[0] >= 0:
            return at
        at = entry.end
    while high - low > 1:
        middle = (low + high) // 2
        if order_at(tree, tree.stops[middle], key, key_size, oid_size, entry) < 0:
            low = middle
        else:
            high = middle
    if high and tree.stops[low] > <uint32_t>at:
        at = tree.stops[low]
    while at < tree.size:
        order[0] = order_at(tree, at, key, key_size, oid_size, entry)
        if order[0] >= 0:
            return at
        at = entry.end
    order[0] = 1
    return at


cdef inline int order_at(
    const Tree *tree, Py_ssize_t at, Bytes key, Py_ssize_t key_size, Py_ssize_t oid_size,
    Entry *entry,
) noexcept nogil:
    """Read an entry, and order it against *key*."""
    read_entry(tree.data, tree.size, at, oid_size, entry)
    return compare_to_key(
        tree.data + entry.name, entry.name_size, is_directory(entry.mode), key, key_size
    )


# --- the cache --------------------------------------------------------------------------------

cdef class TreeCache:
    """Trees by oid.

    Args:
        oid_size: Bytes of an oid.
        limit: Bytes of trees to keep, overhead included; one is always kept.
    """

    def __cinit__(self, Py_ssize_t oid_size, int64_t limit, *_of_subclasses):
        self.oid_size, self.limit = oid_size, limit
        self.ring.newer = self.ring.older = &self.ring
        self.buckets = <Tree **>PyMem_RawCalloc(FIRST_BUCKETS, sizeof(Tree *))
        if self.buckets == NULL:
            raise MemoryError
        self.mask = FIRST_BUCKETS - 1

    def __dealloc__(self):
        while self.count:
            self.drop(self.ring.newer)
        PyMem_RawFree(self.buckets)

    cdef uint64_t bucket(self, const unsigned char *oid) noexcept nogil:
        cdef uint64_t value
        memcpy(&value, oid + self.oid_size - sizeof(value), sizeof(value))
        return value & self.mask

    cdef Tree *peek(self, const unsigned char *oid) noexcept nogil:
        """Find a tree, which counts as unused all the same."""
        cdef Tree *tree = self.buckets[self.bucket(oid)]
        while tree != NULL and memcmp(tree.oid, oid, self.oid_size):
            tree = tree.next
        return tree

    cdef Tree *find(self, const unsigned char *oid) noexcept nogil:
        cdef Tree *tree = self.peek(oid)
        if tree != NULL:
            self.unlink(tree)
            self.link_newest(tree)
        return tree

    cdef Tree *add(self, Tree *tree) except NULL nogil:
        cdef Tree *known = self.peek(tree.oid)
        cdef uint64_t bucket
        if known != NULL:
            self.unlink(known)
            self.link_newest(known)
            self.release(tree)
            return known
        if self.count > self.mask:
            self.grow()
        bucket = self.bucket(tree.oid)
        tree.next = self.buckets[bucket]
        self.buckets[bucket] = tree
        self.link_newest(tree)
        self.count += 1
        self.used += self.cost(tree)
        self.make_room(tree, self.limit * 2 if self.by_turns else self.limit)
        return tree

    cdef void make_room(self, const Tree *last, int64_t limit) noexcept nogil:
        """Drop the oldest trees, but none from *last* on."""
        cdef Tree *oldest = self.ring.newer
        cdef Tree *next_oldest
        while self.used > limit and oldest != last:
            next_oldest = oldest.newer
            if not oldest.users:
                self.drop(oldest)
            oldest = next_oldest

    cdef void end_turn(self) noexcept nogil:
        cdef Tree *oldest = self.ring.newer
        cdef Tree *next_oldest
        cdef uint32_t turn = self.turn
        self.by_turns = True
        while oldest != &self.ring and oldest.turn != self.turn:
            if self.used <= self.limit and oldest.turn != turn:
                break
            next_oldest, turn = oldest.newer, oldest.turn
            self.drop(oldest)
            oldest = next_oldest
        self.turn += 1

    cdef int grow(self) except -1 nogil:
        cdef uint64_t old_mask = self.mask, number, bucket
        cdef Tree **old = self.buckets
        cdef Tree **fresh = <Tree **>PyMem_RawCalloc(2 * (old_mask + 1), sizeof(Tree *))
        cdef Tree *tree
        if fresh == NULL:
            raise MemoryError
        self.buckets, self.mask = fresh, 2 * old_mask + 1
        for number in range(old_mask + 1):
            while old[number] != NULL:
                tree = old[number]
                old[number] = tree.next
                bucket = self.bucket(tree.oid)
                tree.next = fresh[bucket]
                fresh[bucket] = tree
        PyMem_RawFree(old)
        return 0

    cdef void unlink(self, Tree *tree) noexcept nogil:
        tree.newer.older, tree.older.newer = tree.older, tree.newer

    cdef void link_newest(self, Tree *tree) noexcept nogil:
        tree.turn = self.turn
        tree.older, tree.newer = self.ring.older, &self.ring
        tree.older.newer = self.ring.older = tree

    cdef void drop(self, Tree *tree) noexcept nogil:
        cdef Tree **link = &self.buckets[self.bucket(tree.oid)]
        while link[0] != tree:
            link = &link[0].next
        link[0] = tree.next
        self.unlink(tree)
        self.count -= 1
        self.used -= self.cost(tree)
        if tree.users or tree.dependents:
            tree.newer = NULL  # whoever needs it last releases it
        else:
            self.release(tree)

    cdef int64_t cost(self, const Tree *tree) noexcept nogil:
        return tree.size + OVERHEAD

    cdef void release(self, Tree *tree) noexcept nogil:
        free_tree(tree)
