# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Writes changes to records; see change_lines.py.

Rows come in ascending order of paths, unless a tree is out of order. git's order differs from that
only where one path is the beginning of another, so one pass with a stack does for sorting: a path
waits on the stack while those that begin with it go by.
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memset

from fastio.exporter._changes cimport COPIED, DELETED, RENAMED, Change, ChangeTable
from fastio.exporter._records cimport RecordWriter
from workers._arrays cimport resized

from fastio.exporter.changes import changes_of
from fastio.exporter.line_order import git_lines, order_lines

cdef enum:
    GITLINK = 0o160000
    FIRST_ROOM = 64
    # Classes of bytes.
    PLAIN = 0
    SPACE = 1  # calls for quotes
    SPECIAL = 2  # calls for quotes and an escape

# Behind a backslash, from 7 on.
cdef const char *LETTERS = "abtnvfr"


@cython.final
cdef class ChangeLines:
    """Writes a commit's changes.

    Args:
        writer: Where to.
        with_data: Whether blobs are exported, so that lines name them by mark.
        full_tree: Whether a commit first deletes all there is, and then lists all its files.
        quote_high: Whether bytes from 0x80 on are escaped in paths (core.quotePath).
        names_first: Whether lines that are not in git's order come behind the words of those that
            are, for what gives numbers to words: see ``put_names``.
    """

    def __cinit__(
        self, RecordWriter writer not None, *, bint with_data=True, bint full_tree=False,
        bint quote_high=True, bint names_first=False,
    ):
        cdef int byte
        self.writer, self.with_data, self.full_tree = writer, with_data, full_tree
        self.names_first = names_first
        memset(self.classes, PLAIN, 256)
        for byte in range(256):
            if byte < 32 or byte == 127 or byte == 34 or byte == 92 or (byte > 127 and quote_high):
                self.classes[byte] = SPECIAL
        self.classes[32] = SPACE

    def __dealloc__(self):
        free(self.order)
        free(self.stack)

    def write_blobs(self, ChangeTable table not None):
        """Name the blobs of all new sides: before renames are found, as git does."""
        self.c_write_blobs(table)

    def write_lines(self, ChangeTable table not None):
        """Write the lines."""
        self.c_write_lines(table)

    cdef int c_write_blobs(self, ChangeTable table) except -1:
        cdef int64_t number
        cdef Change *row
        if not self.with_data:
            return 0
        for number in range(table.count):
            row = &table.rows[number]
            if row.new_mode and row.new_mode != GITLINK:
                self.writer.c_blob(row.new_oid)
        return 0

    cdef int c_write_lines(self, ChangeTable table) except -1:
        cdef int64_t number
        cdef Change *row
        if self.full_tree:
            self.writer.c_text(b"deleteall\n", 10)
        self.reserve(table.count)
        if not self.sort(table):
            return self.write_ordered(table)
        for number in range(table.count):
            row = &table.rows[self.order[number]]
            if row.status == DELETED:
                self.put_delete(table, row)
            else:
                self.put_modify(table, row)
        return 0

    # --- order --------------------------------------------------------------------------------

    cdef int reserve(self, int64_t count) except -1:
        cdef int64_t room = max(count, 2 * self.room, <int64_t>FIRST_ROOM)
        if count <= self.room:
            return 0
        self.order = <int64_t *>resized(self.order, room * sizeof(int64_t))
        self.stack = <int64_t *>resized(self.stack, room * sizeof(int64_t))
        self.room = room
        return 0

    cdef bint sort(self, ChangeTable table) noexcept:
        """Put git's order into *order*; False where it is not that simple."""
        cdef int64_t number, waiting = 0, done = 0
        cdef Change *row
        cdef Change *before
        cdef int order
        for number in range(table.count):
            row = &table.rows[number]
            if row.status == RENAMED or row.status == COPIED:
                return False
            while waiting:
                before = &table.rows[self.stack[waiting - 1]]
                order = memcmp(
                    table.text + before.path, table.text + row.path,
                    min(before.path_size, row.path_size),
                )
                if order > 0 or (order == 0 and before.path_size >= row.path_size):
                    return False  # a tree is out of order, or has a name twice
                if order == 0:
                    if before.status == DELETED and table.text[row.path + before.path_size] == 47:
                        return False  # a file becomes a directory
                    break
                waiting -= 1
                self.order[done] = self.stack[waiting]
                done += 1
            self.stack[waiting] = number
            waiting += 1
        while waiting:
            waiting -= 1
            self.order[done] = self.stack[waiting]
            done += 1
        return True

    cdef int write_ordered(self, ChangeTable table) except -1:
        """Write lines in the order that Python code finds."""
        cdef int64_t number
        cdef str letter
        cdef list changes = changes_of(table)
        cdef list lines = order_lines(changes)
        if self.names_first and (expected := git_lines(changes)) != lines:
            for letter, number in expected:
                self.put_names(table, &table.rows[number], ord(letter))
        for letter, number in lines:
            if letter == "M":
                self.put_modify(table, &table.rows[number])
            elif letter == "D":
                self.put_delete(table, &table.rows[number])
            else:
                self.put_move(table, &table.rows[number], ord(letter))
        return 0

    # --- lines --------------------------------------------------------------------------------

    cdef int put_delete(self, ChangeTable table, const Change *row) except -1:
        self.writer.c_text(b"D ", 2)
        self.put_path(table.text + row.source, row.source_size)
        return self.writer.c_text(b"\n", 1)

    cdef int put_move(self, ChangeTable table, const Change *row, int letter) except -1:
        cdef unsigned char *out = self.writer.c_space(2)
        out[0], out[1] = letter, 32
        self.writer.c_wrote(2)
        self.put_path(table.text + row.source, row.source_size)
        self.writer.c_text(b" ", 1)
        self.put_path(table.text + row.path, row.path_size)
        return self.writer.c_text(b"\n", 1)

    cdef int put_modify(self, ChangeTable table, const Change *row) except -1:
        cdef unsigned char *out = self.writer.c_space(10)
        cdef uint32_t mode = row.new_mode
        cdef int place
        out[0], out[1] = 77, 32  # M
        for place in range(7, 1, -1):
            out[place] = 48 + (mode & 7)
            mode >>= 3
        out[8], out[9] = 32, 58  # :
        if self.with_data and row.new_mode != GITLINK:
            self.writer.c_wrote(10)
            self.writer.c_of(row.new_oid)
        else:
            self.writer.c_wrote(9)
            self.writer.c_hex(row.new_oid)
        self.writer.c_text(b" ", 1)
        self.put_path(table.text + row.path, row.path_size)
        return self.writer.c_text(b"\n", 1)

    cdef int put_names(self, ChangeTable table, const Change *row, int letter) except -1:
        """Write what a line would name: paths behind ``name``, an oid behind ``name-oid``."""
        if letter != 77:
            self.writer.c_text(b"name ", 5)
            self.put_path(table.text + row.source, row.source_size)
            self.writer.c_text(b"\n", 1)
        elif not self.with_data or row.new_mode == GITLINK:
            self.writer.c_text(b"name-oid ", 9)
            self.writer.c_hex(row.new_oid)
            self.writer.c_text(b"\n", 1)
        if letter != 68:  # D
            self.writer.c_text(b"name ", 5)
            self.put_path(table.text + row.path, row.path_size)
            self.writer.c_text(b"\n", 1)
        return 0

    cdef int put_path(self, const unsigned char *path, int64_t size) except -1:
        """Write a path, quoted if it has to be."""
        cdef int64_t at, wrote = 1
        cdef unsigned char found = PLAIN, byte
        cdef unsigned char *out
        for at in range(size):
            found |= self.classes[path[at]]
        if found == PLAIN:
            return self.writer.c_text(path, size)
        out = self.writer.c_space(4 * size + 2)
        out[0] = 34  # "
        for at in range(size):
            byte = path[at]
            if self.classes[byte] == SPECIAL:
                out[wrote] = 92  # \
                if 7 <= byte <= 13:
                    out[wrote + 1] = LETTERS[byte - 7]
                    wrote += 2
                elif byte == 34 or byte == 92:
                    out[wrote + 1] = byte
                    wrote += 2
                else:
                    out[wrote + 1] = 48 + (byte >> 6)
                    out[wrote + 2] = 48 + (byte >> 3 & 7)
                    out[wrote + 3] = 48 + (byte & 7)
                    wrote += 4
            else:
                out[wrote] = byte
                wrote += 1
        out[wrote] = 34
        self.writer.c_wrote(wrote + 1)
        return 0
