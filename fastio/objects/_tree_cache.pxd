from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastio.objects._trees cimport Bytes, Entry, Segments
from workers._sha1 cimport State

cdef enum:
    STEP = 512  # bytes from one stop to the next, or so
    # What a tree costs beside its bytes: two objects' headers, oids, bucket, links, stops.
    OVERHEAD = 300

cdef enum Order:
    UNKNOWN
    IN_ORDER
    OUT_OF_ORDER

cdef struct Hole:  # where in a tree's bytes an oid belongs that is not known yet
    Py_ssize_t at
    Tree *child


cdef struct Draft:  # of a tree whose oid is not known yet
    Tree *next  # the tree that was made after it
    Tree *base  # what it was made of, by these segments; NULL: there was nothing
    Tree *known  # its like, which was in the cache when it was hashed; NULL: there was none
    Segments segments
    Hole *holes  # none any longer once they are filled
    Py_ssize_t hole_count
    int level  # how many trees whose oids are not known lie below it, one in another


cdef struct Patch:  # bytes in which a tree differs from its ground; they follow the last patch
    uint32_t at
    uint32_t size


cdef struct Tree:
    Draft *draft  # NULL: the oid is known
    Tree *newer  # NULL: it is not in the cache
    Tree *older
    Tree *next  # in its bucket
    Bytes data  # NULL: to be made of the ground by whoever needs it
    Py_ssize_t size
    Py_ssize_t room  # of the memory there
    Tree *ground  # of the same size, which it is but for its patches; NULL: there is none
    Patch *patches
    int patch_count
    int dependents  # trees whose ground it is
    bint is_base  # whether another tree was made of it
    uint64_t key  # of its recipe (see _tree_shelf.pyx)
    uint64_t generation  # of that key
    bint is_built  # whether all of its bytes are there
    int users  # who must not lose it now
    Order order
    Py_ssize_t stop_count
    Py_ssize_t stop_room
    uint32_t *stops  # where entries begin, one every few hundred bytes
    State *states  # of its hashing; NULL for a small tree
    unsigned char oid[32]
    unsigned char anchor[32]  # the tree that its delta chain started from
    uint32_t turn  # when it was used last


cdef void free_tree(Tree *tree) noexcept nogil
cdef bytes content_of(const Tree *tree)
# Write a tree's bytes, of a ground and its patches.
cdef void put_patched(const Tree *tree, unsigned char *out) noexcept nogil
# Have room for a tree's stops, none of which are set yet.
cdef int reserve_stops(Tree *tree) except -1 nogil
# See whether a tree is in order, and set its stops if so.
cdef int look_through(Tree *tree, Py_ssize_t oid_size) except -1 nogil
# The same for a tree made of *segments* of one that is in order.
cdef int derive_stops(
    Tree *tree, const Tree *old, const Segments *segments, Py_ssize_t oid_size
) except -1 nogil
# Find the first entry, from the one at *start* on, that does not come before *key* (a name, with a
# slash for a directory's place): its place, or the tree's size; *order* is 0 if it stands there.
cdef Py_ssize_t lower_bound(
    const Tree *tree, Py_ssize_t start, Bytes key, Py_ssize_t key_size, Py_ssize_t oid_size,
    Entry *entry, int *order,
) noexcept nogil


cdef class TreeCache:
    cdef Tree ring  # newer: the oldest tree, older: the newest one
    cdef Tree **buckets
    cdef uint64_t mask
    cdef uint64_t count
    cdef int64_t limit
    cdef int64_t used
    cdef Py_ssize_t oid_size
    cdef uint32_t turn
    cdef bint by_turns

    cdef Tree *find(self, const unsigned char *oid) noexcept nogil
    cdef Tree *peek(self, const unsigned char *oid) noexcept nogil
    # Takes the tree, which has its oid; gives the one to use, as it may be there already.
    cdef Tree *add(self, Tree *tree) except NULL nogil
    cdef void make_room(self, const Tree *last, int64_t limit) noexcept nogil
    # End a turn: what has to make room goes now, and that is all trees not used since some turn.
    # Nor does it count who needs one of them: they are no longer found.
    cdef void end_turn(self) noexcept nogil
    cdef uint64_t bucket(self, const unsigned char *oid) noexcept nogil
    cdef int grow(self) except -1 nogil
    cdef void unlink(self, Tree *tree) noexcept nogil
    cdef void link_newest(self, Tree *tree) noexcept nogil
    cdef void drop(self, Tree *tree) noexcept nogil
    # What a tree takes of the limit.
    cdef int64_t cost(self, const Tree *tree) noexcept nogil
    # What becomes of a tree that was dropped: it is freed.
    cdef void release(self, Tree *tree) noexcept nogil
