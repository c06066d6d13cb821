"""Loops over canonical tree bytes: look-up, listing, editing, and the deltas of edits.

A tree is a run of entries ``<octal mode> SP <name> NUL <raw oid>``, sorted by name, where a
directory's name counts as if it ended in ``/``. An edit is one merge of the old entries with
the sorted changes. It yields a list of segments (ranges of the old tree, and new bytes), and
both results, the new tree and its delta, are written from that one list.

What edits trees needs no interpreter, since a thread without it may do so (`importer/_tree_line`).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memchr, memcmp, memcpy, memset

from operator import itemgetter

from fastio.errors import ObjectError

from workers._arrays cimport resized

cdef enum:
    COPY_LIMIT = 0x10000  # longest copy that pack version 2 allows
    INSERT_LIMIT = 0x7F
    SHORTEST_COPY = 8  # a copy instruction takes up to seven bytes

cdef int compare_events(const void *left, const void *right) noexcept nogil:
    cdef const Event *a = <const Event *>left
    cdef const Event *b = <const Event *>right
    return compare_names(a.key, a.key_size, False, b.key, b.key_size, False)


cdef int add_segment(
    Segments *segments, Bytes data, Py_ssize_t size, Py_ssize_t base_offset
) except -1 nogil:
    """Append a segment, or lengthen the last one when the new one follows on it."""
    cdef Segment *last
    cdef Py_ssize_t capacity
    if size == 0:
        return 0
    if segments.count:
        last = &segments.items[segments.count - 1]
        if last.data + last.size == data and (last.base_offset < 0) == (base_offset < 0):
            last.size += size
            return 0
    if segments.count == segments.capacity:
        capacity = segments.capacity * 2 if segments.capacity else 16
        segments.items = <Segment *>resized(segments.items, capacity * sizeof(Segment))
        segments.capacity = capacity
    last = &segments.items[segments.count]
    last.data = data
    last.size = size
    last.base_offset = base_offset
    segments.count += 1
    return 0


cdef unsigned char *put_size(unsigned char *out, Py_ssize_t value) noexcept nogil:
    """Write a size of gitformat-pack(5): seven bits a byte, lowest first."""
    while value > 0x7F:
        out[0] = <unsigned char>(value & 0x7F) | 0x80
        out += 1
        value >>= 7
    out[0] = <unsigned char>value
    return out + 1


cdef unsigned char *put_copy(
    unsigned char *out, Py_ssize_t offset, Py_ssize_t size
) noexcept nogil:
    """Write copy instructions for a range of the base."""
    cdef unsigned char *head
    cdef Py_ssize_t piece, rest
    cdef int bit
    while size > 0:
        piece = size if size < COPY_LIMIT else COPY_LIMIT
        head = out
        head[0] = 0x80
        out += 1
        rest = offset
        for bit in range(4):
            if rest & 0xFF:
                head[0] |= <unsigned char>(1 << bit)
                out[0] = <unsigned char>(rest & 0xFF)
                out += 1
            rest >>= 8
        rest = piece if piece < COPY_LIMIT else 0  # no size at all stands for the limit
        for bit in range(4, 6):
            if rest & 0xFF:
                head[0] |= <unsigned char>(1 << bit)
                out[0] = <unsigned char>(rest & 0xFF)
                out += 1
            rest >>= 8
        offset += piece
        size -= piece
    return out


cdef unsigned char *put_insert(
    unsigned char *out, Bytes data, Py_ssize_t size
) noexcept nogil:
    cdef Py_ssize_t piece
    while size > 0:
        piece = size if size < INSERT_LIMIT else INSERT_LIMIT
        out[0] = <unsigned char>piece
        memcpy(out + 1, data, piece)
        out += 1 + piece
        data += piece
        size -= piece
    return out


cdef Py_ssize_t put_delta(
    Segments *segments, Py_ssize_t base_size, Bytes target, Py_ssize_t size,
    unsigned char **delta,
) except -1 nogil:
    """Write the delta that *segments* describe; *target* is the result they give.

    Returns:
        The size of the delta, for which *delta* is memory to be freed by the caller.
    """
    cdef Py_ssize_t bound = 32, at = 0, inserted = 0, index
    cdef Segment *segment
    cdef unsigned char *buffer
    cdef unsigned char *out
    for index in range(segments.count):
        segment = &segments.items[index]
        if segment.base_offset < 0 or segment.size < SHORTEST_COPY:
            bound += segment.size + segment.size // INSERT_LIMIT + 1
        else:
            bound += 7 * (segment.size // COPY_LIMIT + 1)
    buffer = <unsigned char *>malloc(bound)
    if buffer == NULL:
        with gil:
            raise MemoryError
    out = put_size(put_size(buffer, base_size), size)
    for index in range(segments.count):
        segment = &segments.items[index]
        if segment.base_offset < 0 or segment.size < SHORTEST_COPY:
            inserted += segment.size  # neighbours share instructions
        else:
            out = put_insert(out, target + at - inserted, inserted)
            inserted = 0
            out = put_copy(out, segment.base_offset, segment.size)
        at += segment.size
    delta[0] = buffer
    return put_insert(out, target + at - inserted, inserted) - buffer


cdef bytes write_delta(Segments *segments, Py_ssize_t base_size, Bytes target, Py_ssize_t size):
    """The same as a bytes object."""
    cdef unsigned char *delta = NULL
    cdef Py_ssize_t delta_size = put_delta(segments, base_size, target, size, &delta)
    try:
        return PyBytes_FromStringAndSize(<char *>delta, delta_size)
    finally:
        free(delta)


cdef int malformed(Py_ssize_t at) except -1 with gil:
    raise ObjectError(f"malformed tree entry at byte {at}")


cdef bint comes_next(OrderCheck *check, Bytes tree, const Entry *entry) noexcept nogil:
    cdef const Entry *last = &check.last
    cdef const Entry *prefix
    cdef Bytes name = tree + entry.name
    if last.end and compare_names(
        tree + last.name, last.name_size, is_directory(last.mode),
        name, entry.name_size, is_directory(entry.mode),
    ) >= 0:
        return False
    if last.end and starts(tree, last, entry) and not is_directory(last.mode):
        if check.prefix_count == MOST_PREFIXES:
            return False  # this says nothing of the tree, but it will be dealt with rightly
        check.prefixes[check.prefix_count] = last[0]
        check.prefix_count += 1
    while check.prefix_count:
        prefix = &check.prefixes[check.prefix_count - 1]
        if starts(tree, prefix, entry):
            if prefix.name_size == entry.name_size:
                return False
            break
        check.prefix_count -= 1
    check.last = entry[0]
    return True


cdef inline bint starts(Bytes tree, const Entry *prefix, const Entry *entry) noexcept nogil:
    return prefix.name_size <= entry.name_size and not memcmp(
        tree + prefix.name, tree + entry.name, prefix.name_size
    )


def find_entry(bytes tree not None, bytes name not None, Py_ssize_t oid_size):
    """Return ``(mode, oid)`` of the first entry called *name*, or None.

    The order is not relied on: there are trees without.
    """
    cdef Bytes data = <Bytes>PyBytes_AS_STRING(tree), wanted = <Bytes>PyBytes_AS_STRING(name)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(tree), wanted_size = PyBytes_GET_SIZE(name), at = 0
    cdef Entry entry
    while at < size:
        if not read_entry(data, size, at, oid_size, &entry):
            malformed(at)
        if entry.name_size == wanted_size and not memcmp(data + entry.name, wanted, wanted_size):
            return entry.mode, data[entry.oid:entry.end]
        at = entry.end
    return None


def entries(bytes tree not None, Py_ssize_t oid_size):
    """Return the entries as a list of ``(name, mode, oid)``, in the tree's order."""
    cdef Bytes data = <Bytes>PyBytes_AS_STRING(tree)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(tree), at = 0
    cdef Entry entry
    cdef list found = []
    while at < size:
        if not read_entry(data, size, at, oid_size, &entry):
            malformed(at)
        found.append(
            (
                data[entry.name:entry.name + entry.name_size],
                entry.mode,
                data[entry.oid:entry.end],
            )
        )
        at = entry.end
    return found


