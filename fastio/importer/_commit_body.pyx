# cython: language_level=3
"""The body of a plain commit's object, see `fastio.objects.commits`, written where it is hashed."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from fastio.importer._commit_queue cimport CommitQueue
from fastio.objects._digits cimport write_hex
from fastio.stream._commit_fields cimport Bytes
from fastio.stream._plain_commit cimport PlainCommit, Span

from fastio.objects.commits import SIGNATURE_HEADERS, fold_header


cdef int64_t body_size(PlainCommit commit, list parents, int oid_size) except -1:
    """Return the size of the commit object."""
    cdef int64_t digits = 2 * oid_size
    cdef Span author = commit.author_span if commit.author_span.start else commit.committer_span
    cdef Py_ssize_t more = 0 if commit.is_simple() else len(more_headers(commit))
    return (
        5 + digits + 1 + len(parents) * (7 + digits + 1) + 7 + author.size + 1
        + 10 + commit.committer_span.size + more + 2 + commit.message_span.size
    )


cdef int64_t store_body(
    CommitQueue commits, PlainCommit commit, bytes tree, list parents
) except -1:
    """Store the commit object, see `fastio.objects.commits`; gives its entry."""
    cdef Span author = commit.author_span if commit.author_span.start else commit.committer_span
    cdef bytes more = b"" if commit.is_simple() else more_headers(commit)
    cdef int64_t size = body_size(commit, parents, commits.object_map.oid_size)
    cdef Bytes text = <Bytes>PyBytes_AS_STRING(commit.text)
    cdef unsigned char *out = commits.begin(size)
    cdef bytes parent
    out = put_oid(out, b"tree ", 5, tree)
    for parent in parents:
        out = put_oid(out, b"parent ", 7, parent)
    out = put(out, <Bytes>b"author ", 7)
    out = put(out, text + author.start, author.size)
    out = put(out, <Bytes>b"\ncommitter ", 11)
    out = put(out, text + commit.committer_span.start, commit.committer_span.size)
    out = put(out, <Bytes>PyBytes_AS_STRING(more), PyBytes_GET_SIZE(more))
    out = put(out, <Bytes>b"\n\n", 2)
    put(out, text + commit.message_span.start, commit.message_span.size)
    return commits.end(size)


cdef bytes more_headers(PlainCommit commit):
    """Return the headers for encoding and signature, each with an LF before it."""
    headers = []
    if commit.encoding is not None:
        headers.append(b"\nencoding " + commit.encoding)
    for signature in commit.signatures:
        name = SIGNATURE_HEADERS[signature.algorithm.decode()]
        headers.append(b"\n" + fold_header(name, signature.data))
    return b"".join(headers)


cdef unsigned char *put(unsigned char *out, Bytes data, int64_t size) noexcept nogil:
    memcpy(out, data, size)
    return out + size


cdef unsigned char *put_oid(unsigned char *out, const char *name, int64_t size, bytes oid):
    """Write a header line that holds an oid."""
    cdef Bytes raw = <Bytes>PyBytes_AS_STRING(oid)
    out = write_hex(put(out, <Bytes>name, size), raw, <int>PyBytes_GET_SIZE(oid))
    out[0] = 10
    return out + 1
