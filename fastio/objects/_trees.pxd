ctypedef const unsigned char *Bytes

cdef enum:
    FORMAT_BITS = 0o170000
    DIRECTORY = 0o040000
    MODE_DIGITS = 7  # more than any mode written by any git

cdef struct Entry:
    Py_ssize_t start
    Py_ssize_t mode_start  # behind leading zeros, which git wrote long ago
    Py_ssize_t name
    Py_ssize_t name_size
    Py_ssize_t oid
    Py_ssize_t end
    unsigned int mode

cdef struct Event:  # what the edit wants at one place in the order
    Bytes key  # the name, with a slash for the directory's place
    Py_ssize_t key_size
    Bytes entry
    Py_ssize_t entry_size  # 0: nothing may stand here
    Py_ssize_t oid  # within the entry
    unsigned int mode

cdef struct Segment:
    Bytes data
    Py_ssize_t size
    Py_ssize_t base_offset  # -1: new bytes

cdef struct Segments:
    Segment *items
    Py_ssize_t count
    Py_ssize_t capacity


cdef inline bint is_directory(unsigned int mode) noexcept nogil:
    return (mode & FORMAT_BITS) == DIRECTORY


# Bytes that put_event may write for a name of that size.
cdef inline Py_ssize_t event_room(Py_ssize_t name_size, Py_ssize_t oid_size) noexcept nogil:
    return 2 * name_size + MODE_DIGITS + 3 + oid_size

cdef int c_find_entry(
    Bytes data, Py_ssize_t size, Bytes wanted, Py_ssize_t wanted_size, Py_ssize_t oid_size,
    Entry *entry,
) except -1
cdef unsigned char *put_event(
    unsigned char *out, Event *events, Bytes name, Py_ssize_t size,
    unsigned int mode, Bytes oid, Py_ssize_t oid_size,
) noexcept nogil
cdef tuple apply_events(bytes tree, Event *events, Py_ssize_t count, Py_ssize_t oid_size)
