# cython: language_level=3
"""A cache of trees whose memory is used again.

Each tree that is read or made drives out another one of its size or so. What memory the last one
leaves is still near the processor, and asking for large pieces of it and giving them back costs
more than comparing what is in them.

Nearly all trees differ from the one that they were made of in a few oids. Once such a tree was
itself the base of another one it is seldom asked for, so it is *stripped*: of its bytes those are
kept in which it differs from its *ground*, an earlier version that stays whole, and the others are
made again if need be. That keeps what is worked on in a few megabytes, near to the processor. The
ground of a tree is the one of its base, so there are no chains; a tree with too many patches
becomes a ground itself. A ground that was dropped from the cache lives as long as a tree of its.
What a tree counts in the cache is what it has unstripped, so that nothing depends on who is.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from fastio.objects._tree_cache cimport (
    Patch,
    Tree,
    TreeCache,
    content_of,
    free_tree,
    look_through,
    put_patched,
    reserve_stops,
)
from fastio.objects._trees cimport Bytes, Segment, Segments, align_trees


cdef extern from *:
    """
    #define fastio_msb64(x) (63 - __builtin_clzll(x))
    """
    int fastio_msb64(uint64_t x) noexcept nogil


cdef inline int class_of(Py_ssize_t room) noexcept nogil:
    """The smallest class with so much room; CLASSES or more if there is none."""
    cdef int octave
    if room <= <Py_ssize_t>1 << LEAST_BITS:
        return 0
    octave = fastio_msb64(room - 1)  # from 1 << octave to twice that there are STEPS classes
    return (octave - LEAST_BITS) * STEPS + <int>((room - 1) >> (octave - STEP_BITS)) - STEPS + 1


cdef inline Py_ssize_t room_of(int number) noexcept nogil:
    """The room that a class has."""
    return <Py_ssize_t>(STEPS + number % STEPS) << (LEAST_BITS - STEP_BITS + number // STEPS)


cdef inline int add_range(
    Patch *ranges, int count, uint32_t at, uint32_t size
) noexcept nogil:
    """Add a range that begins no sooner than the last one; return how many there are then."""
    cdef Patch *last = &ranges[count - 1]
    if count and last.at + last.size >= at:
        last.size = max(last.size, at + size - last.at)
        return count
    ranges[count].at, ranges[count].size = at, size
    return count + 1


cdef int join_ranges(const Tree *base, const Segments *segments, Patch *ranges) noexcept nogil:
    """Write what is patched in *base* or new in *segments*; return how many ranges there are.

    That is -1 if bytes were moved or if there are more than MOST_PATCHES.
    """
    cdef Py_ssize_t index, at = 0
    cdef int known = 0, count = 0
    cdef const Segment *segment
    for index in range(segments.count):
        segment = &segments.items[index]
        if segment.base_offset >= 0:
            if segment.base_offset != at:
                return -1
        else:
            while known < base.patch_count and <Py_ssize_t>base.patches[known].at <= at:
                count = add_range(
                    ranges, count, base.patches[known].at, base.patches[known].size
                )
                known += 1
            if count >= MOST_PATCHES:
                return -1
            count = add_range(ranges, count, <uint32_t>at, <uint32_t>segment.size)
        at += segment.size
    if count + base.patch_count - known > MOST_PATCHES:
        return -1
    for known in range(known, base.patch_count):
        count = add_range(ranges, count, base.patches[known].at, base.patches[known].size)
    return count


cdef void copy_stops(Tree *tree) noexcept nogil:
    """Set a tree's stops to those of its ground, but for those that a patch has overwritten.

    Between patches the same entries stand in the same places.
    """
    cdef const Tree *ground = tree.ground
    cdef Py_ssize_t index
    cdef int patch = 0
    cdef uint32_t stop
    for index in range(ground.stop_count):
        stop = ground.stops[index]
        while patch < tree.patch_count and (
            tree.patches[patch].at + tree.patches[patch].size <= stop
        ):
            patch += 1
        if patch == tree.patch_count or stop <= tree.patches[patch].at:
            tree.stops[tree.stop_count] = stop
            tree.stop_count += 1


cdef class TreePool(TreeCache):
    """Trees by oid; see `TreeCache`."""

    def __dealloc__(self):
        cdef Tree *tree
        cdef int number
        while self.count:
            self.drop(self.ring.newer)
        for number in range(CLASSES):
            while self.spares[number] != NULL:
                tree = self.spares[number]
                self.spares[number] = tree.next
                free_tree(tree)
        while self.bare != NULL:
            tree = self.bare
            self.bare = tree.next
            PyMem_RawFree(tree)

    cdef Tree *take(self, Py_ssize_t room) except NULL nogil:
        cdef int number = class_of(room)
        cdef Tree *tree = NULL
        cdef Tree fresh
        memset(&fresh, 0, sizeof(Tree))
        if number < CLASSES:
            tree = self.spares[number]
            room = room_of(number)
        if tree != NULL:
            self.spares[number] = tree.next
            self.spare -= tree.room
            self.counts[number] -= 1
            fresh.data, fresh.stops, fresh.stop_room = tree.data, tree.stops, tree.stop_room
        else:
            tree = <Tree *>PyMem_RawMalloc(sizeof(Tree))
            fresh.data = <Bytes>PyMem_RawMalloc(room)
            if tree == NULL or fresh.data == NULL:
                PyMem_RawFree(tree)
                PyMem_RawFree(<void *>fresh.data)
                with gil:
                    raise MemoryError
        fresh.room = room
        tree[0] = fresh
        return tree

    cdef Tree *copy(self, Bytes data, Py_ssize_t size) except NULL nogil:
        cdef Tree *tree = self.take(size)
        memcpy(<void *>tree.data, data, size)
        tree.size = size
        return tree

    cdef void note_patches(self, Tree *tree, Tree *base, const Segments *segments) noexcept nogil:
        cdef Patch ranges[2 * MOST_PATCHES + 1]
        cdef unsigned char *out
        cdef Py_ssize_t total = 0
        cdef int count, index
        if tree.size < LEAST_PATCHED or base.size != tree.size or tree.dependents:
            return
        count = join_ranges(base, segments, ranges)
        for index in range(count):
            total += ranges[index].size
        if count < 0 or total > tree.size // 4:
            return
        tree.patches = <Patch *>PyMem_RawMalloc(count * sizeof(Patch) + total)
        if tree.patches == NULL:
            return  # then it stays whole
        memcpy(tree.patches, ranges, count * sizeof(Patch))
        out = <unsigned char *>(tree.patches + count)
        for index in range(count):
            memcpy(out, tree.data + ranges[index].at, ranges[index].size)
            out += ranges[index].size
        tree.patch_count = count
        tree.ground = base if base.ground == NULL else base.ground
        tree.ground.dependents += 1

    cdef void strip(self, Tree *tree) noexcept nogil:
        cdef Tree *spare
        if tree.ground == NULL or tree.data == NULL or tree.dependents:
            return
        spare = self.bare
        if spare != NULL:
            self.bare = spare.next
        else:
            spare = <Tree *>PyMem_RawMalloc(sizeof(Tree))
            if spare == NULL:
                return
        memset(spare, 0, sizeof(Tree))
        spare.data, spare.room = tree.data, tree.room
        spare.stops, spare.stop_room = tree.stops, tree.stop_room
        tree.data, tree.room = NULL, 0
        tree.stops, tree.stop_room, tree.stop_count = NULL, 0, 0
        self.keep_spare(spare)

    cdef int fill(self, Tree *tree) except -1 nogil:
        cdef Tree *spare = self.take(tree.size)
        put_patched(tree, <unsigned char *>spare.data)
        tree.data, tree.room = spare.data, spare.room
        tree.stops, tree.stop_room = spare.stops, spare.stop_room
        spare.next, self.bare = self.bare, spare
        reserve_stops(tree)
        copy_stops(tree)
        return 0

    cdef void release(self, Tree *tree) noexcept nogil:
        cdef Tree *ground = tree.ground
        PyMem_RawFree(tree.patches)
        tree.patches, tree.ground = NULL, NULL
        if tree.data == NULL:
            PyMem_RawFree(tree.states)
            tree.next, self.bare = self.bare, tree
        else:
            self.keep_spare(tree)
        if ground != NULL:
            ground.dependents -= 1
            if not ground.dependents and not ground.users and ground.newer == NULL:
                self.release(ground)

    cdef void keep_spare(self, Tree *tree) noexcept nogil:
        cdef int number = class_of(tree.room)
        cdef int64_t most = max(self.limit // SPARE_PART, <int64_t>LEAST_SPARE)
        if number >= CLASSES:
            free_tree(tree)
            return
        PyMem_RawFree(tree.states)
        tree.states = NULL
        tree.next = self.spares[number]
        self.spares[number] = tree
        self.counts[number] += 1
        self.spare += tree.room
        while self.spare > most:
            self.free_spare()

    cdef void free_spare(self) noexcept nogil:
        """Free one of those that take the most memory: they are no longer wanted so much."""
        cdef int number, most = 0
        cdef Tree *tree
        for number in range(CLASSES):
            if self.counts[number] * room_of(number) > self.counts[most] * room_of(most):
                most = number
        tree = self.spares[most]
        self.spares[most] = tree.next
        self.counts[most] -= 1
        self.spare -= tree.room
        free_tree(tree)


# --- for tests ----------------------------------------------------------------------------------

def strip_versions(list versions not None, Py_ssize_t oid_size):
    """Make each of *versions*, trees in order, of the one before it, and strip all.

    Returns:
        For each what it is stripped (None: it stays whole), what it is once filled, and its stops.
    """
    cdef TreePool pool = TreePool(oid_size, 1 << 20)
    cdef Segments segments = Segments(NULL, 0, 0)
    cdef Tree *base = NULL
    cdef Tree *tree
    cdef int number = 0
    cdef bytes version, stripped
    cdef Py_ssize_t at
    cdef list found = []
    for version in versions:
        number += 1
        tree = pool.copy(<Bytes>PyBytes_AS_STRING(version), PyBytes_GET_SIZE(version))
        memcpy(tree.oid, &number, sizeof(number))
        tree = pool.add(tree)
        look_through(tree, oid_size)
        if base != NULL:
            segments.count = 0
            align_trees(&segments, base.data, base.size, tree.data, tree.size, oid_size)
            pool.note_patches(tree, base, &segments)
            pool.strip(base)
            stripped = content_of(base) if base.data == NULL else None
            if base.data == NULL:
                pool.fill(base)
            stops = [base.stops[at] for at in range(base.stop_count)]
            found.append((stripped, content_of(base), stops))
            pool.strip(base)
        base = tree
    free(segments.items)
    return found