cdef unsigned char *put_event(
    unsigned char *out, Event *events, Bytes name, Py_ssize_t size,
    unsigned int mode, Bytes oid, Py_ssize_t oid_size,
) noexcept nogil:
    """Write key and new entry of one change to *out*, and its two events; mode 0 removes."""
    cdef Py_ssize_t digits
    cdef Event *event
    cdef unsigned int rest
    cdef int place
    memcpy(out, name, size)
    out[size] = 47
    for place in range(2):  # as a file, as a directory
        events[place].key = out
        events[place].key_size = size + place
        events[place].entry_size = 0
    out += size + 1
    if mode == 0:
        return out
    event = &events[is_directory(mode)]
    event.entry = out
    event.mode = mode
    digits, rest = 0, mode
    while rest:
        digits, rest = digits + 1, rest >> 3
    for place in range(digits):
        out[digits - 1 - place] = 48 + (mode & 7)
        mode >>= 3
    out[digits] = 32
    memcpy(out + digits + 1, name, size)
    out[digits + 1 + size] = 0
    event.oid = digits + size + 2
    memcpy(out + event.oid, oid, oid_size)
    event.entry_size = event.oid + oid_size
    return out + event.entry_size


cdef unsigned char *put_change(
    unsigned char *out, Event *events, bytes name, object value, Py_ssize_t oid_size
) except NULL:
    """The same for a change that Python code asks for."""
    cdef Py_ssize_t size = PyBytes_GET_SIZE(name)
    cdef Bytes text = <Bytes>PyBytes_AS_STRING(name)
    cdef bytes oid
    if size == 0 or memchr(text, 47, size) != NULL or memchr(text, 0, size) != NULL:
        raise ObjectError(f"{name!r} cannot name a tree entry")
    if value is None:
        return put_event(out, events, text, size, 0, NULL, oid_size)
    mode, oid = value
    if PyBytes_GET_SIZE(oid) != oid_size or not 0 < mode <= 0o177777:
        raise ObjectError(f"no tree entry can have mode {mode:o} and oid {oid.hex()}")
    return put_event(out, events, text, size, mode, <Bytes>PyBytes_AS_STRING(oid), oid_size)


