# cython: language_level=3
"""Trees to be compared: read, looked through, and as few of their bytes built as will do.

Of most trees the reader has a recipe (see `fastio.store.recipes`). Such a tree stays on the shelf
as what is known about it, its stops above all; it has room for its bytes while it is open, and
there those are built that somebody looks at. The bytes of others are there as long as the tree is.

Room is used again: what memory the last tree leaves is still near the processor, and asking for
large pieces of it and giving them back costs more than comparing what is in them.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from fastio.exporter._tree_view cimport View, look_at
from fastio.objects._tree_cache cimport (
    IN_ORDER, UNKNOWN, Tree, TreeCache, free_tree, look_through,
)
from fastio.objects._trees cimport Bytes, Entry, read_entry
from fastio.store._object_reader cimport ObjectReader
from fastio.store._recipe_runs cimport Runs, find_runs
from fastio.store._recipes cimport SLACK, Recipe, c_run

from fastio.errors import ObjectError
from fastio.objects.kinds import SHA1, SHA256
from fastio.objects.trees import empty_tree_oid

cdef enum:
    COMMIT_KIND = 1
    TREE_KIND = 2
    TAG_KIND = 4
    STOP_BYTES = 32  # bytes of a tree for one of its stops


cdef inline int class_of(Py_ssize_t room) noexcept nogil:
    """The smallest class with so much room; CLASSES if there is none."""
    cdef int number = 0
    while number < CLASSES and room > <Py_ssize_t>1 << (LEAST_BITS + number):
        number += 1
    return number


cdef class TreeShelf(TreeCache):
    """Trees by oid; see `TreeCache`.

    Args:
        oid_size: Bytes of an oid.
        limit: Bytes of trees to keep, and of room that is kept for others.
        reader: Reads them.
    """

    def __init__(self, Py_ssize_t oid_size, int64_t limit, ObjectReader reader not None):
        self.reader = reader
        self.empty_tree = empty_tree_oid(SHA1 if oid_size == SHA1.oid_size else SHA256)

    def __dealloc__(self):
        cdef Spare *spare
        cdef int number
        while self.count:
            self.drop(self.ring.newer)
        for number in range(CLASSES):
            while self.spares[number] != NULL:
                spare = self.spares[number]
                self.spares[number] = spare.next
                PyMem_RawFree(spare)
        free(self.runs.items)

    # --- trees --------------------------------------------------------------------------------

    cdef Tree *open(self, const unsigned char *oid) except NULL:
        cdef Tree *tree = self.find(oid)
        if tree == NULL:
            if memcmp(oid, PyBytes_AS_STRING(self.empty_tree), self.oid_size) == 0:
                tree = self.make(0, NULL)
            else:
                tree = self.read(oid)
            memcpy(tree.oid, oid, self.oid_size)
            tree = self.add(tree)
        tree.users += 1
        return tree

    cdef void close(self, Tree *tree) noexcept:
        tree.users -= 1
        if not tree.users and tree.key:
            self.strip(tree)

    cdef Tree *read(self, const unsigned char *oid) except NULL:
        cdef const Recipe *recipe = NULL
        cdef int64_t size
        cdef bytes inner
        cdef Tree *tree
        try:
            size = self.reader.c_look_for(oid, TREE_KIND)
            recipe = self.reader.c_recipe()
        except ObjectError:
            inner = peeled(self.reader, oid[: self.oid_size])
            if inner is None:
                raise
            size = self.reader.c_look_for(<Bytes>PyBytes_AS_STRING(inner), TREE_KIND)
        tree = self.make(size, recipe)
        if recipe == NULL:
            try:
                self.reader.write(<unsigned char *>tree.data, tree.room)
            except BaseException:
                self.release(tree)
                raise
        return tree

    cdef Tree *make(self, Py_ssize_t size, const Recipe *recipe) except NULL:
        """Return a tree with that recipe; without one it has room for its bytes."""
        cdef Tree *tree = <Tree *>PyMem_RawMalloc(sizeof(Tree))
        if tree == NULL:
            raise MemoryError
        memset(tree, 0, sizeof(Tree))
        tree.size = size
        if recipe != NULL:
            tree.key, tree.generation = recipe.key, self.reader.generation
            return tree
        try:
            self.equip(tree)
        except MemoryError:
            PyMem_RawFree(tree)
            raise
        tree.is_built = True
        return tree

    cdef int build(self, Tree *tree) except -1:
        cdef const Recipe *recipe
        if tree.is_built:
            return 0
        recipe = self.find_recipe(tree)
        self.equip(tree)
        if recipe != NULL:
            c_run(recipe, <unsigned char *>tree.data, tree.room)
        else:
            self.reader.write(<unsigned char *>tree.data, tree.room)
        tree.is_built = True
        return 0

    cdef const Recipe *kept(self, const Tree *tree) noexcept:
        """A tree's recipe, if there is one still."""
        if not tree.key or tree.generation != self.reader.generation:
            return NULL
        return self.reader.recipes.c_find(tree.key)

    cdef const Recipe *find_recipe(self, Tree *tree) except? NULL:
        """Find the recipe of a tree that has one; NULL if its bytes were found instead."""
        cdef const Recipe *recipe = self.kept(tree)
        if recipe == NULL:
            if self.reader.c_look_for(tree.oid, TREE_KIND) != tree.size:
                raise ObjectError(f"tree {self.hex(tree)} is damaged: it had another size before")
            recipe = self.reader.c_recipe()
            if recipe != NULL:
                tree.key, tree.generation = recipe.key, self.reader.generation
        return recipe

    # --- order --------------------------------------------------------------------------------

    cdef int settle(self, Tree *tree) except -1:
        if tree.order == UNKNOWN:
            self.build(tree)
            look_through(tree, self.oid_size)
        if tree.order != IN_ORDER:
            self.check(tree)
        return 0

    cdef int check(self, Tree *tree) except -1:
        """See whether a tree that is out of order can be read."""
        cdef Py_ssize_t at = 0
        cdef Entry entry
        self.build(tree)
        while at < tree.size:
            if not read_entry(tree.data, tree.size, at, self.oid_size, &entry):
                raise ObjectError(
                    f"tree {self.hex(tree)} is damaged: malformed tree entry at byte {at}"
                )
            at = entry.end
        return 0

    cdef str hex(self, const Tree *tree):
        return tree.oid[: self.oid_size].hex()

    # --- two trees ----------------------------------------------------------------------------

    cdef const Runs *view(
        self, Tree *old, Tree *new, View *left, View *right, bint everything
    ) except? NULL:
        cdef const Recipe *before
        cdef const Recipe *after
        if not everything and old.key and new.key:
            before, after = self.kept(old), self.kept(new)
            if before == NULL or after == NULL:
                self.find_recipe(old)
                self.find_recipe(new)  # and perhaps there is no room for both
                before, after = self.kept(old), self.kept(new)
            if (
                before != NULL and after != NULL and before.ground == after.ground
                and find_runs(before, after, &self.runs) >= <size_t>min(old.size, new.size) // 2
            ):
                self.equip(old)
                self.equip(new)
                look_at(left, old, NULL if old.is_built else before)
                look_at(right, new, NULL if new.is_built else after)
                return &self.runs
        self.build(old)
        self.build(new)
        look_at(left, old, NULL)
        look_at(right, new, NULL)
        return NULL

    # --- memory -------------------------------------------------------------------------------

    cdef int equip(self, Tree *tree) except -1:
        """Have room for all bytes of a tree and SLACK."""
        cdef Py_ssize_t room = tree.size + SLACK
        cdef int number = class_of(room)
        if tree.data != NULL:
            return 0
        if number < CLASSES:
            room = <Py_ssize_t>1 << (LEAST_BITS + number)
            if self.spares[number] != NULL:
                tree.data = <Bytes>self.spares[number]
                self.spares[number] = self.spares[number].next
                self.counts[number] -= 1
                self.spare_bytes -= room
        if tree.data == NULL:
            tree.data = <Bytes>PyMem_RawMalloc(room)
            if tree.data == NULL:
                raise MemoryError
        tree.room = room
        return 0

    cdef void strip(self, Tree *tree) noexcept nogil:
        """Take a tree's bytes from it."""
        cdef int number = class_of(tree.room)
        cdef Spare *spare = <Spare *>tree.data
        cdef int64_t bytes_then = self.spare_bytes + tree.room
        tree.is_built = False
        if spare == NULL:
            return
        tree.data = NULL
        if number == CLASSES or self.counts[number] == SPARES or bytes_then > self.limit:
            PyMem_RawFree(spare)
            return
        spare.next = self.spares[number]
        self.spares[number] = spare
        self.counts[number] += 1
        self.spare_bytes = bytes_then

    cdef void release(self, Tree *tree) noexcept nogil:
        self.strip(tree)
        free_tree(tree)

    cdef int64_t cost(self, const Tree *tree) noexcept nogil:
        return TreeCache.cost(self, tree) - (tree.size - tree.size // STOP_BYTES if tree.key else 0)


cdef bytes peeled(ObjectReader reader, bytes oid):
    """Return the tree that a commit or tag stands for, which git takes in its place, or None."""
    cdef int at, digits = 2 * reader.oid_size
    cdef set passed = set()
    try:
        while oid not in passed:
            passed.add(oid)
            kind, content = reader.read(oid)
            if kind == TREE_KIND:
                return oid
            at = {COMMIT_KIND: 5, TAG_KIND: 7}[kind]  # behind "tree " or "object "
            oid = bytes.fromhex(content[at : at + digits].decode("ascii"))
    except (KeyError, ValueError, ObjectError):
        pass
    return None
