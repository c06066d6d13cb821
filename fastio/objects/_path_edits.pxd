from fastio.objects._trees cimport Bytes


cdef struct Edit:
    Bytes path
    Py_ssize_t size
    Py_ssize_t order  # of two edits at one path the later one counts
    unsigned int mode  # 0: nothing may stand at the path
    unsigned char oid[32]


cdef class Trees:
    cdef readonly Py_ssize_t oid_size
    cpdef bytes load(self, bytes oid)
    cpdef bytes store(self, bytes tree, bytes base, bytes delta)

# Sort the edits; gives how many are left, or -1 where their order matters.
cdef Py_ssize_t prepare(Edit *edits, Py_ssize_t count) noexcept nogil
# Apply prepared edits to the directory *old* (None: there is none), whose own path has *skip*
# bytes, slash included; gives the new oid, or None for an empty directory.
cdef bytes edit_directory(
    Trees trees, bytes old, Edit *edits, Py_ssize_t count, Py_ssize_t skip
)
