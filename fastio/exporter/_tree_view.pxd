# A tree of which as much is built as somebody reads.

from fastio.objects._tree_cache cimport Tree
from fastio.objects._trees cimport Entry, read_entry
from fastio.store._pieces cimport piece_after
from fastio.store._recipe_runs cimport run_part
from fastio.store._recipes cimport Recipe

cdef enum:
    STRIDE = 256  # bytes that are built at a time


cdef struct View:
    Tree *tree
    const Recipe *recipe  # NULL: all of it is built
    Py_ssize_t start  # what is built without a gap
    Py_ssize_t end
    unsigned int piece  # see run_part


cdef inline void look_at(View *view, Tree *tree, const Recipe *recipe) noexcept nogil:
    """Begin to read a tree, with room for all of it; NULL for *recipe* if all is built."""
    view.tree, view.recipe = tree, recipe
    view.start = view.end = 0
    view.piece = 0
    if recipe == NULL:
        view.end = tree.size


cdef inline void build_up_to(View *view, Py_ssize_t end) noexcept nogil:
    """Have the bytes built from where the view begins to *end*."""
    end = min(end, view.tree.size)
    run_part(
        view.recipe, &view.piece, <unsigned int>view.end, <unsigned int>end,
        <unsigned char *>view.tree.data,
    )
    view.end = end


cdef inline bint read_at(
    View *view, Py_ssize_t at, Py_ssize_t oid_size, Entry *entry
) noexcept nogil:
    """Read the entry at *at*, which the tree has; False if the bytes there are no entry."""
    if not view.start <= at <= view.end:
        view.start = view.end = at
        view.piece = piece_after(view.recipe.ends, view.recipe.count, 0, <unsigned int>at)
    while not read_entry(view.tree.data, view.end, at, oid_size, entry):
        if view.end == view.tree.size:
            return False
        build_up_to(view, max(at + STRIDE, 2 * view.end - at))
    return True