cdef int merge_entry(
    Segments *segments, Bytes data, Entry *entry, Event *event, Py_ssize_t oid_size
) except -1 nogil:
    """Put *event* in the place of *entry*; return 1 if that changes anything."""
    if event.entry_size == 0:
        return 1
    if event.mode != entry.mode:
        add_segment(segments, event.entry, event.entry_size, -1)
        return 1
    add_segment(segments, data + entry.mode_start, entry.oid - entry.mode_start, entry.mode_start)
    if memcmp(event.entry + event.oid, data + entry.oid, oid_size) == 0:
        add_segment(segments, data + entry.oid, oid_size, entry.oid)
        return 0
    add_segment(segments, event.entry + event.oid, oid_size, -1)
    return 1


cdef int merge_tree(
    Segments *segments,
    Bytes data, Py_ssize_t size,
    Event *events, Py_ssize_t count,
    Py_ssize_t oid_size,
) except -1:
    """Fill *segments* with the edited tree; return 1 if it is another tree than before.

    Or return 2, with *segments* of no use, if entries are out of order or share a name.
    """
    cdef Py_ssize_t at = 0, index = 0, kept = 0  # data[kept:entry.start] is yet to be added
    cdef int changed = 0, order
    cdef OrderCheck check
    cdef Entry entry
    memset(&check, 0, sizeof(check))
    while at < size:
        if not read_entry(data, size, at, oid_size, &entry):
            malformed(at)
        if not comes_next(&check, data, &entry):
            return 2
        at = entry.end
        order = -1
        while index < count:
            order = compare_to_key(
                data + entry.name, entry.name_size, is_directory(entry.mode),
                events[index].key, events[index].key_size,
            )
            if order <= 0:
                break
            if events[index].entry_size:
                add_segment(segments, data + kept, entry.start - kept, kept)
                add_segment(segments, events[index].entry, events[index].entry_size, -1)
                kept = entry.start
                changed = 1
            index += 1
        if index < count and order == 0:
            add_segment(segments, data + kept, entry.start - kept, kept)
            kept = entry.end
            changed |= merge_entry(segments, data, &entry, &events[index], oid_size)
            index += 1
        elif entry.mode_start > entry.start:
            add_segment(segments, data + kept, entry.start - kept, kept)
            kept = entry.mode_start
    add_segment(segments, data + kept, size - kept, kept)
    for index in range(index, count):
        if events[index].entry_size:
            add_segment(segments, events[index].entry, events[index].entry_size, -1)
            changed = 1
    return changed


