from libc.stdint cimport int64_t

from fastio.stream._plain_commit cimport Change

ctypedef const unsigned char *Bytes


# Whether an ident with a raw date needs no change.
cdef bint is_usual_ident(Bytes text, int64_t size) noexcept nogil

# Whether a path may enter a tree for certain.
cdef bint is_plain_path(Bytes path, int64_t size) noexcept nogil

# Whether a component begins with a dot.
cdef bint has_dot_name(Bytes path, int64_t size) noexcept nogil

# How many bytes the mode of a file or gitlink and its SP take; 0 if there is none.
cdef int64_t mode_at(Bytes text, int64_t size, unsigned int *mode) noexcept nogil

# How many bytes the dataref of an M line and its SP take, whose mode is in *change* already.
cdef int64_t reference_at(Bytes text, int64_t size, Change *change) noexcept nogil

# How many bytes a quoted path has without its quotes, -1 if that is not so easy.
cdef int64_t unquote(Bytes text, int64_t size, unsigned char *out) noexcept nogil

# Whether these are the words of a signature that needs no warning.
cdef bint is_known_kind(Bytes words, int64_t size) noexcept nogil
