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
    EntryWriter entries not None,
    ObjectMap packed not None,
    int pack,
    list oids not None,
    bytes sizes not None,
    const unsigned char[::1] payloads not None,
):
    """Append blobs that the map does not have yet, and enter them there.

    Args:
        entries: Of the pack.
        packed: What is in it.
        pack: Its number there.
        oids: Which blobs.
        sizes: For each its size and that of what it became, as two numbers of 64 bits.
        payloads: What they became, one behind the other.
    """
    cdef bytes oid
    cdef const unsigned char *raw
    cdef const int64_t *row = <const int64_t *>PyBytes_AS_STRING(sizes)
    cdef int64_t left = payloads.shape[0], offset
    cdef const unsigned char *at = &payloads[0] if left else NULL
    if PyBytes_GET_SIZE(sizes) != <int64_t>(len(oids) * 2 * sizeof(int64_t)):
        raise PackError(f"{len(sizes)} bytes are no sizes of {len(oids)} blobs")
    for oid in oids:
        if PyBytes_GET_SIZE(oid) != packed.oid_size:
            raise PackError(f"{oid.hex()} is no oid here")
        if not 0 <= row[1] <= left:
            raise PackError(f"what {oid.hex()} became is cut short")
        raw = <const unsigned char *>PyBytes_AS_STRING(oid)
        if packed.c_find(raw) < 0:
            offset = entries.c_append(BLOB, row[0], at, row[1], -1, -1)
            packed.c_insert(raw, pack, offset, BLOB, 0, entries.last_crc)
        at += row[1]
        left -= row[1]
        row += 2