cdef Py_ssize_t joined_size(const Segments *segments) noexcept nogil:
    cdef Py_ssize_t total = 0, index
    for index in range(segments.count):
        total += segments.items[index].size
    return total


cdef void put_segments(const Segments *segments, unsigned char *out) noexcept nogil:
    cdef Py_ssize_t index
    for index in range(segments.count):
        memcpy(out, segments.items[index].data, segments.items[index].size)
        out += segments.items[index].size


cdef bytes join_segments(const Segments *segments):
    cdef bytes joined = PyBytes_FromStringAndSize(NULL, joined_size(segments))
    put_segments(segments, <unsigned char *>PyBytes_AS_STRING(joined))
    return joined


cdef tuple apply_events(
    bytes tree, Event *events, Py_ssize_t count, Py_ssize_t oid_size, bint touched
):
    """Apply *events*, in any order, to *tree*; return what `edit_tree` does.

    None if the tree is out of order, or has a name twice.
    """
    cdef int changed
    cdef Bytes data = <Bytes>PyBytes_AS_STRING(tree)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(tree)
    cdef Segments segments = Segments(NULL, 0, 0)
    cdef bytes edited
    qsort(events, count, sizeof(Event), compare_events)
    try:
        changed = merge_tree(&segments, data, size, events, count, oid_size)
        if changed == 2:
            return None
        edited = join_segments(&segments) if changed or touched else tree
        if not changed and edited == tree:
            return tree, None
        if size == 0 or size > LARGEST_BASE:
            return edited, None
        return edited, write_delta(
            &segments, size, <Bytes>PyBytes_AS_STRING(edited), PyBytes_GET_SIZE(edited)
        )
    finally:
        free(segments.items)


def edit_list(bytes tree not None, dict changes not None, Py_ssize_t oid_size, bint touched):
    """Do what `edit_tree` does to a tree that is out of order or has a name twice.

    Such a tree is a list: a name means the first entry of that name. Once anything has changed
    it is sorted.
    """
    cdef list found = entries(tree, oid_size)
    cdef dict places = {}
    cdef bint changed = touched
    for place, (name, _, _) in enumerate(found):
        places.setdefault(name, place)
    for name, value in changes.items():
        place = places.get(name)
        entry = None if value is None else (name, *value)
        if place is None:
            found.append(entry)
            changed |= entry is not None
        elif found[place] != entry:
            found[place] = entry
            changed = True
    if not changed:
        return tree, None
    left = [(name + b"/" if is_directory(mode) else name, b"%o %b\0%b" % (mode, name, oid))
            for name, mode, oid in filter(None, found)]
    left.sort(key=itemgetter(0))  # those of one place stay as they are
    return b"".join([text for _, text in left]), None


