# cython: boundscheck=False, wraparound=False
"""The walks of an export that has no limits but negative revisions; native_walk.py tells how."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from fastio.exporter._commit_table cimport Commit, CommitTable
from fastio.exporter._expansion cimport EXCLUDED, QUEUED, SOUNDED, WAITING, Expansion, Queue
from fastio.exporter._mark_table cimport MarkTable

from fastio.errors import FastioError

cdef enum:
    # In a row, that leave a queue in which nothing else can follow; then collecting ends.
    MOST_EXCLUDED = 5


cdef class DateWalk(Expansion):
    """The walk of a repository without a commit-graph."""

    cdef Queue queue

    def run(self, starts, names, MarkTable marks):
        """Walk.

        Args:
            starts: Pairs of commit and whether it is negative, in the order of the command line.
            names: The names of those commits.
            marks: The imported marks; None if there are none.

        Returns:
            The `Walk`.

        Raises:
            ObjectError: A commit cannot be read, or is not spelled as usual.
        """
        self.queue = Queue()
        for commit in self.begin(starts, names):
            self.put(commit)
        self.collect()
        self.arrange()
        return self.table_of(marks)

    cdef int put(self, uint32_t commit) except -1:
        self.queue.push(commit, 0, self.table.commits[commit].date)
        self.table.commits[commit].flags |= QUEUED | WAITING
        self.hopeful += not self.table.commits[commit].flags & EXCLUDED
        return 0

    cdef int collect(self) except -1:
        """Take commits by date until none that is not excluded can follow."""
        cdef CommitTable table = self.table
        cdef uint64_t oldest = <uint64_t>0xFFFFFFFFFFFFFFFF  # date of the last one collected
        cdef uint32_t commit, number, parent
        cdef int patience = MOST_EXCLUDED
        while self.queue.size and patience:
            commit = self.queue.pop()
            table.commits[commit].flags &= ~<uint32_t>WAITING
            self.hopeful -= not table.commits[commit].flags & EXCLUDED
            if self.expand(commit):
                for number in range(table.commits[commit].parent_count):
                    parent = table.parents[table.commits[commit].first_parent + number]
                    if not table.commits[parent].flags & QUEUED:
                        self.put(parent)
            if not table.commits[commit].flags & EXCLUDED:
                self.emit(commit)
                oldest = table.commits[commit].date
                continue
            self.exclude_parents(commit)
            if self.queue.size and not self.hopeful and self.queue.heap[0].date < oldest:
                patience -= 1
            else:
                patience = MOST_EXCLUDED
        return 0

    cdef int arrange(self) except -1:
        """Put what was collected in order: children first, lines of history together."""
        cdef uint32_t count = self.emitted_count
        # For each commit: 0 for what was not collected, else 1 + the children not yet emitted.
        cdef uint32_t *children = <uint32_t *>numbers(self.table.count)
        cdef uint32_t *stack = NULL
        cdef uint32_t *order = NULL
        try:
            stack = <uint32_t *>numbers(count)
            order = <uint32_t *>numbers(count)
            if put_in_order(
                self.table.commits, self.table.parents, self.emitted, count, children, stack, order
            ) != count:
                raise circular("history")
            self.emitted, order = order, self.emitted
            self.emitted_capacity = count
        finally:
            free(children)
            free(stack)
            free(order)
        return 0


cdef uint32_t put_in_order(
    const Commit *commits, const uint32_t *parents, const uint32_t *collected, uint32_t count,
    uint32_t *children, uint32_t *stack, uint32_t *order,
) noexcept nogil:
    cdef const Commit *commit
    cdef uint32_t depth = 0, emitted = 0
    cdef uint32_t at, number, parent
    for at in range(count):
        children[collected[at]] = 1
    for at in range(count):
        commit = &commits[collected[at]]
        for number in range(commit.parent_count):
            parent = parents[commit.first_parent + number]
            if children[parent]:
                children[parent] += 1
    for at in range(count, 0, -1):  # the first tip comes on top
        if children[collected[at - 1]] == 1:
            stack[depth] = collected[at - 1]
            depth += 1
    while depth:
        depth -= 1
        order[emitted] = stack[depth]
        emitted += 1
        commit = &commits[stack[depth]]
        for number in range(commit.parent_count):
            parent = parents[commit.first_parent + number]
            if children[parent]:
                children[parent] -= 1
                if children[parent] == 1:
                    stack[depth] = parent
                    depth += 1
    return emitted  # fewer where some are their own ancestors


cdef class GraphWalk(Expansion):
    """The walk of a repository with a commit-graph that has generation numbers."""

    cdef Queue exploring, sounding
    cdef uint64_t depth  # the least generation to which children are counted
    cdef uint32_t *children  # for each commit: 1 + those that are known and not yet emitted
    cdef uint32_t children_room

    def __dealloc__(self):
        free(self.children)

    def run(self, starts, names, MarkTable marks):
        """Walk; see `DateWalk.run`."""
        cdef CommitTable table = self.table
        cdef uint32_t commit
        self.exploring, self.sounding = Queue(), Queue()
        self.depth = <uint64_t>0xFFFFFFFFFFFFFFFF
        first = self.begin(starts, names)
        for commit in first:
            table.commits[commit].flags &= ~<uint32_t>QUEUED
        for commit in first:
            self.explore_later(commit)
            self.sound_later(commit)
            self.count_of(commit)[0] = 1
            self.depth = min(self.depth, table.commits[commit].generation)
        self.sound(self.depth)
        self.take([commit for commit in reversed(first) if self.count_of(commit)[0] == 1])
        self.check_emitted()
        return self.table_of(marks)

    cdef int take(self, list stack) except -1:
        """Emit what is on the stack, and what comes onto it meanwhile."""
        cdef CommitTable table = self.table
        cdef uint32_t commit, number, parent
        while stack:
            commit = stack.pop()
            self.count_of(commit)[0] = 0
            self.expand(commit)
            self.emit(commit)
            for number in range(table.commits[commit].parent_count):
                parent = table.parents[table.commits[commit].first_parent + number]
                if table.commits[parent].flags & EXCLUDED:
                    continue
                if table.commits[parent].generation < self.depth:
                    self.depth = table.commits[parent].generation
                    self.sound(self.depth)
                self.count_of(parent)[0] -= 1
                if self.count_of(parent)[0] == 1:
                    stack.append(parent)
        return 0

    cdef int check_emitted(self) except -1:
        """See whether no commit is left over, as its own ancestors are."""
        cdef uint32_t commit
        for commit in range(min(self.children_room, self.table.count)):
            if self.children[commit] and not self.table.commits[commit].flags & EXCLUDED:
                raise circular("history, as the commit-graph tells it,")
        return 0

    cdef int explore(self, uint64_t generation) except -1:
        """Expand all commits down to a generation."""
        cdef CommitTable table = self.table
        cdef uint32_t commit, number
        while self.exploring.size and self.exploring.heap[0].generation >= generation:
            commit = self.exploring.pop()
            self.expand(commit)
            if table.commits[commit].flags & EXCLUDED:
                self.exclude_parents(commit)
            for number in range(table.commits[commit].parent_count):
                self.explore_later(table.parents[table.commits[commit].first_parent + number])
        return 0

    cdef int sound(self, uint64_t generation) except -1:
        """Count the children that commits have down to a generation."""
        cdef CommitTable table = self.table
        cdef uint32_t commit, number, parent
        cdef uint32_t *count
        while self.sounding.size and self.sounding.heap[0].generation >= generation:
            commit = self.sounding.pop()
            self.explore(table.commits[commit].generation)
            for number in range(table.commits[commit].parent_count):
                parent = table.parents[table.commits[commit].first_parent + number]
                count = self.count_of(parent)
                count[0] = count[0] + 1 if count[0] else 2
                self.sound_later(parent)
        return 0

    cdef int explore_later(self, uint32_t commit) except -1:
        cdef CommitTable table = self.table
        if table.commits[commit].flags & QUEUED:
            return 0
        table.c_read(commit)
        table.commits[commit].flags |= QUEUED
        self.exploring.push(
            commit, table.commits[commit].generation, table.commits[commit].date
        )
        return 0

    cdef int sound_later(self, uint32_t commit) except -1:
        cdef CommitTable table = self.table
        if table.commits[commit].flags & SOUNDED:
            return 0
        table.commits[commit].flags |= SOUNDED
        self.sounding.push(commit, table.commits[commit].generation, table.commits[commit].date)
        return 0

    cdef uint32_t *count_of(self, uint32_t commit) except NULL:
        cdef uint32_t *fresh
        cdef uint32_t number
        if commit >= self.children_room:
            fresh = <uint32_t *>numbers(2 * <uint64_t>self.table.count)
            for number in range(self.children_room):
                fresh[number] = self.children[number]
            free(self.children)
            self.children, self.children_room = fresh, 2 * self.table.count
        return &self.children[commit]


cdef void *numbers(uint64_t count) except NULL:
    cdef void *memory = calloc(max(count, <uint64_t>1), sizeof(uint32_t))
    if memory == NULL:
        raise MemoryError
    return memory


cdef object circular(str what):
    """The error where replacements, say, make commits their own ancestors: git leaves those out."""
    return FastioError(f"{what} is circular: some commits are their own ancestors")
