# cython: language_level=3, boundscheck=False, wraparound=False
"""Makes records of commits: see `fastio.exporter.commit_record`."""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcmp, memcpy

from fastio.exporter._change_lines cimport ChangeLines
from fastio.exporter._commit_text cimport TEXT_ENDS_AT_ONCE, TEXT_GOES_ON, CommitText
from fastio.exporter._records cimport RecordWriter
from fastio.exporter._tree_diff cimport TreeDiff
from fastio.exporter._walk cimport NO_ROW, Seen, Walk
from fastio.store._object_reader cimport Content, ObjectReader

from fastio.errors import FastioError, ObjectError
from fastio.objects.kinds import NAMES as _NAMES

cdef enum:
    COMMIT_KIND = 1
    OID_ROOM = 32
    # So many rows ahead what a record needs from memory is loaded, step by step.
    FARTHEST = 8
    FAR = 4
    NEAR = 2


cdef class CommitRecords:
    """Makes records, each from its row of the walk.

    Args:
        walk: All commits.
        reader: Reads them.
        text: Writes what stands before the changes.
        trees: Finds the changes.
        lines: Writes them.
        writer: Where to.
        finish: Is given each table of changes once its blobs are named: finds renames, say.
        excluded_parents: Whether changes are told against parents that are not exported.
        full_tree: Whether all files are told each time.
        reverse: Whether the two sides change places.
    """

    cdef Walk walk
    cdef ObjectReader reader
    cdef CommitText text
    cdef TreeDiff trees
    cdef ChangeLines lines
    cdef RecordWriter writer
    cdef object finish
    cdef bint excluded_parents, full_tree, reverse

    def __init__(
        self, Walk walk not None, ObjectReader reader not None, CommitText text not None,
        TreeDiff trees not None, ChangeLines lines not None, RecordWriter writer not None, *,
        finish=None, bint excluded_parents=False, bint full_tree=False, bint reverse=False,
    ):
        self.walk, self.reader, self.text, self.trees = walk, reader, text, trees
        self.lines, self.writer, self.finish = lines, writer, finish
        self.excluded_parents, self.full_tree = excluded_parents, full_tree
        self.reverse = reverse

    def make(self, int64_t first, int64_t count, room=None):
        """Return the records of *count* commits from row *first* on.

        They end early where the export does: the last record tells why. If there is enough *room*
        they go there (see `RecordWriter.put`), and nothing is returned.
        """
        cdef int64_t row
        if not (0 <= first and 0 <= count <= self.walk.count - first):
            raise IndexError(f"no {count} commits from row {first} on")
        for row in range(first, first + count):
            self.foresee(row)
            try:
                if not self.make_one(<uint32_t>row):
                    break
            except FastioError as error:
                self.writer.drop()
                self.writer.c_begin()
                self.writer.die(str(error).encode(errors="surrogateescape"))
                self.writer.c_end()
                break
        if room is not None and self.writer.put(room):
            return b""
        return self.writer.take()

    cdef bint make_one(self, uint32_t row) except -1:
        """Make one record; False if the export ends with it."""
        cdef Content body
        cdef int ending
        cdef unsigned char old[OID_ROOM]
        cdef bint has_old
        cdef const unsigned char *new = self.walk.trees + <int64_t>row * self.walk.oid_size
        cdef const unsigned char *oid = self.walk.oids + <int64_t>row * self.walk.oid_size
        cdef const Seen *seen = &self.walk.seen[row]
        if not self.reader.c_read_seen(oid, seen.ahead, seen.entry, &body):
            self.read_commit(oid, &body)
        self.writer.c_begin()
        ending = self.text.c_write(self.writer, self.walk, row, body.data, body.size)
        if ending == TEXT_ENDS_AT_ONCE:
            self.writer.c_end()
            return False
        has_old = self.find_old(row, old)
        if self.reverse:
            self.trees.c_compare(new, old if has_old else NULL)
        else:
            self.trees.c_compare(old if has_old else NULL, new)
        self.lines.c_write_blobs(self.trees.changes)
        if ending == TEXT_GOES_ON:
            if self.finish is not None:
                self.finish(self.trees.changes)
            self.lines.c_write_lines(self.trees.changes)
            self.writer.c_text(b"\n", 1)
        self.writer.c_end()
        return ending == TEXT_GOES_ON

    cdef void foresee(self, int64_t row) noexcept:
        """Have loaded what the records of the next commits need first."""
        cdef Walk walk = self.walk
        if row + FARTHEST < walk.count:
            self.reader.search.c_foresee(walk.trees + (row + FARTHEST) * walk.oid_size, True)
            self.reader.search.c_foresee(walk.trees + (row + FAR) * walk.oid_size, False)
            self.reader.search.c_foresee_entry(walk.trees + (row + NEAR) * walk.oid_size)
            self.reader.c_foresee_seen(walk.seen[row + FAR].ahead, walk.seen[row + FAR].entry)

    cdef bint find_old(self, uint32_t row, unsigned char *tree) except -1:
        """Find the tree that a commit's is compared with; False if that is none."""
        cdef uint32_t parent = self.walk.parent_starts[row]
        cdef int size = self.walk.oid_size
        if self.full_tree or parent == self.walk.parent_starts[row + 1]:
            return False
        if not self.walk.parent_marked[parent] and not self.excluded_parents:
            return False
        if self.walk.parent_rows[parent] != NO_ROW:
            memcpy(tree, self.walk.trees + <int64_t>self.walk.parent_rows[parent] * size, size)
        else:
            self.read_tree(self.walk.parent_oids + <int64_t>parent * size, tree)
        return True

    cdef int read_commit(self, const unsigned char *oid, Content *body) except -1:
        self.reader.c_read(oid, body)
        if body.kind != COMMIT_KIND:
            raise ObjectError(
                f"object {oid[: self.walk.oid_size].hex()} is a {_NAMES[body.kind].decode()}, "
                "not a commit"
            )
        return 0

    cdef int read_tree(self, const unsigned char *commit, unsigned char *tree) except -1:
        """Find the tree of a commit that is not in the walk."""
        cdef Content body
        cdef bytes oid
        cdef int digits = 2 * self.walk.oid_size
        self.read_commit(commit, &body)
        try:
            if body.size < 6 + digits or memcmp(body.data, b"tree ", 5):
                raise ValueError
            oid = bytes.fromhex(body.data[5 : 5 + digits].decode("ascii"))
        except ValueError:
            raise ObjectError(
                f"commit {commit[: self.walk.oid_size].hex()} names no tree"
            ) from None
        memcpy(tree, PyBytes_AS_STRING(oid), self.walk.oid_size)
        return 0
