# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The scan of `fastio.stream.questions`: one line that asks something."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memchr, memcmp

from fastio.stream._numbers cimport digits

GET_MARK, CAT_BLOB, LS = 1, 2, 3

ctypedef const unsigned char *Bytes


cdef inline bytes _bytes(Bytes start, Bytes stop):
    return PyBytes_FromStringAndSize(<const char *>start, stop - start)


cdef object _read_mark(Bytes at, Bytes stop):
    """Read ``:N`` between *at* and *stop*, None if that is not all of it."""
    cdef uint64_t value = 0
    if stop - at < 2 or at[0] != 58 or digits(at + 1, stop, &value) != stop - at - 1:
        return None
    return value


cdef object _read_dataref(Bytes at, Bytes stop):
    """Read a mark, or take an oid in hexadecimal as it is; None if it is neither."""
    cdef int64_t i
    if stop - at != 40 and stop - at != 64:
        return _read_mark(at, stop)
    for i in range(stop - at):
        if not (48 <= at[i] <= 57 or 97 <= (at[i] | 32) <= 102):
            return None
    return _bytes(at, stop)


cdef tuple _read_ls(Bytes at, Bytes stop, bint in_commit):
    """Read what follows ``ls``: dataref and path."""
    cdef Bytes space
    cdef object dataref
    if at < stop and at[0] == 34:
        if (not in_commit or stop - at < 2 or (stop - 1)[0] != 34
                or memchr(at + 1, 34, stop - at - 2) or memchr(at, 92, stop - at)):
            return None
        return None, _bytes(at + 1, stop - 1)
    space = <Bytes>memchr(at, 32, stop - at)
    if space == NULL or (space + 1 < stop and space[1] == 34):
        return None
    dataref = _read_dataref(at, space)
    return None if dataref is None else (dataref, _bytes(space + 1, stop))


def scan_question(
    const unsigned char[::1] data not None, int64_t start, int64_t end, int64_t max_line,
    bint in_commit,
):
    """Read the line at *start* if it is all there and asks something in the usual spelling.

    Returns:
        Which question, its dataref, its path (None where it has none) and the line, or None.
    """
    if not 0 <= start <= end <= data.shape[0]:
        raise IndexError("scan leaves the buffer")
    if end - start < 6:
        return None
    cdef Bytes at = &data[0] + start
    cdef Bytes stop = <Bytes>memchr(at, 10, min(end - start, max_line + 1))
    cdef object dataref, path = None
    cdef int word
    if stop == NULL or memchr(at, 0, stop - at) != NULL:
        return None
    if memcmp(at, b"ls ", 3) == 0:
        word, found = LS, _read_ls(at + 3, stop, in_commit)
        if found is None:
            return None
        dataref, path = found
    elif stop - at > 9 and memcmp(at, b"cat-blob ", 9) == 0:
        word, dataref = CAT_BLOB, _read_dataref(at + 9, stop)
    elif stop - at > 9 and memcmp(at, b"get-mark ", 9) == 0 and not in_commit:
        word, dataref = GET_MARK, _read_mark(at + 9, stop)
    else:
        return None
    if dataref is None and word != LS:
        return None
    return word, dataref, path, _bytes(at, stop)
