"""All edits of a plain commit in one walk: files set and removed by path, nothing else.

Sorted by component, the edits of one directory stand together. So each directory is read, edited
and stored once, the children before their parent and by name, as `TreeEditor.write` does it; that
one is the model for this loop. Where the order of the edits matters, the commit is left to the
editor: when a path leads through another one (a file becomes a directory in two steps, say), and
when what was set is removed again (that may have taken a file away whose place is a directory's).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memchr, memcmp, memcpy

from fastio.objects._trees cimport (
    DIRECTORY,
    Bytes,
    Entry,
    Event,
    apply_events,
    c_find_entry,
    event_room,
    is_directory,
    put_event,
)


cdef class Trees:
    """Where trees are read from and stored; TreeEditor's two functions as methods."""

    def __init__(self, Py_ssize_t oid_size):
        self.oid_size = oid_size

    cpdef bytes load(self, bytes oid):
        """Return a tree's canonical bytes."""
        raise NotImplementedError

    cpdef bytes store(self, bytes tree, bytes base, bytes delta):
        """Store a tree, and its delta against *base* where there is one; return its oid."""
        raise NotImplementedError


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


cdef bytes edit_directory(
    Trees trees, bytes old, Edit *edits, Py_ssize_t count, Py_ssize_t skip
):
    cdef bytes tree = b"" if old is None else trees.load(old)
    cdef bytes edited, delta, child, new
    cdef Bytes data = <Bytes>PyBytes_AS_STRING(tree)
    cdef Py_ssize_t size, index, below, room = 0, used = 0
    cdef unsigned int mode
    cdef bint sets = False
    cdef Event *events = NULL
    cdef unsigned char *scratch = NULL
    cdef unsigned char *out
    cdef Entry entry
    if count == 0:
        return old
    for index in range(count):
        room += event_room(edits[index].size - skip, trees.oid_size)
    try:
        events = <Event *>malloc(2 * count * sizeof(Event))
        scratch = <unsigned char *>malloc(room)
        if events == NULL or scratch == NULL:
            raise MemoryError
        out, index = scratch, 0
        while index < count:
            size = name_size(&edits[index], skip)
            if edits[index].size == skip + size:
                out = put_event(
                    out, events + used, edits[index].path + skip, size,
                    edits[index].mode, edits[index].oid, trees.oid_size,
                )
                used += 2
                index += 1
                continue
            below = same_directory(edits + index, count - index, skip, size, &sets)
            child, mode = None, DIRECTORY
            if c_find_entry(
                data, PyBytes_GET_SIZE(tree), edits[index].path + skip, size, trees.oid_size,
                &entry,
            ) and is_directory(entry.mode):
                child, mode = data[entry.oid:entry.end], entry.mode
            if child is not None or sets:
                new = edit_directory(trees, child, edits + index, below, skip + size + 1)
                if new != child:
                    out = put_event(
                        out, events + used, edits[index].path + skip, size,
                        0 if new is None else mode,
                        NULL if new is None else <Bytes>PyBytes_AS_STRING(new), trees.oid_size,
                    )
                    used += 2
            index += below
        if used == 0:
            return old
        edited, delta = apply_events(tree, events, used, trees.oid_size)
    finally:
        free(events)
        free(scratch)
    if edited is tree:
        return old
    if PyBytes_GET_SIZE(edited) == 0:
        return None
    return trees.store(edited, None if delta is None else old, delta)


def edit_paths(Trees trees not None, bytes root, list changes not None):
    """Apply *changes* to the tree *root* (None: an empty one), for tests.

    Args:
        trees: Loads and stores.
        root: The old root's oid.
        changes: Each ``(path, mode, oid)``, or ``(path, 0, b"")`` for a removal, in order.

    Returns:
        The new root's oid, None if it is empty, False if the commit is not for this loop.
    """
    cdef Py_ssize_t count = len(changes), index
    cdef Edit *edits = <Edit *>malloc((count + 1) * sizeof(Edit))
    cdef bytes path, oid
    if edits == NULL:
        raise MemoryError
    try:
        for index, (path, mode, oid) in enumerate(changes):
            edits[index].path, edits[index].size = path, PyBytes_GET_SIZE(path)
            edits[index].order, edits[index].mode = index, mode
            memcpy(edits[index].oid, PyBytes_AS_STRING(oid), min(32, PyBytes_GET_SIZE(oid)))
        count = prepare(edits, count)
        return False if count < 0 else edit_directory(trees, root, edits, count, 0)
    finally:
        free(edits)
