from libc.stdint cimport int64_t

from fastio.importer._commit_queue cimport CommitQueue
from fastio.stream._plain_commit cimport PlainCommit

# The size of a commit's object.
cdef int64_t body_size(PlainCommit commit, list parents, int oid_size) except -1
# Store it, with oids for its tree and parents; gives its entry.
cdef int64_t store_body(
    CommitQueue commits, PlainCommit commit, bytes tree, list parents
) except -1
