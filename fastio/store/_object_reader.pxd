from libc.stdint cimport int64_t, uint64_t

from fastio.store._commits_ahead cimport Ahead, CommitsAhead
from fastio.store._loose cimport LooseReader
from fastio.store._pack_search cimport Found, Header, PackSearch
from fastio.store._recipes cimport Recipe, Recipes
from fastio.store._results cimport MAX_OID, Results


cdef struct Content:
    int kind
    int64_t size
    const unsigned char *data  # not NULL, also when there are no bytes


cdef struct Step:  # of a delta chain
    int64_t offset
    int64_t payload
    uint64_t size


cdef class ObjectReader:
    cdef readonly object store
    cdef readonly bint verify
    cdef readonly int oid_size
    cdef readonly Recipes recipes
    cdef PackSearch search
    cdef LooseReader loose
    cdef uint64_t generation  # of `search`
    cdef CommitsAhead ahead  # commits of the pack *ahead_pack*, in that generation of `search`
    cdef int64_t ahead_pack
    cdef uint64_t ahead_generation
    cdef Results results
    cdef Step *steps
    cdef int64_t steps_room
    # What `look` found: a recipe, or an entry that is to be inflated where it is wanted, or
    # bytes; without content they are those of `loose`.
    cdef Recipe *recipe
    cdef bint whole
    cdef bytes content
    cdef int found_kind
    cdef int64_t found_size
    cdef int64_t most  # larger objects need not be read at all; -1: all are to be
    cdef Header header
    cdef Found found
    cdef unsigned char oid[MAX_OID]  # with replacements
    cdef const Ahead *seen  # where c_head left the commit that was asked for last, or NULL

    # All of these honour refs/replace, and raise ObjectError for an object that is missing and
    # PackError for a damaged pack.

    # The object's type and bytes, which stay as they are for the next KEPT - 1 calls of c_read.
    cdef int c_read(self, const unsigned char *oid, Content *out) except -1
    # Find an object of type *kind* (0: any); its size.
    cdef int64_t c_look_for(self, const unsigned char *oid, int kind) except -1
    # The recipe of what was found, which lasts until something else is read; NULL if it has none,
    # or if it is to be verified: only `write` gives its bytes then.
    cdef const Recipe *c_recipe(self) noexcept
    # Write all of what was found, where there is *room* for more than that.
    cdef int write(self, unsigned char *out, int64_t room) except -1
    # Write an object of type *kind* (0: any) to *out*; its size, or -1 and nothing written if it
    # has more than *room* bytes. Any byte of the room may be written to.
    cdef int64_t c_read_into(
        self, const unsigned char *oid, int kind, unsigned char *out, int64_t room
    ) except -2
    # How an object begins, *room* bytes of it or more, or all if it has less; *size* becomes how
    # many. They are in *buffer*, which needs INFLATE_SLACK more, or where they were already. Of
    # what is longer no checksum is looked at.
    cdef const unsigned char *c_head(
        self, const unsigned char *oid, unsigned char *buffer, int64_t room, int64_t *size,
        int *kind,
    ) except NULL
    # The object's size, and its type to *kind* unless that is NULL; next to nothing is inflated.
    cdef int64_t c_size(self, const unsigned char *oid, int *kind) except -1
    # A number that objects of one delta family share, for who deals objects out to workers. It
    # tells nothing about whether there is such an object.
    cdef uint64_t c_family(self, const unsigned char *oid) except? 0

    # A commit that a walk's c_head left in *seen*, by its place in the idx; False where `c_read` is
    # to be asked, as it is if *ahead* is NULL.
    cdef bint c_read_seen(
        self, const unsigned char *oid, const Ahead *ahead, int64_t position, Content *out
    ) except -1

    # Have what `c_read_seen` looks at loaded.
    cdef void c_foresee_seen(self, const Ahead *ahead, int64_t position) noexcept

    # Have commits read ahead from the pack in which the last one was found; once for a store.
    cdef int c_read_ahead(self, int64_t memory) except -1

    cdef bint is_of_ahead(self) noexcept
    cdef const Ahead *read_already(self) noexcept
    cdef bytes name_of(self, const unsigned char *oid)
    cdef int refresh(self) except -1
    cdef int look(self, const unsigned char *oid) except -1
    cdef bint look_in_packs(self) except -1
    cdef bint look_for_loose(self) except -1
    cdef int look_slowly(self) except -1
    cdef bint resolve(self) except -1
    cdef int push(self, int64_t count) except -1
    cdef Recipe *read_root(self, int64_t offset) except NULL
    cdef Recipe *read_delta(self, Recipe *base, Step *step) except? NULL
    cdef int64_t inflate(
        self, int64_t offset, int64_t payload, uint64_t size, unsigned char *out, int64_t room
    ) except -1
    cdef int check_kind(self, const unsigned char *oid, int kind) except -1
    cdef bint has_crc(self, int64_t stop) noexcept
    cdef int check_crc(self, int64_t stop) except -1
    cdef int check_oid(self, const unsigned char *content) except -1
    cdef bint size_in_packs(self, const unsigned char *oid, int *kind) except -1
    cdef object damaged(self, int64_t offset, reason)

    cdef inline const unsigned char *pack(self) noexcept:
        return <const unsigned char *>self.search.places[self.found.pack].content.buf

    cdef inline int64_t end(self) noexcept:
        return self.search.places[self.found.pack].content.len - self.oid_size
