# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The walk through two trees at once; see tree_diff.py.

A stack of frames stands for the directories that are open, so any depth will do. A frame knows the
pairs of entries in which its two trees differ (``_tree_pairs.pyx``), or, where there is only one
tree, goes through all of its entries.

Trees that were read are kept, the ones used last (``_tree_shelf.pyx``): what is new in a commit is
old in its child, and those mostly follow on each other. A tree is looked through when it first
comes up, and its stops noted, or moved along from those of the tree that it is compared with.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from fastio.exporter._changes cimport (
    ADDED,
    DELETED,
    MODIFIED,
    RETYPED,
    UNCHANGED,
    ChangeTable,
)
from fastio.exporter._path_filter cimport ALL, DIRECTORY, FILE, NOTHING, SUBMODULE, PathFilter
from fastio.exporter._tree_pairs cimport EntryPair, pair_as_stored, pair_entries
from fastio.exporter._tree_shelf cimport TreeShelf
from fastio.exporter._tree_view cimport View
from fastio.objects._oids cimport checked_oid
from fastio.objects._tree_cache cimport IN_ORDER, OUT_OF_ORDER, UNKNOWN, Tree, reserve_stops
from fastio.objects._trees cimport Entry, is_directory, read_entry
from fastio.store._object_reader cimport ObjectReader
from fastio.store._recipe_runs cimport Runs
from workers._arrays cimport resized

from fastio.errors import ObjectError

cdef enum:
    FORMAT = 0o170000
    GITLINK = 0o160000
    FIRST_FRAMES = 16
    FIRST_PATH = 512
    # What fits in the cache of a core beside what reads trees: with 4 MB a tenth fewer are read
    # again, and all of git's history takes a tenth longer.
    MEMORY = 1 << 20
    LARGEST = 0xFFFFFFFF  # bytes of a tree with stops
    MOST_DEPTH = 2048  # git's own


cdef inline uint32_t canonical(uint32_t mode) noexcept nogil:
    """The mode as git understands it."""
    cdef uint32_t kind = mode & FORMAT
    if kind == 0o100000:
        return 0o100755 if mode & 0o100 else 0o100644
    if kind == 0o120000 or kind == 0o040000:
        return kind
    return GITLINK


