# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Plain blob commands, many at once.

Only blobs in their usual spelling are read here, wholly in the buffer and no larger than a piece:
``blob``, ``mark :N``, ``original-oid``, ``data N``, with nothing between. All else, what is wrong
included, is left to the parser, which says what it means.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memchr, memcmp

from fastio.stream._numbers cimport digits

cdef enum:
    LEAST_LIMIT = 64  # a line limit that no mark or data line reaches


cdef inline int64_t _read_digits(
    const unsigned char *at, const unsigned char *end, uint64_t *value
) noexcept nogil:
    """Read decimal digits and the LF behind them; return how many bytes, 0 if that is not there."""
    cdef int64_t length = digits(at, end, value)
    if length == 0 or at + length >= end or at[length] != 10:
        return 0
    return length + 1


cdef const unsigned char *_read_blob(
    const unsigned char *at, const unsigned char *end, int64_t max_size, int64_t max_line,
    uint64_t *row
) noexcept nogil:
    """Read one blob into *row*: mark, position, size; return what is behind it, or NULL."""
    cdef const unsigned char *lf
    cdef int64_t length
    cdef uint64_t size = 0
    if end - at < 5 or memcmp(at, b"blob\n", 5) != 0:
        return NULL
    at += 5
    row[0] = 0
    if end - at > 6 and memcmp(at, b"mark :", 6) == 0:
        length = _read_digits(at + 6, end, &row[0])
        if length == 0:
            return NULL
        at += 6 + length
    if end - at > 13 and memcmp(at, b"original-oid ", 13) == 0:
        at += 13
        lf = <const unsigned char *>memchr(at, 10, min(end - at, max_line + 1 - 13))
        if lf == NULL or memchr(at, 0, lf - at) != NULL:
            return NULL
        at = lf + 1
    if end - at <= 5 or memcmp(at, b"data ", 5) != 0:
        return NULL
    length = _read_digits(at + 5, end, &size)
    if length == 0 or size > <uint64_t>max_size:
        return NULL
    at += 5 + length
    if end - at < <int64_t>size:
        return NULL
    row[1] = <uint64_t>at
    row[2] = size
    return at + size


cdef int64_t c_scan_blobs(BlobScan *scan, uint64_t *rows, int64_t max_count) noexcept nogil:
    cdef const unsigned char *at = scan.first + scan.at
    cdef const unsigned char *stop = scan.first + scan.end
    cdef const unsigned char *behind
    cdef uint64_t *row = rows
    cdef int64_t count = 0
    if at == stop or max_count == 0 or scan.max_line < LEAST_LIMIT:
        return 0
    while True:
        if scan.optional_lf:
            if at == stop:
                break
            if at[0] == 10:
                at += 1
            scan.optional_lf = False
        if count == max_count:
            break
        behind = _read_blob(at, stop, scan.max_size, scan.max_line, row)
        if behind == NULL:
            break
        row[1] -= <uint64_t>scan.first
        row[3] = scan.base + (at - scan.first)
        row += 4
        count += 1
        at = behind
        scan.optional_lf = True
    scan.at = at - scan.first
    return count


def scan_blobs(
    const unsigned char[::1] data,
    int64_t start,
    int64_t end,
    uint64_t[::1] rows,
    *,
    int64_t base,
    int64_t max_size,
    int64_t max_line,
    bint optional_lf,
):
    """Read blobs from ``data[start:end]`` until something else comes, for tests.

    Args:
        data: The buffer.
        start: Where to begin.
        end: Where the buffer's bytes end.
        rows: Is filled with four numbers a blob: mark (0 for none), start in the buffer, size,
            offset of the command in the stream.
        base: Offset of the buffer's start in the stream.
        max_size: Longest body.
        max_line: Longest line.
        optional_lf: Whether an LF may stand before the first one.

    Returns:
        How many rows were filled, the position behind the last blob, and whether an LF is still to
        be skipped there.
    """
    cdef BlobScan scan
    cdef int64_t count, max_count = rows.shape[0] // 4
    if not 0 <= start <= end <= data.shape[0]:
        raise IndexError("scan leaves the buffer")
    if start == end or max_count == 0:
        return 0, start, optional_lf
    scan.first, scan.at, scan.end, scan.base = &data[0], start, end, base
    scan.max_size, scan.max_line, scan.optional_lf = max_size, max_line, optional_lf
    count = c_scan_blobs(&scan, &rows[0], max_count)
    return count, scan.at, bool(scan.optional_lf)
