"""Reading what git log says of a walk into a table; log_walk.py tells the lines' form."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.string cimport memchr

from fastio.exporter._mark_table cimport MarkTable
from fastio.exporter._walk cimport Walk
from fastio.objects._digits cimport read_hex

from fastio.errors import FastioError

cdef enum:
    LARGEST_OID = 64


def read_listing(Walk walk, bytes listing, dict names, MarkTable marks):
    """Append the commits of a listing to *walk*, the last one first.

    Args:
        walk: The table.
        listing: What git log wrote, newest commit first.
        names: Index into the walk's names by what git takes for the name; others are added.
        marks: The imported marks; None if there are none.
    """
    cdef const char *text = PyBytes_AS_STRING(listing)
    cdef int64_t end = PyBytes_GET_SIZE(listing)
    cdef int64_t begin
    while end > 0:
        if text[end - 1] != b"\n":
            raise FastioError("git log was cut short")
        begin = end - 1
        while begin > 0 and text[begin - 1] != b"\n":
            begin -= 1
        read_line(walk, text + begin, text + end - 1, names, marks)
        end = begin


cdef int read_line(
    Walk walk, const char *at, const char *end, dict names, MarkTable marks
) except -1:
    cdef unsigned char oid[LARGEST_OID]
    cdef unsigned char tree[LARGEST_OID]
    cdef const char *name_end
    at = read_oid(at, end, oid, walk.oid_size)
    if marks is not None and marks.c_find(oid):
        return 0
    at = read_oid(at, end, tree, walk.oid_size)
    name_end = <const char *>memchr(at, b"\t", end - at)
    if name_end == NULL:
        raise FastioError("cannot understand what git log says")
    walk.c_add(oid, tree, name_index(walk, at, name_end, names))
    at = name_end + 1
    while at < end:
        at = read_oid(at, end, oid, walk.oid_size)
        walk.c_add_parent(oid, marks is not None and marks.c_find(oid) != 0)
    return 0


cdef int64_t name_index(
    Walk walk, const char *at, const char *end, dict names
) except -1:
    cdef bytes name = PyBytes_FromStringAndSize(at, end - at)
    cdef object index = names.get(name)
    if index is None:
        index = names[name] = len(walk.ref_names)
        walk.ref_names.append(name)
    return index


cdef const char *read_oid(
    const char *at, const char *end, unsigned char *oid, int size
) except NULL:
    # Reads hex digits and the byte behind them, if any.
    if end - at < 2 * size or not read_hex(<const unsigned char *>at, oid, size):
        raise FastioError("cannot understand what git log says")
    at += 2 * size
    return at if at == end else at + 1
