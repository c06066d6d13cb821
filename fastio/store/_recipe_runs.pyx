# cython: language_level=3, boundscheck=False, wraparound=False
"""What two recipes have in common, and parts of what one makes; see recipes.py.

Two versions of an object are copies of the same ground, with a little of their own in between, and
where both copy the same bytes those need not be built to know it. Copies of a ground mostly ascend,
so one walk along both finds them: whichever copies from further back goes on. What deltas inserted
has the same place in memory in a version and in those made of it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from fastio.store._pieces cimport piece_after
from fastio.store._recipes cimport Recipe, Recipes
from workers._arrays cimport resized

cdef enum:
    FIRST_RUNS = 64


cdef struct Walk:  # along a recipe
    const Recipe *recipe
    uint32_t piece
    uint32_t at  # in the object
    uint32_t left  # of the piece
    const unsigned char *source  # of the byte there


cdef inline void begin(Walk *walk, const Recipe *recipe) noexcept nogil:
    walk.recipe, walk.piece, walk.at, walk.left, walk.source = recipe, 0, 0, 0, NULL
    if recipe.count:
        walk.source, walk.left = recipe.sources[0], recipe.ends[0]


cdef inline void go_on(Walk *walk, uint32_t size) noexcept nogil:
    """Pass *size* bytes of what is left of the piece."""
    walk.at += size
    walk.source += size
    walk.left -= size
    if walk.left == 0:
        walk.piece += 1
        if walk.piece < walk.recipe.count:
            walk.source = walk.recipe.sources[walk.piece]
            walk.left = walk.recipe.ends[walk.piece] - walk.at


cdef inline bint is_ground(const Walk *walk) noexcept nogil:
    return <size_t>walk.source - <size_t>walk.recipe.ground < walk.recipe.ground_size


cdef inline void catch_up(Walk *behind, Walk *ahead) noexcept nogil:
    """Pass what one side alone copies from the ground.

    That is mostly what lies between the two. But where a short piece comes from far ahead, it is
    that piece.
    """
    cdef size_t between = <size_t>ahead.source - <size_t>behind.source
    cdef uint32_t size = <uint32_t>min(between, <size_t>behind.left)
    if ahead.left < size:
        go_on(ahead, ahead.left)
    else:
        go_on(behind, size)


cdef int add_run(Runs *runs, uint32_t old, uint32_t new, uint32_t size) except -1:
    cdef Run *last
    cdef Py_ssize_t capacity
    if runs.count:
        last = &runs.items[runs.count - 1]
        if last.old + last.size == old and last.new + last.size == new:
            last.size += size
            return 0
    if runs.count == runs.capacity:
        capacity = max(2 * runs.capacity, <Py_ssize_t>FIRST_RUNS)
        runs.items = <Run *>resized(runs.items, capacity * sizeof(Run))
        runs.capacity = capacity
    runs.items[runs.count] = Run(old, new, size)
    runs.count += 1
    return 0


cdef size_t find_runs(const Recipe *old, const Recipe *new, Runs *runs) except? 0:
    cdef Walk left, right
    cdef uint32_t size
    cdef size_t found = 0
    cdef bint left_copies, right_copies
    runs.count = 0
    begin(&left, old)
    begin(&right, new)
    while left.left and right.left:
        if left.source == right.source:
            size = min(left.left, right.left)
            add_run(runs, left.at, right.at, size)
            found += size
            go_on(&left, size)
            go_on(&right, size)
            continue
        left_copies, right_copies = is_ground(&left), is_ground(&right)
        if left_copies and right_copies:
            if left.source < right.source:
                catch_up(&left, &right)
            else:
                catch_up(&right, &left)
            continue
        if not left_copies:
            go_on(&left, left.left)
        if not right_copies:
            go_on(&right, right.left)
    return found


cdef void run_part(
    const Recipe *recipe, uint32_t *piece, uint32_t at, uint32_t end, unsigned char *out
) noexcept nogil:
    cdef uint32_t number = piece[0], start, size
    while at < end:
        while recipe.ends[number] <= at:
            number += 1
        start = recipe.ends[number - 1] if number else 0
        size = min(recipe.ends[number], end) - at
        memcpy(out + at, recipe.sources[number] + (at - start), size)
        at += size
    piece[0] = number


# --- for tests --------------------------------------------------------------------------------

def shared_runs(Recipes recipes, uint64_t old, uint64_t new):
    """Return the runs that two objects have in common; None if they have not one ground."""
    cdef Recipe *left = recipes.c_find(old)
    cdef Recipe *right = recipes.c_find(new)
    cdef Runs runs = Runs(NULL, 0, 0)
    cdef Py_ssize_t i
    if left == NULL or right == NULL or left.ground != right.ground:
        return None
    try:
        find_runs(left, right, &runs)
        return [
            (runs.items[i].old, runs.items[i].new, runs.items[i].size) for i in range(runs.count)
        ]
    finally:
        free(runs.items)


def part(Recipes recipes, uint64_t key, uint32_t at, uint32_t end):
    """Return some bytes of an object that is there."""
    cdef Recipe *recipe = recipes.c_find(key)
    cdef bytes content = PyBytes_FromStringAndSize(NULL, end)
    cdef uint32_t piece = piece_after(recipe.ends, recipe.count, 0, at)
    run_part(recipe, &piece, at, end, <unsigned char *>PyBytes_AS_STRING(content))
    return content[at:]
