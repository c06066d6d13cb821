from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef enum Readiness:  # of a pack to be read
    UNTRIED
    READY
    UNUSABLE


cdef struct Place:
    void *index  # an IndexView, which `packs` keeps
    bint covered  # by a multi-pack-index
    Readiness readiness
    uint32_t asked  # how often the index was asked
    Py_buffer content  # when READY


cdef struct Found:  # in a pack
    int64_t pack  # its number, -1 if no pack has the object
    int64_t offset
    int64_t position  # in the pack's idx


cdef struct Header:  # of a pack entry
    int kind
    uint64_t size
    int64_t payload  # where in the pack the deflated bytes begin
    int64_t base  # where the base of an ofs-delta begins, or the oid of a ref-delta's base


cdef struct Root:  # of the chain of an entry
    uint64_t key  # number of the pack and offset of the entry
    int64_t offset
    int kind


cdef enum:  # what may be wrong with a header
    HEADER_OUTSIDE = 1
    HEADER_CUT
    HEADER_SIZE
    HEADER_KIND
    HEADER_BASE


cdef class PackSearch:
    cdef object open_packs
    cdef object open_multi
    cdef list multis  # of each multi-pack-index, itself and the numbers of its packs here
    cdef object has_slowly
    cdef object kind_slowly
    cdef int oid_size
    cdef readonly bint replaces
    cdef bint loaded
    cdef bint too_many
    cdef list packs
    cdef Place *places
    cdef int64_t count
    cdef int64_t last  # the pack that answered last
    cdef Root *roots
    cdef uint64_t generation  # another one whenever packs were let go of

    # Whether a usable pack has the object.
    cdef bint c_has(self, const unsigned char *oid) except -1
    # The object's type; 0 if there is no such object.
    cdef int c_kind(self, const unsigned char *oid) except -1

    # Find the object in a usable pack; no pack is found where they are too many.
    cdef int c_find(self, const unsigned char *oid, Found *found) except -1
    # See IndexView.c_foresee.
    cdef void c_foresee(self, const unsigned char *oid, bint far) noexcept
    # Have the entry of an object loaded, of which that was foreseen.
    cdef void c_foresee_entry(self, const unsigned char *oid) noexcept
    # Where in its pack the delta chain of the entry at *offset* ends, and the type of what is
    # there: 0 if the headers do not tell.
    cdef int64_t root_of(self, int64_t number, int64_t offset, int *kind) except -1

    cdef bytes bytes_of(self, const unsigned char *oid)
    cdef void let_go(self) noexcept
    cdef int load(self) except -1
    cdef int load_multis(self) except -1
    cdef bint find_by_multi(self, const unsigned char *oid, Found *found) except -1
    cdef bint find_in(self, int64_t number, const unsigned char *oid, Found *found) except -1
    cdef bint is_ready(self, int64_t number) except -1

# Read the header of the entry at *offset* of a pack that ends, its trailer apart, at *end*; returns
# 0 or what is wrong.
cdef int read_header(
    const unsigned char *content, int64_t end, int64_t offset, int oid_size, Header *header
) noexcept nogil