def edit_tree(
    bytes tree not None, dict changes not None, Py_ssize_t oid_size, *, bint touched=False
):
    """Apply *changes* to *tree* and derive the delta from the edit.

    Args:
        tree: The directory's canonical bytes, empty for a new one.
        changes: Maps a name to None (no such entry) or to its new ``(mode, oid)``.
        oid_size: Bytes of a raw oid.
        touched: Whether something was another way meanwhile, even if it no longer is. That
            counts for a tree that git would not have written so, which becomes as it should be.

    Returns:
        The new tree and its delta against *tree*. The very object *tree* comes back when
        nothing changed. The delta is None then, and when *tree* can be no delta base.

    Raises:
        ObjectError: *tree* is malformed, or a change is none that a tree can hold.
    """
    cdef Py_ssize_t count = 2 * len(changes), room = 0
    cdef Event *events = NULL
    cdef Event *event
    cdef unsigned char *scratch = NULL
    cdef unsigned char *out
    cdef bytes name
    if count == 0:
        return tree, None
    for name in changes:
        room += event_room(PyBytes_GET_SIZE(name), oid_size)
    try:
        events = <Event *>malloc(count * sizeof(Event))
        scratch = <unsigned char *>malloc(room)
        if events == NULL or scratch == NULL:
            raise MemoryError
        event, out = events, scratch
        for name, value in changes.items():
            out = put_change(out, event, name, value, oid_size)
            event += 2
        edited = apply_events(tree, events, count, oid_size, touched)
        return edit_list(tree, changes, oid_size, touched) if edited is None else edited
    finally:
        free(events)
        free(scratch)


cdef int pair_entries(
    Segments *segments, Bytes base, Entry *old, Bytes target, Entry *new, Py_ssize_t oid_size
) except -1 nogil:
    """Describe *new* by *old*, an entry of the same name and kind."""
    cdef Py_ssize_t head = new.oid - new.start
    if old.oid - old.start == head and not memcmp(base + old.start, target + new.start, head):
        add_segment(segments, base + old.start, head, old.start)
    else:
        add_segment(segments, target + new.start, head, -1)
    if memcmp(base + old.oid, target + new.oid, oid_size) == 0:
        add_segment(segments, base + old.oid, oid_size, old.oid)
    else:
        add_segment(segments, target + new.oid, oid_size, -1)
    return 0


cdef int align_trees(
    Segments *segments,
    Bytes base, Py_ssize_t base_size,
    Bytes target, Py_ssize_t target_size,
    Py_ssize_t oid_size,
) except -1 nogil:
    """Fill *segments* with a description of *target* by ranges of *base*."""
    cdef Py_ssize_t at = 0
    cdef Entry old, new
    cdef int order
    old.end = 0
    cdef bint have_old = False
    while at < target_size:
        if not read_entry(target, target_size, at, oid_size, &new):
            malformed(at)
        at = new.end
        order = 1
        while True:
            if not have_old:
                if old.end >= base_size:
                    break
                if not read_entry(base, base_size, old.end, oid_size, &old):
                    malformed(old.end)
                have_old = True
            order = compare_names(
                base + old.name, old.name_size, is_directory(old.mode),
                target + new.name, new.name_size, is_directory(new.mode),
            )
            if order >= 0:
                break
            have_old = False
        if have_old and order == 0:
            pair_entries(segments, base, &old, target, &new, oid_size)
            have_old = False
        else:
            add_segment(segments, target + new.start, new.end - new.start, -1)
    return 0


def tree_delta(bytes base not None, bytes target not None, Py_ssize_t oid_size):
    """Return a delta that turns tree *base* into tree *target*, or None if *base* cannot serve.

    Entries are matched by name, which is as good as a byte-wise search finds, and much faster.

    Raises:
        ObjectError: One of the trees is malformed.
    """
    cdef Segments segments = Segments(NULL, 0, 0)
    cdef Bytes new = <Bytes>PyBytes_AS_STRING(target)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(base), target_size = PyBytes_GET_SIZE(target)
    if size == 0 or size > LARGEST_BASE:
        return None
    try:
        align_trees(
            &segments, <Bytes>PyBytes_AS_STRING(base), size, new, target_size, oid_size
        )
        return write_delta(&segments, size, new, target_size)
    finally:
        free(segments.items)