@cython.final
cdef class TreeDiff:
    """Compares trees.

    Args:
        reader: Reads them.
        paths: What the comparison is limited to; None for everything.
        hidden: Holds the paths of submodules that are passed over; None for none.
        lists_unchanged: Whether rows are wanted for unchanged files as well, as they are when
            copies of such files are looked for.
        memory: Bytes of trees to keep.
        most_depth: How deep directories may lie; what claims to lie deeper may have no end.

    Attributes:
        changes: What the last comparison found.
    """

    def __cinit__(
        self, ObjectReader reader not None, PathFilter paths=None, *, hidden=None,
        bint lists_unchanged=False, int64_t memory=MEMORY, Py_ssize_t most_depth=MOST_DEPTH,
    ):
        self.paths, self.lists_unchanged = paths, lists_unchanged
        self.most_depth = most_depth
        self.hidden = hidden
        self.oid_size = reader.oid_size
        self.changes = ChangeTable(self.oid_size)
        self.shelf = TreeShelf(self.oid_size, memory, reader)

    def __dealloc__(self):
        free(self.frames)
        free(self.pairs.items)
        free(self.path)

    def compare(self, bytes old, bytes new):
        """Return the changes between two trees; None stands for the empty one.

        The table is the same for each comparison.

        Raises:
            ObjectError: A tree is missing, is none, or has no readable entries.
            PackError: Its pack is damaged.
        """
        cdef const unsigned char *before = NULL
        cdef const unsigned char *after = NULL
        if old is not None:
            before = checked_oid(old, self.oid_size, ObjectError)
        if new is not None:
            after = checked_oid(new, self.oid_size, ObjectError)
        self.c_compare(before, after)
        return self.changes

    cdef int c_compare(self, const unsigned char *old, const unsigned char *new) except -1:
        self.changes.c_clear()
        if old != NULL and new != NULL and memcmp(old, new, self.oid_size) == 0:
            if not self.lists_unchanged:
                return 0
        try:
            self.enter(old, new, 0, self.paths is None)
            while self.depth:
                self.take_next(&self.frames[self.depth - 1])
        finally:
            while self.depth:
                self.leave()
        return 0

    # --- frames -------------------------------------------------------------------------------

    cdef int enter(
        self, const unsigned char *old, const unsigned char *new, int64_t path_size, bint wanted
    ) except -1:
        """Begin to compare two directories; NULL for one that is not there."""
        cdef Frame *frame
        cdef Tree *only
        cdef Py_ssize_t room
        if self.depth > self.most_depth:
            raise ObjectError(
                f"tree {(new if new != NULL else old)[: self.oid_size].hex()} lies "
                f"{self.depth} directories deep; core.maxTreeDepth allows {self.most_depth}"
            )
        if self.depth == self.frame_room:
            room = max(2 * self.frame_room, <Py_ssize_t>FIRST_FRAMES)
            self.frames = <Frame *>resized(self.frames, room * sizeof(Frame))
            self.frame_room = room
        frame = &self.frames[self.depth]
        frame.old = frame.new = NULL
        frame.at = frame.end = 0
        frame.first_pair, frame.path_size, frame.wanted = self.pairs.count, path_size, wanted
        self.depth += 1
        if old != NULL:
            frame.old = self.shelf.open(old)
        if new != NULL:
            frame.new = self.shelf.open(new)
        if frame.old != NULL and frame.new != NULL and frame.old != frame.new:
            self.pair(frame)
            frame.at, frame.end = frame.first_pair, self.pairs.count
        elif frame.old != NULL or frame.new != NULL:
            only = frame.old if frame.old != NULL else frame.new
            self.shelf.settle(only)
            self.shelf.build(only)
            frame.end = only.size
        return 0

    cdef int pair(self, Frame *frame) except -1:
        """Find the entries in which a frame's trees differ."""
        cdef Tree *old = frame.old
        cdef Tree *new = frame.new
        cdef EntryPair *pair
        cdef Py_ssize_t number
        cdef bint turned = old.order != IN_ORDER and new.order == IN_ORDER
        if turned:
            old, new = new, old
        self.shelf.settle(old)
        if not self.pair_in_order(old, new):
            new.order = OUT_OF_ORDER
            self.pairs.count = frame.first_pair
            self.shelf.build(old)
            self.shelf.settle(new)
            pair_as_stored(&self.pairs, old, new, self.oid_size)
        if turned:
            for number in range(frame.first_pair, self.pairs.count):
                pair = &self.pairs.items[number]
                pair.old, pair.new = pair.new, pair.old
        return 0

    cdef bint pair_in_order(self, Tree *old, Tree *new) except -1:
        """The same for trees that are in order; False if one of them turns out not to be."""
        cdef const Runs *runs
        cdef View left, right
        if new.size > <Py_ssize_t>LARGEST:
            self.shelf.settle(new)
        if old.order != IN_ORDER or new.order == OUT_OF_ORDER:
            return False
        runs = self.shelf.view(old, new, &left, &right, self.lists_unchanged)
        if new.order == UNKNOWN:
            reserve_stops(new)
        if not pair_entries(
            &self.pairs, &left, &right, runs, self.oid_size, self.lists_unchanged
        ):
            return False
        new.order = IN_ORDER
        return True

    cdef void leave(self) noexcept:
        """Be done with the innermost directory."""
        cdef Frame *frame = &self.frames[self.depth - 1]
        if frame.old != NULL:
            self.shelf.close(frame.old)
        if frame.new != NULL:
            self.shelf.close(frame.new)
        self.pairs.count = frame.first_pair
        self.depth -= 1

    cdef int take_next(self, Frame *frame) except -1:
        """Deal with the next entry, or entries of one name, of the innermost directory."""
        cdef Entry old, new
        cdef Entry *left = NULL
        cdef Entry *right = NULL
        cdef EntryPair pair
        if frame.at == frame.end:
            self.leave()
            return 0
        if frame.old == NULL or frame.new == NULL or frame.old == frame.new:
            pair.old = frame.at if frame.old != NULL else -1
            pair.new = frame.at if frame.new != NULL else -1
        else:
            pair = self.pairs.items[frame.at]
            frame.at += 1
        if pair.old >= 0:
            left = &old
            read_entry(frame.old.data, frame.old.size, pair.old, self.oid_size, left)
        if pair.new >= 0:
            right = &new
            read_entry(frame.new.data, frame.new.size, pair.new, self.oid_size, right)
        if frame.old == NULL or frame.new == NULL or frame.old == frame.new:
            frame.at = (left if left != NULL else right).end
        return self.take(frame, left, right)

    cdef int take(self, Frame *frame, const Entry *old, const Entry *new) except -1:
        """Add a row for an entry, or enter a directory; *frame* must not be used afterwards."""
        cdef uint32_t old_mode = 0 if old == NULL else canonical(old.mode)
        cdef uint32_t new_mode = 0 if new == NULL else canonical(new.mode)
        cdef const unsigned char *old_oid = NULL if old == NULL else frame.old.data + old.oid
        cdef const unsigned char *new_oid = NULL if new == NULL else frame.new.data + new.oid
        cdef const Entry *named = old if new == NULL else new
        cdef const unsigned char *name = (
            frame.old if new == NULL else frame.new
        ).data + named.name
        cdef unsigned char status = MODIFIED
        cdef int wanted = ALL
        cdef bint directory = is_directory(named.mode)
        if old == NULL:
            status = ADDED
        elif new == NULL:
            status = DELETED
        elif old_mode == new_mode and memcmp(old_oid, new_oid, self.oid_size) == 0:
            status = UNCHANGED
            if not self.lists_unchanged:
                return 0
        elif (old_mode ^ new_mode) & FORMAT:
            status = RETYPED
        if self.paths is not None or directory:
            self.reserve_path(frame.path_size + named.name_size + 1)
            memcpy(self.path + frame.path_size, name, named.name_size)
            if not frame.wanted:
                wanted = self.paths.c_wants(
                    self.path, frame.path_size + named.name_size,
                    DIRECTORY if directory else
                    SUBMODULE if canonical(named.mode) == GITLINK else FILE,
                )
                if wanted == NOTHING:
                    return 0
        if directory:
            self.path[frame.path_size + named.name_size] = 47  # /
            return self.enter(
                old_oid, new_oid, frame.path_size + named.name_size + 1, wanted == ALL
            )
        if wanted != ALL or (
            self.hidden is not None
            and (old == NULL or old_mode == GITLINK) and (new == NULL or new_mode == GITLINK)
            and self.hides(frame.path_size, name, named.name_size)
        ):
            return 0
        return self.changes.c_add(
            status, self.path, frame.path_size, name, named.name_size,
            old_mode, old_oid, new_mode, new_oid,
        )

    cdef bint hides(
        self, int64_t base_size, const unsigned char *name, int64_t name_size
    ) except -1:
        """Whether a submodule is to be passed over."""
        return (
            PyBytes_FromStringAndSize(<const char *>self.path, base_size)
            + PyBytes_FromStringAndSize(<const char *>name, name_size)
        ) in self.hidden

    cdef int reserve_path(self, int64_t size) except -1:
        cdef int64_t room
        if size > self.path_room:
            room = max(size, 2 * self.path_room, <int64_t>FIRST_PATH)
            self.path = <unsigned char *>resized(self.path, room)
            self.path_room = room
        return 0
