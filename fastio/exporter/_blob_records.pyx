# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Writes blobs' records to a segment of the arena: see `fastio.exporter.blob_records`.

A record's head says how long its content is, which is known only once that has been read. So the
content is read to where the longest head would leave it, and its head put right before it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy

from fastio.objects._digits cimport number_before, write_hex
from fastio.store._object_reader cimport ObjectReader
from workers._arena cimport Arena

from fastio.errors import FastioError, ObjectError, WorkerError

cdef enum:
    BLOB = 3
    # Longest head: blob, mark, original-oid, data.
    HEAD_ROOM = 192
    # A segment begins with the number of the blob that is being read: who is to blame for a death.
    SEGMENT_HEAD = 16


cdef inline unsigned char *before(unsigned char *end, const char *text, int64_t n) noexcept nogil:
    """Put text right before *end*; return where it begins."""
    memcpy(end - n, text, n)
    return end - n


cdef unsigned char *head_before(
    unsigned char *content, int64_t size, Wanted *blob, int oid_size, bint original_oids
) noexcept nogil:
    """Put a blob's head right before its content; return where it begins."""
    cdef unsigned char *at = before(content, b"\n", 1)
    at = before(number_before(at, size), b"data ", 5)
    if original_oids:
        at = before(at, b"\n", 1)
        at -= 2 * oid_size
        write_hex(at, blob.oid, oid_size)
        at = before(at, b"original-oid ", 13)
    at = before(at, b"\n", 1)
    return before(number_before(at, blob.mark), b"blob\nmark :", 11)


def head_of(int64_t size, bytes blob not None, int oid_size, bint original_oids):
    """Return the head of one blob's record, for who writes its content piece by piece.

    Args:
        size: Bytes of its content.
        blob: Its row of a job.
        oid_size: Bytes of an oid.
        original_oids: Whether to tell its oid.
    """
    cdef unsigned char room[HEAD_ROOM]
    cdef unsigned char *start
    assert len(blob) == sizeof(Wanted)
    start = head_before(
        room + HEAD_ROOM, size, <Wanted *>PyBytes_AS_STRING(blob), oid_size, original_oids
    )
    return PyBytes_FromStringAndSize(<const char *>start, room + HEAD_ROOM - start)


cdef int check_replacement(ObjectReader reader, const unsigned char *oid) except -1:
    """Refuse a blob that another is read for, as git does: it is not what its oid says."""
    cdef bytes name = PyBytes_FromStringAndSize(<const char *>oid, reader.oid_size)
    if reader.store.replaced(name) != name:
        raise ObjectError(f"blob {name.hex()} is replaced: its content has another oid")
    return 0


def write_blobs(ObjectReader reader not None, Arena arena not None, bytes job not None,
                bint original_oids):
    """Carry out a job: write the records of its blobs to its segment, as many as fit.

    Raises:
        WorkerError: The job names no segment of the arena, or is cut.
    """
    cdef JobHead *head = <JobHead *>PyBytes_AS_STRING(job)
    cdef Wanted *blob
    cdef Place *place
    cdef ResultHead *result
    cdef unsigned char *base
    cdef unsigned char *content
    cdef unsigned char *start
    cdef int64_t count, i, size, at = SEGMENT_HEAD
    cdef uint32_t end = DONE
    reason = b""
    count = (PyBytes_GET_SIZE(job) - <int64_t>sizeof(JobHead)) // <int64_t>sizeof(Wanted)
    if count < 1 or PyBytes_GET_SIZE(job) != <int64_t>(sizeof(JobHead) + count * sizeof(Wanted)):
        raise WorkerError(f"{len(job)} bytes are no job of blobs")
    if not (
        0 <= head.segment <= arena.size
        and SEGMENT_HEAD + HEAD_ROOM < head.room <= arena.size - head.segment
    ):
        raise WorkerError("a job's segment lies outside the arena")
    blob = <Wanted *>(PyBytes_AS_STRING(job) + sizeof(JobHead))
    base = arena.base + head.segment
    results = PyBytes_FromStringAndSize(NULL, sizeof(ResultHead) + count * sizeof(Place))
    result = <ResultHead *>PyBytes_AS_STRING(results)
    place = <Place *>(PyBytes_AS_STRING(results) + sizeof(ResultHead))
    result.done, result.room = 0, 0
    for i in range(count):
        memcpy(base, &i, sizeof(i))
        content = base + at + HEAD_ROOM
        size = head.room - at - HEAD_ROOM - 1
        try:
            if reader.search.replaces:
                check_replacement(reader, blob[i].oid)
            size = reader.c_read_into(blob[i].oid, 0, content, size) if size > 0 else -1
            if size >= 0 and reader.found_kind != BLOB:
                reader.check_oid(content)  # git takes it for a blob, unless it is another object
            if size < 0 and i == 0:
                result.room = reader.c_size(blob[i].oid, NULL) + SEGMENT_HEAD + HEAD_ROOM + 1
        except FastioError as error:
            end, reason = FAILED, str(error).encode(errors="surrogateescape")
            break
        if size < 0:
            end = FULL if i else LARGER
            break
        content[size] = 10
        start = head_before(content, size, &blob[i], reader.oid_size, original_oids)
        place[i].offset = start - arena.base
        place[i].size = content + size + 1 - start
        at = content + size + 1 - base
        result.done += 1
    result.end = end
    return results[: sizeof(ResultHead) + result.done * sizeof(Place)] + reason
