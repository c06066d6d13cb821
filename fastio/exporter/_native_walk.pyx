# cython: boundscheck=False, wraparound=False
"""The walk of an export that has no limits but negative revisions; native_walk.py tells how."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

from fastio.exporter._commit_table cimport Commit, CommitTable
from fastio.exporter._walk cimport Walk

from fastio.errors import ObjectError

cdef enum:
    QUEUED = 1  # was put into the queue, ever
    WAITING = 2  # is in the queue now
    EXPANDED = 4
    EXCLUDED = 8
    MARKED = 16  # an imported mark stands for it
    # In a row, that leave a queue in which nothing else can follow; then collecting ends.
    MOST_EXCLUDED = 5


cdef struct Waiting:
    uint64_t date
    uint32_t turn
    uint32_t commit


@cython.final
cdef class NativeWalk:
    """One walk.

    Args:
        table: Reads commits.
    """

    cdef CommitTable table
    cdef list names  # of commits, from number 1
    cdef Waiting *heap
    cdef uint32_t heap_size, heap_capacity
    cdef uint32_t turn  # of the next commit to be queued
    cdef uint32_t hopeful  # how many in the queue are not excluded
    cdef uint32_t *collected
    cdef uint32_t collected_count, collected_capacity
    cdef list excluding  # numbers of commits whose parents are to be excluded

    def __init__(self, CommitTable table):
        self.table, self.names, self.excluding = table, [], []

    def __dealloc__(self):
        free(self.heap)
        free(self.collected)

    def run(self, starts, names, is_marked):
        """Walk.

        Args:
            starts: Pairs of commit and whether it is negative, in the order of the command line.
            names: The names of those commits.
            is_marked: Tells whether an imported mark stands for a commit; None if there are none.

        Returns:
            The `Walk`.

        Raises:
            ObjectError: A commit cannot be read, or is not spelled as usual.
        """
        self.begin(starts, names)
        self.collect()
        return self.arranged(is_marked)

    cdef int begin(self, starts, names) except -1:
        """Put the starting commits into the queue, the newest first."""
        cdef CommitTable table = self.table
        cdef dict numbers = {}
        cdef uint32_t commit
        first = []
        for oid, is_negative in starts:
            commit = <uint32_t>table.c_number(checked(oid, table.oid_size))
            table.c_read(commit)
            if is_negative:
                table.commits[commit].flags |= EXCLUDED
                self.exclude_parents(commit)
            if not table.commits[commit].name:
                name = names[oid]
                if name not in numbers:
                    self.names.append(name)
                    numbers[name] = len(self.names)
                table.commits[commit].name = numbers[name]
            if not table.commits[commit].flags & QUEUED:
                table.commits[commit].flags |= QUEUED
                first.append(commit)
        # Sorting is stable, and so is the queue: equal dates stay in this order.
        first.sort(key=self.date_of)
        for commit in first:
            self.push(commit)
        return 0

    def date_of(self, uint32_t commit):
        """Sort key: newest first."""
        return -<int64_t>self.table.commits[commit].date

    cdef int collect(self) except -1:
        """Take commits by date until none that is not excluded can follow."""
        cdef CommitTable table = self.table
        cdef uint64_t oldest = 0xFFFFFFFFFFFFFFFF  # date of the last one that was collected
        cdef uint32_t commit
        cdef int patience = MOST_EXCLUDED
        while self.heap_size:
            commit = self.pop()
            self.expand(commit)
            if not table.commits[commit].flags & EXCLUDED:
                self.gather(commit)
                oldest = table.commits[commit].date
                continue
            self.exclude_parents(commit)
            if not self.heap_size:
                break
            if oldest <= self.heap[0].date or self.hopeful:
                patience = MOST_EXCLUDED
            else:
                patience -= 1
                if patience == 0:
                    break
        return 0

    cdef int expand(self, uint32_t commit) except -1:
        """Queue a commit's parents, and let them have its name or exclude them."""
        cdef CommitTable table = self.table
        cdef uint32_t number, parent, name
        if table.commits[commit].flags & EXPANDED:
            return 0
        table.commits[commit].flags |= EXPANDED
        name = table.commits[commit].name
        for number in range(table.commits[commit].parent_count):
            parent = table.parents[table.commits[commit].first_parent + number]
            if table.commits[commit].flags & EXCLUDED:
                self.exclude(parent)
                table.c_read(parent)
                self.exclude_parents(parent)
            else:
                table.c_read(parent)
                if not table.commits[parent].name:
                    table.commits[parent].name = name
            if not table.commits[parent].flags & QUEUED:
                table.commits[parent].flags |= QUEUED
                self.push(parent)
        return 0

    cdef int exclude(self, uint32_t commit) noexcept:
        if self.table.commits[commit].flags & (EXCLUDED | WAITING) == WAITING:
            self.hopeful -= 1
        self.table.commits[commit].flags |= EXCLUDED
        return 0

    cdef int exclude_parents(self, uint32_t commit) except -1:
        """Exclude what is known to be reachable from a commit, up to what is excluded already."""
        cdef CommitTable table = self.table
        cdef list pending = [commit]
        cdef uint32_t number, parent
        if table.commits[commit].parent_count == <uint32_t>0xFFFFFFFF:
            return 0
        while pending:
            commit = pending.pop()
            if table.commits[commit].parent_count == <uint32_t>0xFFFFFFFF:
                continue
            for number in range(table.commits[commit].parent_count):
                parent = table.parents[table.commits[commit].first_parent + number]
                if not table.commits[parent].flags & EXCLUDED:
                    self.exclude(parent)
                    pending.append(parent)
        return 0

    cdef int gather(self, uint32_t commit) except -1:
        if self.collected_count == self.collected_capacity:
            self.collected_capacity = max(64, self.collected_capacity * 2)
            self.collected = <uint32_t *>resized(
                self.collected, <uint64_t>self.collected_capacity * sizeof(uint32_t)
            )
        self.collected[self.collected_count] = commit
        self.collected_count += 1
        return 0

    # --- order ------------------------------------------------------------------------------------

    cdef Walk arranged(self, is_marked):
        """Put what was collected in order: children before parents, lines of history together."""
        cdef CommitTable table = self.table
        cdef uint32_t *children = <uint32_t *>calloc_numbers(table.count)
        cdef uint32_t *stack = NULL
        cdef uint32_t *order = NULL
        try:
            stack = <uint32_t *>calloc_numbers(self.collected_count)
            order = <uint32_t *>calloc_numbers(self.collected_count)
            self.arrange(children, stack, order)
            return self.table_of(order, is_marked)
        finally:
            free(children)
            free(stack)
            free(order)

    cdef void arrange(self, uint32_t *children, uint32_t *stack, uint32_t *order) noexcept:
        # children: 0 for what was not collected, else 1 + the children not yet emitted.
        cdef CommitTable table = self.table
        cdef Commit *commit
        cdef uint32_t depth = 0, emitted = 0
        cdef uint32_t at, number, parent
        for at in range(self.collected_count):
            children[self.collected[at]] = 1
        for at in range(self.collected_count):
            commit = &table.commits[self.collected[at]]
            for number in range(commit.parent_count):
                parent = table.parents[commit.first_parent + number]
                if children[parent]:
                    children[parent] += 1
        for at in range(self.collected_count):
            number = self.collected[self.collected_count - 1 - at]
            if children[number] == 1:
                stack[depth] = number
                depth += 1
        while depth:
            depth -= 1
            order[emitted] = stack[depth]
            commit = &table.commits[stack[depth]]
            emitted += 1
            for number in range(commit.parent_count):
                parent = table.parents[commit.first_parent + number]
                if children[parent]:
                    children[parent] -= 1
                    if children[parent] == 1:
                        stack[depth] = parent
                        depth += 1

    cdef Walk table_of(self, uint32_t *order, is_marked):
        """Make the table of what is neither excluded nor marked, the last one first."""
        cdef CommitTable table = self.table
        cdef int size = table.oid_size
        cdef Walk walk = Walk(size, self.names)
        cdef Commit *commit
        cdef const unsigned char *oid
        cdef uint32_t at, number, parent
        for at in range(self.collected_count, 0, -1):
            commit = &table.commits[order[at - 1]]
            oid = table.oids + <size_t>order[at - 1] * size
            if commit.flags & EXCLUDED or (is_marked is not None and is_marked(oid[:size])):
                continue
            walk.c_add(oid, table.trees + <size_t>order[at - 1] * size, commit.name - 1)
            for number in range(commit.parent_count):
                parent = table.parents[commit.first_parent + number]
                oid = table.oids + <size_t>parent * size
                walk.c_add_parent(oid, is_marked is not None and is_marked(oid[:size]))
        return walk

    # --- the queue: newest first, equal dates in order of arrival ------------------------

    cdef int push(self, uint32_t commit) except -1:
        cdef uint32_t at = self.heap_size, above
        cdef Waiting fresh
        if self.heap_size == self.heap_capacity:
            self.heap_capacity = max(64, self.heap_capacity * 2)
            self.heap = <Waiting *>resized(
                self.heap, <uint64_t>self.heap_capacity * sizeof(Waiting)
            )
        fresh.date = self.table.commits[commit].date
        fresh.turn, fresh.commit = self.turn, commit
        self.turn += 1
        self.heap_size += 1
        while at:
            above = (at - 1) // 2
            if not is_before(&fresh, &self.heap[above]):
                break
            self.heap[at] = self.heap[above]
            at = above
        self.heap[at] = fresh
        self.table.commits[commit].flags |= WAITING
        self.hopeful += not self.table.commits[commit].flags & EXCLUDED
        return 0

    cdef uint32_t pop(self) noexcept:
        cdef uint32_t first = self.heap[0].commit
        cdef Waiting last
        cdef uint32_t at = 0, below = 1
        self.heap_size -= 1
        last = self.heap[self.heap_size]
        while below < self.heap_size:
            if below + 1 < self.heap_size and is_before(&self.heap[below + 1], &self.heap[below]):
                below += 1
            if not is_before(&self.heap[below], &last):
                break
            self.heap[at] = self.heap[below]
            at = below
            below = 2 * at + 1
        self.heap[at] = last
        self.table.commits[first].flags &= ~<uint32_t>WAITING
        self.hopeful -= not self.table.commits[first].flags & EXCLUDED
        return first


cdef inline bint is_before(const Waiting *one, const Waiting *other) noexcept nogil:
    return one.date > other.date or (one.date == other.date and one.turn < other.turn)


cdef const unsigned char *checked(object oid, int oid_size) except NULL:
    if not isinstance(oid, bytes) or PyBytes_GET_SIZE(oid) != oid_size:
        raise ObjectError(f"not an oid of {oid_size} bytes: {oid!r}")
    return <const unsigned char *>PyBytes_AS_STRING(oid)


cdef void *resized(void *memory, uint64_t size) except NULL:
    memory = realloc(memory, size)
    if memory == NULL:
        raise MemoryError
    return memory


cdef void *calloc_numbers(uint64_t count) except NULL:
    cdef void *memory = calloc(max(count, <uint64_t>1), sizeof(uint32_t))
    if memory == NULL:
        raise MemoryError
    return memory
