# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Trees whose oids are not known yet, so that many can be hashed at once.

A tree is edited by what it holds, so the next commit's trees can be made before the last one's are
hashed: only the oids of directories inside them are missing. Such a tree is a *draft*. In it, and
in all that is made of it, a directory that is a draft as well has a *hole* in the place of its oid.
For the edit a name stands there that no oid has.

Drafts of many commits are hashed level by level: first all without holes, side by side in the lanes
of `workers._sha1`, then those whose holes can be filled, and so on up to the roots.
"""

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from fastio.objects._tree_cache cimport Draft, Hole, Tree
from fastio.objects._trees cimport LARGEST_BASE, Bytes, Segment, Segments
from workers._sha1 cimport Message, c_hash_objects

import os

cdef extern from "<string.h>":
    void *memmem(
        const void *data, size_t size, const void *wanted, size_t wanted_size
    ) noexcept nogil

cdef enum:
    KIND_TREE = 2
    PREFIX = 12  # bytes that all names begin with; a pointer follows

cdef unsigned char prefix[PREFIX]
cdef bytes random_bytes = os.urandom(PREFIX)
memcpy(prefix, <const unsigned char *>random_bytes, PREFIX)


cdef void put_name(const Tree *draft, unsigned char *oid) noexcept nogil:
    memcpy(oid, prefix, PREFIX)
    memcpy(oid + PREFIX, &draft, sizeof(draft))


cdef Tree *named_draft(Bytes oid) noexcept nogil:
    cdef Tree *draft = NULL
    if memcmp(oid, prefix, PREFIX) == 0:
        memcpy(&draft, oid + PREFIX, sizeof(draft))
    return draft


cdef int begin_draft(Tree *tree, Tree *old, const Segments *segments) except -1 nogil:
    cdef Py_ssize_t holes = count_new(segments)
    cdef Draft *draft
    if old.draft != NULL:
        holes += old.draft.hole_count
    draft = <Draft *>malloc(
        sizeof(Draft) + holes * sizeof(Hole) + segments.count * sizeof(Segment)
    )
    if draft == NULL:
        with gil:
            raise MemoryError
    memset(draft, 0, sizeof(Draft))
    draft.holes = <Hole *>(draft + 1)
    draft.segments.items = <Segment *>(draft.holes + holes)
    draft.segments.count = segments.count
    memcpy(draft.segments.items, segments.items, segments.count * sizeof(Segment))
    draft.base = old if 0 < old.size <= LARGEST_BASE else NULL
    tree.draft = draft
    find_holes(draft, old)
    return 0


cdef Py_ssize_t count_new(const Segments *segments) noexcept nogil:
    """Return how many oids at most are in what is new."""
    cdef Py_ssize_t index, count = 0
    for index in range(segments.count):
        if segments.items[index].base_offset < 0:
            count += segments.items[index].size // OID_SIZE
    return count


cdef void find_holes(Draft *draft, const Tree *old) noexcept nogil:
    """Note the holes of what the segments keep of the old tree, and those in new entries."""
    cdef Py_ssize_t index, at = 0, known = 0, holes = 0
    cdef const Segment *segment
    cdef const Hole *hole
    if old.draft != NULL:
        holes = old.draft.hole_count
    for index in range(draft.segments.count):
        segment = &draft.segments.items[index]
        if segment.base_offset >= 0:
            while known < holes:
                hole = &old.draft.holes[known]
                if hole.at >= segment.base_offset + segment.size:
                    break
                if hole.at >= segment.base_offset:
                    add_hole(draft, hole.at - segment.base_offset + at, hole.child)
                known += 1
        else:
            find_names(draft, segment, at)
        at += segment.size


cdef void find_names(Draft *draft, const Segment *segment, Py_ssize_t at) noexcept nogil:
    """Note the holes in what is new; the first byte of it is the tree's at *at*."""
    cdef Bytes place = segment.data, end = segment.data + segment.size
    while end - place >= OID_SIZE:
        place = <Bytes>memmem(place, end - place, prefix, PREFIX)
        if place == NULL or end - place < OID_SIZE:
            break
        add_hole(draft, at + (place - segment.data), named_draft(place))
        place += OID_SIZE


cdef inline void add_hole(Draft *draft, Py_ssize_t at, Tree *child) noexcept nogil:
    draft.holes[draft.hole_count].at = at
    draft.holes[draft.hole_count].child = child
    draft.hole_count += 1
    draft.level = max(draft.level, child.draft.level + 1)


cdef void free_draft(Tree *tree) noexcept nogil:
    free(tree.draft)
    tree.draft = NULL


cdef void read_oid(
    const Tree *tree, Py_ssize_t at, Py_ssize_t size, unsigned char *oid
) noexcept nogil:
    cdef Py_ssize_t low = 0, high, middle
    if tree.draft != NULL:
        high = tree.draft.hole_count
        while low < high:
            middle = (low + high) // 2
            if tree.draft.holes[middle].at < at:
                low = middle + 1
            else:
                high = middle
        if low < tree.draft.hole_count and tree.draft.holes[low].at == at:
            put_name(tree.draft.holes[low].child, oid)
            return
    memcpy(oid, tree.data + at, size)


cdef void fill_holes(Tree *tree) noexcept nogil:
    cdef Py_ssize_t index
    cdef const Hole *hole
    for index in range(tree.draft.hole_count):
        hole = &tree.draft.holes[index]
        memcpy(<unsigned char *>tree.data + hole.at, hole.child.oid, OID_SIZE)
    tree.draft.hole_count = tree.draft.level = 0


cdef int hash_drafts(Tree *first, Py_ssize_t count) noexcept nogil:
    """Return 0, or -1 if there is no memory."""
    cdef Tree *tree = first
    cdef int level, levels = 0
    cdef Message *messages = <Message *>malloc((count + 1) * sizeof(Message))
    cdef Py_ssize_t *ends  # of each level's messages
    while tree != NULL:
        levels = max(levels, tree.draft.level + 1)
        tree = tree.draft.next
    ends = <Py_ssize_t *>calloc(levels + 1, sizeof(Py_ssize_t))
    if messages == NULL or ends == NULL:
        free(messages)
        free(ends)
        return -1
    sort_by_level(first, messages, ends + 1, levels)
    for level in range(levels):
        hash_level(messages + ends[level], ends[level + 1] - ends[level])
    free(messages)
    free(ends)
    return 0


cdef void sort_by_level(
    Tree *first, Message *messages, Py_ssize_t *ends, int levels
) noexcept nogil:
    """Give each level's trees messages one behind another; their order is the levels' then."""
    cdef Tree *tree = first
    cdef Py_ssize_t start = 0, size
    cdef int level
    while tree != NULL:
        ends[tree.draft.level] += 1
        tree = tree.draft.next
    for level in range(levels):
        size = ends[level]
        ends[level] = start
        start += size
    tree = first
    while tree != NULL:
        messages[ends[tree.draft.level]].next = <Message *>tree
        ends[tree.draft.level] += 1
        tree = tree.draft.next


cdef void hash_level(Message *messages, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t index
    cdef Tree *tree
    for index in range(count):
        tree = <Tree *>messages[index].next
        fill_holes(tree)
        messages[index].kind, messages[index].data = KIND_TREE, tree.data
        messages[index].size, messages[index].oid = tree.size, tree.oid
    c_hash_objects(messages, count)
