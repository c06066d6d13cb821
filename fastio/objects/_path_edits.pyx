"""All edits of a plain commit in one walk: files set and removed by path, nothing else.

Sorted by component, the edits of one directory stand together. So each directory is read, edited
and stored once, the children before their parent and by name, as `TreeEditor.write` does it; that
one is the model for this loop. Where the order of the edits matters, the commit is left to the
editor: when a path leads through another one (a file becomes a directory in two steps, say), and
when what was set is removed again (that may have taken a file away whose place is a directory's).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memchr, memcmp, memcpy, memset

from fastio.objects._drafts cimport named_draft, read_oid
from fastio.objects._tree_cache cimport (
    IN_ORDER,
    UNKNOWN,
    Tree,
    content_of,
    derive_stops,
    look_through,
    lower_bound,
)
from fastio.objects._tree_pool cimport TreePool
from fastio.objects._trees cimport (
    DIRECTORY,
    LARGEST_BASE,
    Bytes,
    Entry,
    Event,
    Segments,
    add_segment,
    align_trees,
    compare_events,
    event_room,
    joined_size,
    merge_entry,
    put_event,
    put_segments,
    write_delta,
)

from fastio.errors import ObjectError


cdef enum:
    FEW_EDITS = 4  # of a directory; they need no memory of their own
    SHORT_NAMES = 512


cdef class Trees:
    """Where trees are read from and stored; TreeEditor's two functions as methods.

    Args:
        oid_size: Bytes of an oid.
        limit: Bytes of trees to keep in memory.
    """

    def __init__(self, Py_ssize_t oid_size, int64_t limit=0):
        self.oid_size, self.cache = oid_size, TreePool(oid_size, limit)

    def __dealloc__(self):
        free(self.segments.items)

    cpdef bytes load(self, bytes oid):
        """Return a tree's canonical bytes."""
        raise NotImplementedError

    cpdef bytes store(self, bytes tree, bytes base, bytes delta):
        """Store a tree, and its delta against *base* where there is one; return its oid."""
        raise NotImplementedError

    cdef Tree *open(self, Bytes oid) except NULL nogil:
        cdef Tree *tree = named_draft(oid)
        if tree != NULL:
            return tree
        tree = self.cache.find(oid)
        if tree == NULL:
            tree = self.fetch(oid)
        elif tree.data == NULL:
            self.fill(tree)
        if tree.order == UNKNOWN:
            look_through(tree, self.oid_size)
        if tree.order != IN_ORDER:
            with gil:
                raise ObjectError(f"tree {oid[:self.oid_size].hex()} is not in order")
        return tree

    cdef Tree *fetch(self, Bytes oid) except NULL nogil:
        with gil:
            return self.keep_content(oid[:self.oid_size], self.load(oid[:self.oid_size]))

    cdef int fill(self, Tree *tree) except -1 nogil:
        return self.cache.fill(tree)

    cdef Tree *keep_content(self, bytes oid, bytes content) except NULL:
        cdef Tree *tree = self.cache.copy(
            <Bytes>PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content)
        )
        memcpy(tree.oid, PyBytes_AS_STRING(oid), self.oid_size)
        memcpy(tree.anchor, tree.oid, self.oid_size)
        return self.cache.add(tree)

    cdef int put(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1 nogil:
        with gil:
            return self.put_now(tree, old, segments, oid)

    cdef int put_now(
        self, Tree *tree, Tree *old, Segments *segments, unsigned char *oid
    ) except -1:
        cdef bytes name, base = None, delta = None
        if 0 < old.size <= LARGEST_BASE:
            base = old.oid[:self.oid_size]
            delta = write_delta(segments, old.size, tree.data, tree.size)
        name = self.store(content_of(tree), base, delta)
        memcpy(oid, PyBytes_AS_STRING(name), self.oid_size)
        memcpy(tree.oid, oid, self.oid_size)
        self.cache.add(tree)
        return 0


cdef int compare_paths(const Edit *a, const Edit *b) noexcept nogil:
    """Order two paths by component: a slash counts less than any other byte."""
    cdef Py_ssize_t at = 0, common = a.size if a.size < b.size else b.size
    while at < common and a.path[at] == b.path[at]:
        at += 1
    if at == common:
        return (a.size > b.size) - (a.size < b.size)
    if a.path[at] == 47 or b.path[at] == 47:
        return -1 if a.path[at] == 47 else 1
    return <int>a.path[at] - <int>b.path[at]


cdef int compare_edits(const void *left, const void *right) noexcept nogil:
    cdef const Edit *a = <const Edit *>left
    cdef const Edit *b = <const Edit *>right
    cdef int order = compare_paths(a, b)
    return order if order else (a.order > b.order) - (a.order < b.order)


cdef Py_ssize_t prepare(Edit *edits, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t index, kept = 0
    cdef Edit *last
    qsort(edits, count, sizeof(Edit), compare_edits)
    for index in range(count):
        if kept:
            last = &edits[kept - 1]
            if last.size <= edits[index].size and not memcmp(
                last.path, edits[index].path, last.size
            ):
                if last.size == edits[index].size:
                    if last.mode and not edits[index].mode:
                        return -1
                    kept -= 1
                elif edits[index].path[last.size] == 47:
                    return -1
        edits[kept] = edits[index]
        kept += 1
    return kept


cdef inline Py_ssize_t name_size(const Edit *edit, Py_ssize_t skip) noexcept nogil:
    cdef Bytes start = edit.path + skip
    cdef const void *slash = memchr(start, 47, edit.size - skip)
    return edit.size - skip if slash == NULL else <Bytes>slash - start


cdef Py_ssize_t same_directory(
    const Edit *edits, Py_ssize_t count, Py_ssize_t skip, Py_ssize_t size, bint *sets
) noexcept nogil:
    """Return how many edits go into the first one's directory; tell whether one sets a file."""
    cdef Py_ssize_t index = 0
    sets[0] = False
    while (
        index < count
        and edits[index].size > skip + size
        and edits[index].path[skip + size] == 47
        and not memcmp(edits[index].path + skip, edits[0].path + skip, size)
    ):
        sets[0] |= edits[index].mode != 0
        index += 1
    return index


cdef Py_ssize_t find_directory(
    const Tree *tree, Bytes name, Py_ssize_t size, Py_ssize_t oid_size, Entry *entry
) noexcept nogil:
    """Find an entry called *name*, behind which stands a slash; tell whether it is a directory."""
    cdef int order
    cdef Py_ssize_t at = lower_bound(tree, 0, name, size, oid_size, entry, &order)
    if order == 0:
        return False  # a file
    lower_bound(tree, at, name, size + 1, oid_size, entry, &order)
    return order == 0


cdef int merge_in_order(
    Segments *segments, const Tree *tree, Event *events, Py_ssize_t count, Py_ssize_t oid_size
) except -1 nogil:
    """Fill *segments* with the edited tree; return 1 if it is another tree than before."""
    cdef Py_ssize_t index, at = 0, kept = 0  # of the old tree, [kept:at] is yet to be added
    cdef int changed = 0, order
    cdef Event *event
    cdef Entry entry
    for index in range(count):
        event = &events[index]
        at = lower_bound(tree, at, event.key, event.key_size, oid_size, &entry, &order)
        if order and not event.entry_size:
            continue
        add_segment(segments, tree.data + kept, at - kept, kept)
        kept = at
        if order:
            add_segment(segments, event.entry, event.entry_size, -1)
            changed = 1
        else:
            changed |= merge_entry(segments, tree.data, &entry, event, oid_size)
            kept = at = entry.end
    add_segment(segments, tree.data + kept, tree.size - kept, kept)
    return changed


cdef int write_directory(
    Trees trees, Tree *old, bint emptied, Event *events, Py_ssize_t count, unsigned char *oid
) except -1 nogil:
    """Apply *events*, in any order, to a tree and store what comes out; see `edit_directory`."""
    cdef Segments *segments = &trees.segments
    cdef const Tree *kept = old
    cdef Tree nothing
    cdef Tree *tree
    segments.count = 0
    if emptied:
        memset(&nothing, 0, sizeof(Tree))
        kept = &nothing
    qsort(events, count, sizeof(Event), compare_events)
    if not merge_in_order(segments, kept, events, count, trees.oid_size):
        return kept.data != NULL
    if joined_size(segments) == 0:
        return 0
    tree = trees.cache.take(joined_size(segments))
    put_segments(segments, <unsigned char *>tree.data)
    tree.size = joined_size(segments)
    if emptied and old.size == tree.size and memcmp(old.data, tree.data, tree.size) == 0:
        trees.cache.release(tree)
        return 1
    derive_stops(tree, kept, segments, trees.oid_size)
    if emptied and 0 < old.size <= LARGEST_BASE:
        segments.count = 0  # say it in terms of the old tree, which is the delta's base
        align_trees(segments, old.data, old.size, tree.data, tree.size, trees.oid_size)
    trees.put(tree, old, segments, oid)
    return 1


cdef int edit_directory(
    Trees trees, Bytes old, bint emptied, Edit *edits, Py_ssize_t count, Py_ssize_t skip,
    unsigned char *oid,
) except -1 nogil:
    """Apply edits to a directory.

    Args:
        trees: Loads and stores.
        old: What it was, NULL if it was not there.
        emptied: Whether nothing of that is left: it only serves as delta base.
        edits: The edits.
        count: How many they are.
        skip: Bytes of the directory's own path, with a slash.
        oid: Is set to the new oid.

    Returns:
        Whether anything is in it afterwards.
    """
    cdef Tree *tree
    cdef Tree nothing
    if old == NULL:
        memset(&nothing, 0, sizeof(Tree))
        return edit_tree(trees, &nothing, emptied, edits, count, skip, oid)
    memcpy(oid, old, trees.oid_size)  # what it is when nothing changes
    tree = trees.open(oid)
    tree.users += 1
    try:
        return edit_tree(trees, tree, emptied, edits, count, skip, oid)
    finally:
        tree.users -= 1


cdef int edit_tree(
    Trees trees, Tree *tree, bint emptied, Edit *edits, Py_ssize_t count, Py_ssize_t skip,
    unsigned char *oid,
) except -1 nogil:
    cdef Py_ssize_t index = 0, room = 0, used = 0
    cdef Event few[2 * FEW_EDITS]
    cdef unsigned char short_names[SHORT_NAMES]
    cdef Event *events = few
    cdef unsigned char *scratch = short_names
    cdef unsigned char *out
    for index in range(count):
        room += event_room(edits[index].size - skip, trees.oid_size)
    try:
        if count > FEW_EDITS or room > SHORT_NAMES:
            events = <Event *>malloc(2 * count * sizeof(Event))
            scratch = <unsigned char *>malloc(room)
            if events == NULL or scratch == NULL:
                with gil:
                    raise MemoryError
        out = scratch
        index = 0
        while index < count:
            index += put_edit(
                trees, tree, emptied, edits + index, count - index, skip, &out, events, &used
            )
        if used == 0:
            return tree.data != NULL and not emptied
        return write_directory(trees, tree, emptied, events, used, oid)
    finally:
        if events != few:
            free(events)
        if scratch != short_names:
            free(scratch)


cdef Py_ssize_t put_edit(
    Trees trees, Tree *tree, bint emptied, Edit *edits, Py_ssize_t count, Py_ssize_t skip,
    unsigned char **out, Event *events, Py_ssize_t *used,
) except -1 nogil:
    """Write the events of the first edit, or of all those in its subdirectory; return how many."""
    cdef Py_ssize_t size = name_size(edits, skip), below
    cdef Bytes name = edits.path + skip
    cdef unsigned int mode = DIRECTORY
    cdef unsigned char oid[32]
    cdef unsigned char old[32]
    cdef Bytes child = NULL
    cdef bint sets = False
    cdef Entry entry
    cdef int left
    if edits.size == skip + size:
        out[0] = put_event(
            out[0], events + used[0], name, size, edits.mode, edits.oid, trees.oid_size
        )
        used[0] += 2
        return 1
    below = same_directory(edits, count, skip, size, &sets)
    if find_directory(tree, name, size, trees.oid_size, &entry):
        read_oid(tree, entry.oid, trees.oid_size, old)
        child = old
        if not emptied:
            mode = entry.mode
    if sets or (child != NULL and not emptied):
        left = edit_directory(trees, child, emptied, edits, below, skip + size + 1, oid)
        if emptied or not left or child == NULL or memcmp(oid, child, trees.oid_size):
            out[0] = put_event(
                out[0], events + used[0], name, size, mode if left else 0, oid, trees.oid_size
            )
            used[0] += 2
    return below


cdef int edit_root(
    Trees trees, Bytes root, bint emptied, Edit *edits, Py_ssize_t count, unsigned char *oid
) except -1 nogil:
    if count == 0:
        if root == NULL or emptied:
            return 0
        memcpy(oid, root, trees.oid_size)
        return 1
    return edit_directory(trees, root, emptied, edits, count, 0, oid)


def edit_paths(Trees trees not None, bytes root, list changes not None, *, bint emptied=False):
    """Apply *changes* to the tree *root* (None: an empty one), for tests.

    Args:
        trees: Loads and stores.
        root: The old root's oid.
        changes: Each ``(path, mode, oid)``, or ``(path, 0, b"")`` for a removal, in order.
        emptied: Whether a deleteall comes before them.

    Returns:
        The new root's oid, None if it is empty, False if the commit is not for this loop.
    """
    cdef Py_ssize_t count = len(changes), index
    cdef Edit *edits = <Edit *>malloc((count + 1) * sizeof(Edit))
    cdef unsigned char new[32]
    cdef bytes path, oid
    if edits == NULL:
        raise MemoryError
    try:
        for index, (path, mode, oid) in enumerate(changes):
            edits[index].path, edits[index].size = path, PyBytes_GET_SIZE(path)
            edits[index].order, edits[index].mode = index, mode
            memcpy(edits[index].oid, PyBytes_AS_STRING(oid), min(32, PyBytes_GET_SIZE(oid)))
        count = prepare(edits, count)
        if count < 0:
            return False
        if not edit_root(
            trees, NULL if root is None else <Bytes>PyBytes_AS_STRING(root), emptied, edits, count,
            new,
        ):
            return None
        return PyBytes_FromStringAndSize(<char *>new, trees.oid_size)
    finally:
        free(edits)
