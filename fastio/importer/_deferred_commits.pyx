# cython: language_level=3
"""Commits whose oids are not known yet, and the names that stand for those."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t
from libc.string cimport memcmp, memcpy

import os

cdef enum:
    START = 12  # bytes that all names begin with; a number follows

cdef bytes NAME = os.urandom(START)


cdef class DeferredCommit:
    """A commit that waits to be stored."""


cdef bint is_name(bytes oid) noexcept:
    return memcmp(PyBytes_AS_STRING(oid), PyBytes_AS_STRING(NAME), START) == 0


cdef int64_t number_of(bytes name) noexcept:
    cdef int64_t number
    memcpy(&number, PyBytes_AS_STRING(name) + START, sizeof(number))
    return number


cdef bytes name_of(int64_t number):
    """Make the name of a commit that is deferred; as long as the shortest oid."""
    cdef bytes name = PyBytes_FromStringAndSize(NULL, START + sizeof(number))
    memcpy(PyBytes_AS_STRING(name), PyBytes_AS_STRING(NAME), START)
    memcpy(PyBytes_AS_STRING(name) + START, &number, sizeof(number))
    return name
