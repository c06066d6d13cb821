# cython: boundscheck=False, wraparound=False
"""What both kinds of walk have in common: names, exclusion, the queue, the table at the end."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free

from workers._arrays cimport resized
from fastio.exporter._commit_table cimport UNREAD, Commit, CommitTable
from fastio.exporter._mark_table cimport MarkTable
from fastio.exporter._walk cimport Seen, Walk
from fastio.objects._oids cimport checked_oid

from fastio.errors import ObjectError


cdef class Queue:
    """Commits by number, in the order in which they are to be taken."""

    def __dealloc__(self):
        free(self.heap)

    cdef int push(self, uint32_t commit, uint64_t generation, uint64_t date) except -1:
        cdef uint32_t at = self.size, above
        cdef Waiting fresh
        if self.size == self.capacity:
            self.capacity = max(64, self.capacity * 2)
            self.heap = <Waiting *>resized(self.heap, <uint64_t>self.capacity * sizeof(Waiting))
        fresh.generation, fresh.date = generation, date
        fresh.turn, fresh.commit = self.turn, commit
        self.turn += 1
        self.size += 1
        while at:
            above = (at - 1) // 2
            if not is_before(&fresh, &self.heap[above]):
                break
            self.heap[at] = self.heap[above]
            at = above
        self.heap[at] = fresh
        return 0

    cdef uint32_t pop(self) noexcept:
        cdef uint32_t first = self.heap[0].commit
        cdef Waiting last
        cdef uint32_t at = 0, below = 1
        self.size -= 1
        last = self.heap[self.size]
        while below < self.size:
            if below + 1 < self.size and is_before(&self.heap[below + 1], &self.heap[below]):
                below += 1
            if not is_before(&self.heap[below], &last):
                break
            self.heap[at] = self.heap[below]
            at = below
            below = 2 * at + 1
        self.heap[at] = last
        return first


cdef class Expansion:
    """A walk's commits.

    Args:
        table: Reads them.
    """

    def __init__(self, CommitTable table):
        self.table, self.names = table, []

    def __dealloc__(self):
        free(self.emitted)

    cdef list begin(self, starts, names):
        cdef CommitTable table = self.table
        cdef dict numbers = {}
        cdef uint32_t commit
        cdef list first = []
        for oid, is_negative in starts:
            commit = <uint32_t>table.c_number(checked_oid(oid, table.oid_size, ObjectError))
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
                first.append((-<int64_t>table.commits[commit].date, len(first), commit))
        # What is equally old stays in this order.
        return [commit for _, _, commit in sorted(first)]

    cdef bint expand(self, uint32_t commit) except -1:
        cdef CommitTable table = self.table
        cdef uint32_t number, parent
        if table.commits[commit].flags & EXPANDED:
            return False
        table.c_read(commit)
        table.commits[commit].flags |= EXPANDED
        for number in range(table.commits[commit].parent_count):
            parent = table.parents[table.commits[commit].first_parent + number]
            if table.commits[commit].flags & EXCLUDED:
                self.exclude(parent)
                table.c_read(parent)
                self.exclude_parents(parent)
            else:
                table.c_read(parent)
                if not table.commits[parent].name:
                    table.commits[parent].name = table.commits[commit].name
        return True

    cdef int exclude(self, uint32_t commit) noexcept:
        if self.table.commits[commit].flags & (EXCLUDED | WAITING) == WAITING:
            self.hopeful -= 1
        self.table.commits[commit].flags |= EXCLUDED
        return 0

    cdef int exclude_parents(self, uint32_t commit) except -1:
        cdef CommitTable table = self.table
        cdef list pending = [commit]
        cdef uint32_t number, parent
        while pending:
            commit = pending.pop()
            if table.commits[commit].parent_count == <uint32_t>UNREAD:
                continue
            for number in range(table.commits[commit].parent_count):
                parent = table.parents[table.commits[commit].first_parent + number]
                if not table.commits[parent].flags & EXCLUDED:
                    self.exclude(parent)
                    pending.append(parent)
        return 0

    cdef int emit(self, uint32_t commit) except -1:
        if self.emitted_count == self.emitted_capacity:
            self.emitted_capacity = max(64, self.emitted_capacity * 2)
            self.emitted = <uint32_t *>resized(
                self.emitted, <uint64_t>self.emitted_capacity * sizeof(uint32_t)
            )
        self.emitted[self.emitted_count] = commit
        self.emitted_count += 1
        return 0

    cdef Walk table_of(self, MarkTable marks):
        cdef CommitTable table = self.table
        cdef int size = table.oid_size
        cdef Walk walk = Walk(size, self.names)
        walk.seen_owner = table.reader.ahead
        cdef Commit *commit
        cdef const unsigned char *oid
        cdef uint32_t at, number, parent
        for at in range(self.emitted_count, 0, -1):
            number = self.emitted[at - 1]
            commit = &table.commits[number]
            oid = table.oids + <size_t>number * size
            if commit.flags & EXCLUDED or (marks is not None and marks.c_find(oid)):
                continue
            walk.c_add(oid, table.trees + <size_t>number * size, commit.name - 1)
            walk.seen[walk.count - 1] = Seen(commit.seen, commit.entry)
            for number in range(commit.parent_count):
                parent = table.parents[commit.first_parent + number]
                oid = table.oids + <size_t>parent * size
                walk.c_add_parent(oid, marks is not None and marks.c_find(oid) != 0)
        return walk


cdef inline bint is_before(const Waiting *one, const Waiting *other) noexcept nogil:
    if one.generation != other.generation:
        return one.generation > other.generation
    return one.date > other.date or (one.date == other.date and one.turn < other.turn)
