# cython: language_level=3, boundscheck=False, wraparound=False
"""Puts what was deflated into the pack, all that a group has at once."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t

from fastio.store._entries cimport EntryWriter
from fastio.store._objmap cimport ObjectMap

from fastio.errors import PackError

cdef enum:
    BLOB = 3


def add_blobs(
    EntryWriter entries not None, ObjectMap packed not None, int pack, list blobs not None
):
    """Append blobs that the map does not have yet, and enter them there.

    Args:
        entries: Of the pack.
        packed: What is in it.
        pack: Its number there.
        blobs: Oid, size, and the deflated content.
    """
    cdef bytes oid, payload
    cdef int64_t size, offset
    cdef const unsigned char *raw
    for oid, size, payload in blobs:
        if PyBytes_GET_SIZE(oid) != packed.oid_size:
            raise PackError(f"{oid.hex()} is no oid here")
        raw = <const unsigned char *>PyBytes_AS_STRING(oid)
        if packed.c_find(raw) >= 0:
            continue
        offset = entries.c_append(
            BLOB, size, <const unsigned char *>PyBytes_AS_STRING(payload),
            PyBytes_GET_SIZE(payload), -1, -1,
        )
        packed.c_insert(raw, pack, offset, BLOB, 0, entries.last_crc)
