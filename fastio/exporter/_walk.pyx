"""The table of the commits to export; walk.py tells what it holds."""

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from workers._arrays cimport resized
from fastio.objects._oids cimport checked_oid
from fastio.store._objmap cimport spread

cdef enum:
    FIRST_ROWS = 16


@cython.final
cdef class Walk:
    """Commits in export order. A row has an oid, a tree, a name and the parents as rewritten."""

    def __cinit__(self, int oid_size=20, ref_names=()):
        if not 9 <= oid_size <= 64:
            raise ValueError(f"no hash algorithm has oids of {oid_size} bytes")
        self.oid_size = oid_size
        self.ref_names = list(ref_names)
        self.grow()
        self.parent_starts[0] = 0

    def __dealloc__(self):
        free(self.oids)
        free(self.trees)
        free(self.names)
        free(self.seen)
        free(self.parent_starts)
        free(self.parent_oids)
        free(self.parent_marked)
        free(self.parent_rows)
        free(self.slots)

    cdef int64_t c_find(self, const unsigned char *oid) noexcept nogil:
        cdef uint32_t at = <uint32_t>spread(oid) & self.mask
        while self.slots[at] != 0:  # ends: at least half of the slots are free
            if memcmp(self.oids + <size_t>(self.slots[at] - 1) * self.oid_size, oid,
                      self.oid_size) == 0:
                return self.slots[at] - 1
            at = (at + 1) & self.mask
        return -1

    cdef int c_add(
        self, const unsigned char *oid, const unsigned char *tree, uint32_t name
    ) except -1:
        cdef size_t at = <size_t>self.count * self.oid_size
        cdef uint32_t slot = <uint32_t>spread(oid) & self.mask
        if self.count == self.capacity:
            self.grow()
            slot = <uint32_t>spread(oid) & self.mask
        memcpy(self.oids + at, oid, self.oid_size)
        memcpy(self.trees + at, tree, self.oid_size)
        self.names[self.count] = name
        self.seen[self.count] = Seen(NULL, 0)
        while self.slots[slot] != 0:
            slot = (slot + 1) & self.mask
        self.count += 1
        self.slots[slot] = self.count
        self.parent_starts[self.count] = self.parent_starts[self.count - 1]
        return 0

    cdef int c_add_parent(self, const unsigned char *oid, bint imported) except -1:
        cdef uint32_t number = self.parent_starts[self.count]
        cdef int64_t row = self.c_find(oid)
        if number == self.parent_capacity:
            self.grow_parents()
        memcpy(self.parent_oids + <size_t>number * self.oid_size, oid, self.oid_size)
        # A commit is no parent of itself; a damaged one cannot have itself as row either.
        self.parent_rows[number] = NO_ROW if row < 0 or row + 1 == self.count else <uint32_t>row
        self.parent_marked[number] = imported or self.parent_rows[number] != <uint32_t>NO_ROW
        self.parent_starts[self.count] = number + 1
        return 0

    cdef int grow(self) except -1:
        cdef uint64_t rows = max(<uint64_t>FIRST_ROWS, <uint64_t>self.capacity * 2)
        cdef uint64_t slot_count = rows * 2
        cdef uint32_t row, slot
        cdef uint32_t *slots
        if slot_count > 0xFFFFFFFF:
            raise MemoryError
        self.oids = <unsigned char *>resized(self.oids, rows * self.oid_size)
        self.trees = <unsigned char *>resized(self.trees, rows * self.oid_size)
        self.names = <uint32_t *>resized(self.names, rows * sizeof(uint32_t))
        self.seen = <Seen *>resized(self.seen, rows * sizeof(Seen))
        self.parent_starts = <uint32_t *>resized(
            self.parent_starts, (rows + 1) * sizeof(uint32_t)
        )
        slots = <uint32_t *>calloc(slot_count, sizeof(uint32_t))
        if slots == NULL:
            raise MemoryError
        free(self.slots)
        self.slots, self.mask, self.capacity = slots, <uint32_t>(slot_count - 1), <uint32_t>rows
        for row in range(self.count):
            slot = <uint32_t>spread(self.oids + <size_t>row * self.oid_size) & self.mask
            while slots[slot] != 0:
                slot = (slot + 1) & self.mask
            slots[slot] = row + 1
        return 0

    cdef int grow_parents(self) except -1:
        cdef uint64_t room = max(<uint64_t>FIRST_ROWS, <uint64_t>self.parent_capacity * 2)
        if room > 0xFFFFFFFF:
            raise MemoryError
        self.parent_oids = <unsigned char *>resized(self.parent_oids, room * self.oid_size)
        self.parent_marked = <unsigned char *>resized(self.parent_marked, room)
        self.parent_rows = <uint32_t *>resized(self.parent_rows, room * sizeof(uint32_t))
        self.parent_capacity = <uint32_t>room
        return 0

    def add(self, oid, tree, name, parents=()):
        """Add a commit.

        Args:
            oid: Its oid.
            tree: Its tree.
            name: The ref on its ``commit`` line.
            parents: Pairs of oid and whether an imported mark stands for it.
        """
        if name not in self.ref_names:
            self.ref_names.append(name)
        self.c_add(
            checked_oid(oid, self.oid_size, ValueError),
            checked_oid(tree, self.oid_size, ValueError),
            self.ref_names.index(name),
        )
        for parent, imported in parents:
            self.c_add_parent(checked_oid(parent, self.oid_size, ValueError), imported)

    def find(self, oid):
        """Return the row of a commit, None if it is not exported."""
        cdef int64_t row = self.c_find(checked_oid(oid, self.oid_size, ValueError))
        return None if row < 0 else row

    def oid(self, row):
        """Return the commit's oid."""
        return self.made(self.oids, self.known(row))

    def tree(self, row):
        """Return the oid of its tree."""
        return self.made(self.trees, self.known(row))

    def name(self, row):
        """Return the ref on its ``commit`` line."""
        return self.ref_names[self.names[self.known(row)]]

    def parents(self, row):
        """Return its parents: pairs of oid and whether it has a mark when this row is written."""
        cdef uint32_t number = self.known(row)
        return [
            (self.made(self.parent_oids, at), bool(self.parent_marked[at]))
            for at in range(self.parent_starts[number], self.parent_starts[number + 1])
        ]

    def is_root(self, row):
        """Tell whether nothing is left of its parents, if it had any."""
        cdef uint32_t number = self.known(row)
        return self.parent_starts[number] == self.parent_starts[number + 1]

    def used_names(self):
        """Return the names that commits have, which need not be all of `ref_names`."""
        cdef bytearray used = bytearray(len(self.ref_names))
        cdef unsigned char *flags = <unsigned char *>PyByteArray_AS_STRING(used)
        cdef uint32_t row
        for row in range(self.count):
            flags[self.names[row]] = 1
        return {name for name, is_used in zip(self.ref_names, used) if is_used}

    def __len__(self):
        return self.count

    def __contains__(self, oid):
        return self.c_find(checked_oid(oid, self.oid_size, ValueError)) >= 0

    cdef bytes made(self, const unsigned char *oids, uint32_t number):
        return PyBytes_FromStringAndSize(
            <const char *>oids + <size_t>number * self.oid_size, self.oid_size
        )

    cdef uint32_t known(self, object row) except? 0:
        if not 0 <= row < self.count:
            raise IndexError(f"no row {row} in a walk of {self.count} commits")
        return row
