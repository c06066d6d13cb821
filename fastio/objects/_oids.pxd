"""Oids that come from Python."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE


cdef inline const unsigned char *checked_oid(object oid, int oid_size, type error) except NULL:
    """Return where the bytes of *oid* are, valid as long as it lives; raise *error* for no oid."""
    if not isinstance(oid, bytes) or PyBytes_GET_SIZE(oid) != oid_size:
        raise error(f"not an oid of {oid_size} bytes: {oid!r}")
    return <const unsigned char *>PyBytes_AS_STRING(oid)
