# cython: language_level=3
"""Loops that read objects; see object_reader.py."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from fastio.errors import ObjectError
from fastio.objects.kinds import NAMES


cdef class ObjectReader:
    """Reads objects of *store*; see object_reader.py."""

    def __init__(self, store, *, int64_t memory, bint verify=False):
        self.store, self.verify = store, verify
        self.oid_size = store.object_format.oid_size
        self.kept = [None] * KEPT

    cdef const unsigned char *checked(self, oid) except NULL:
        if not isinstance(oid, bytes) or PyBytes_GET_SIZE(oid) != self.oid_size:
            raise ObjectError(f"not an oid of {self.oid_size} bytes: {oid!r}")
        return <const unsigned char *>PyBytes_AS_STRING(oid)

    cdef bytes name_of(self, const unsigned char *oid):
        return PyBytes_FromStringAndSize(<const char *>oid, self.oid_size)

    cdef tuple slow_read(self, bytes oid):
        kind, content = found = self.store.read(oid)
        if self.verify and self.store.object_format.hash_object(kind, content) != oid:
            raise ObjectError(f"object {oid.hex()} is damaged: its content has another oid")
        return found

    cdef int c_read(self, const unsigned char *oid, Content *out) except -1:
        cdef tuple found = self.slow_read(self.name_of(oid))
        self.kept[self.turn] = found
        self.turn = (self.turn + 1) % KEPT
        out.kind = found[0]
        out.data = <const unsigned char *>PyBytes_AS_STRING(found[1])
        out.size = PyBytes_GET_SIZE(found[1])
        return 0

    cdef int64_t c_read_into(
        self, const unsigned char *oid, int kind, unsigned char *out, int64_t room
    ) except -2:
        cdef tuple found = self.slow_read(self.name_of(oid))
        cdef bytes content = found[1]
        if kind and found[0] != kind:
            raise ObjectError(
                f"object {self.name_of(oid).hex()} is a {NAMES[found[0]].decode()}, "
                f"not a {NAMES[kind].decode()}"
            )
        if PyBytes_GET_SIZE(content) > room:
            return -1
        memcpy(out, PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content))
        return PyBytes_GET_SIZE(content)

    cdef int64_t c_size(self, const unsigned char *oid, int *kind) except -1:
        cdef bytes name = self.name_of(oid)
        found = self.store.info(name)
        if found is None:
            raise self.store.missing(name)
        if kind != NULL:
            kind[0] = found[0]
        return found[1]

    cdef uint64_t c_family(self, const unsigned char *oid) except? 0:
        return (<uint64_t>oid[0] << 8 | oid[1]) + 1

    def read(self, oid):
        """Return an object's type and content."""
        cdef Content content
        self.c_read(self.checked(oid), &content)
        return content.kind, PyBytes_FromStringAndSize(<const char *>content.data, content.size)

    def size(self, oid):
        """Return an object's type and size."""
        cdef int kind
        cdef int64_t size = self.c_size(self.checked(oid), &kind)
        return kind, size

    def family(self, oid):
        """Return a number that objects of one delta family share."""
        return self.c_family(self.checked(oid))

    def open_large(self, oid, *, above):
        """Open an object that is stored whole and larger than *above*; None if it is not so."""
        found = self.store.open(oid, above=above)
        return None if found is None or isinstance(found, tuple) else found
