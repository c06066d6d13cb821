# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The loop of `fastio.check.plain`: what is plainly fine, many commands at once."""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp

from fastio.store._marks cimport MarkTable
from fastio.stream._commit_fields cimport is_plain_path, is_usual_ident
from fastio.stream._numbers cimport digits

cdef enum:
    COMMIT = 1  # as in fastio.objects.kinds
    BLOB = 3
    LONGEST_START = 7  # of what `before_command` looks for
    LONGEST_WORD = 32  # of all
    SLOTS = 1 << 14
    MOST_PATHS = 1 << 13
    FILE = 1
    DIRECTORY = 2


cdef struct Slot:
    uint64_t hash  # of a path in lower case
    uint32_t round  # the slot is in use if this is the present one
    uint32_t kind


@cython.final
cdef class PlainScan:
    """Takes plain blobs and commits, and declares their marks."""

    cdef MarkTable marks
    cdef set refs
    cdef bint dates_are_raw
    cdef readonly int64_t blobs
    cdef readonly int64_t commits
    cdef const unsigned char *end
    cdef bint is_short  # the block went on behind the end
    cdef int64_t max_line
    cdef int64_t max_data
    cdef Slot[SLOTS] slots
    cdef uint32_t round  # one for each commit, and for each deleteall
    cdef uint32_t path_count

    def __init__(self, MarkTable marks not None, set refs not None, *, bint dates_are_raw):
        self.marks, self.refs, self.dates_are_raw = marks, refs, dates_are_raw

    def scan(
        self,
        const unsigned char[::1] data,
        int64_t start,
        int64_t end,
        *,
        int64_t max_line,
        int64_t max_data,
        bint optional_lf,
    ):
        if not 0 <= start <= end <= data.shape[0]:
            raise IndexError("scan leaves the buffer")
        self.is_short = False
        if start == end or max_line < LONGEST_WORD:
            return start, 0, start == end
        cdef const unsigned char *first = &data[0]
        cdef const unsigned char *at = first + start
        cdef const unsigned char *behind
        cdef int64_t count = 0
        cdef int64_t position = start
        # What is near the limit is not plain; so keywords need not be counted.
        self.end, self.max_line, self.max_data = first + end, max_line - LONGEST_WORD, max_data
        if optional_lf and at[0] == 10:
            at += 1
        while True:
            if self.has(at, b"blob\n", 5):
                behind = self.blob(at + 5)
            elif self.dates_are_raw and self.has(at, b"commit ", 7):
                behind = self.one_commit(at + 7)
            else:
                break
            if behind == NULL:
                break
            at = behind
            position = at - first
            count += 1
        return position, count, bool(self.is_short)

    # --- words and lines ------------------------------------------------------------------------

    cdef bint has(self, const unsigned char *at, const char *word, int64_t size) noexcept:
        """Tell whether *word* stands at *at*; if only a part of it is there, that is short."""
        cdef int64_t there = min(self.end - at, size)
        if memcmp(at, word, there) != 0:
            return False
        if there < size:
            self.is_short = True
            return False
        return True

    cdef const unsigned char *line_end(self, const unsigned char *at) noexcept:
        """Return the LF that ends a line, or NULL if it is not there, or the line is not plain."""
        cdef int64_t size = min(self.end - at, self.max_line)
        cdef const unsigned char *lf = <const unsigned char *>memchr(at, 10, size)
        if lf == NULL:
            self.is_short = self.end - at < self.max_line
            return NULL
        if memchr(at, 0, lf - at) != NULL:
            return NULL
        return lf

    cdef const unsigned char *number(self, const unsigned char *at, uint64_t *value) noexcept:
        """Read digits; return what is behind them, or NULL if they are not plain."""
        cdef int64_t length = digits(at, self.end, value)
        if at + length == self.end:
            self.is_short = True
            return NULL
        if length == 0:
            return NULL
        return at + length

    cdef const unsigned char *numbered_line(
        self, const unsigned char *at, uint64_t *value
    ) noexcept:
        """Read digits and the LF behind them; return what is behind that, or NULL."""
        at = self.number(at, value)
        if at == NULL or at[0] != 10:
            return NULL
        return at + 1

    cdef const unsigned char *labels(self, const unsigned char *at, uint64_t *mark) noexcept:
        """Read mark and original-oid, if there are any."""
        mark[0] = 0
        if self.has(at, b"mark :", 6):
            at = self.numbered_line(at + 6, mark)
            if at == NULL or not self.is_free(mark[0]):
                return NULL
        if self.has(at, b"original-oid ", 13):
            at = self.line_end(at)
            if at == NULL:
                return NULL
            return at + 1
        return at

    cdef bint is_free(self, uint64_t mark) noexcept:
        return mark > 0 and self.marks.c_get(mark) < 0

    cdef const unsigned char *body(self, const unsigned char *at) noexcept:
        """Read counted data with the LF behind it; return what is behind both, or NULL."""
        cdef uint64_t size = 0
        if not self.has(at, b"data ", 5):
            return NULL
        at = self.numbered_line(at + 5, &size)
        if at == NULL or size > <uint64_t>self.max_data:
            return NULL
        if self.end - at <= <int64_t>size:
            self.is_short = True
            return NULL
        at += size
        return at + (at[0] == 10)

    cdef const unsigned char *before_command(self, const unsigned char *at) noexcept:
        """Return *at* if a command that cannot be anything else starts there, or NULL."""
        if self.end - at < LONGEST_START:
            self.is_short = True
            return NULL
        if (
            memcmp(at, b"blob\n", 5) == 0 or memcmp(at, b"commit ", 7) == 0
            or memcmp(at, b"reset ", 6) == 0 or memcmp(at, b"tag ", 4) == 0
            or memcmp(at, b"done\n", 5) == 0 or memcmp(at, b"progres", 7) == 0
        ):
            return at
        return NULL

    # --- commands -------------------------------------------------------------------------------

    cdef const unsigned char *blob(self, const unsigned char *at) except? NULL:
        cdef uint64_t mark = 0
        at = self.labels(at, &mark)
        if at != NULL:
            at = self.body(at)
        if at != NULL:
            at = self.before_command(at)
        if at == NULL:
            return NULL
        if mark:
            self.marks.c_set(mark, BLOB)
        self.blobs += 1
        return at

    cdef const unsigned char *one_commit(self, const unsigned char *at) except? NULL:
        cdef uint64_t mark = 0
        cdef int64_t blobs = 0
        cdef const unsigned char *lf = self.line_end(at)
        if lf == NULL or PyBytes_FromStringAndSize(<const char *>at, lf - at) not in self.refs:
            return NULL
        at = self.labels(lf + 1, &mark)
        if at != NULL:
            at = self.idents(at)
        if at != NULL:
            at = self.body(at)
        if at != NULL:
            at = self.parents(at)
        if at != NULL:
            at = self.changes(at, &blobs)
        if at != NULL:
            at = self.before_command(at)
        if at == NULL:
            return NULL
        if mark:
            self.marks.c_set(mark, COMMIT)
        self.blobs += blobs
        self.commits += 1
        return at

    cdef const unsigned char *idents(self, const unsigned char *at) noexcept:
        """Read author, committer and encoding."""
        if self.has(at, b"author ", 7):
            at = self.ident(at + 7)
            if at == NULL:
                return NULL
        if not self.has(at, b"committer ", 10):
            return NULL
        at = self.ident(at + 10)
        if at != NULL and self.has(at, b"encoding ", 9):
            at = self.line_end(at)
            if at == NULL:
                return NULL
            return at + 1
        return at

    cdef const unsigned char *ident(self, const unsigned char *at) noexcept:
        cdef const unsigned char *lf = self.line_end(at)
        if lf == NULL or not is_usual_ident(at, lf - at):
            return NULL
        return lf + 1

    cdef const unsigned char *parents(self, const unsigned char *at) noexcept:
        """Read from and merge, whose marks have to be commits'."""
        if self.has(at, b"from ", 5):
            at = self.parent(at + 5)
        while at != NULL and self.has(at, b"merge ", 6):
            at = self.parent(at + 6)
        return at

    cdef const unsigned char *parent(self, const unsigned char *at) noexcept:
        cdef uint64_t mark = 0
        if not self.has(at, b":", 1):
            return NULL
        at = self.numbered_line(at + 1, &mark)
        if at == NULL or self.marks.c_get(mark) != COMMIT:
            return NULL
        return at

    # --- changes --------------------------------------------------------------------------------

    cdef const unsigned char *changes(self, const unsigned char *at, int64_t *blobs) noexcept:
        """Read changes, and the empty line behind them if there is one."""
        self.forget_paths()
        while at != NULL:
            if at == self.end:
                self.is_short = True
                return NULL
            if at[0] == 10:
                return at + 1
            if self.has(at, b"M ", 2):
                at = self.modify(at + 2, blobs)
            elif self.has(at, b"D ", 2):
                at = self.delete(at + 2)
            elif self.has(at, b"deleteall\n", 10):
                at += 10
                self.forget_paths()
            else:
                if self.is_short:
                    return NULL
                return at
        return NULL

    cdef const unsigned char *modify(self, const unsigned char *at, int64_t *blobs) noexcept:
        cdef const unsigned char *lf = self.line_end(at)
        cdef const unsigned char *path
        cdef uint64_t mark = 0
        cdef int64_t kind = BLOB
        cdef bint is_link = False
        if lf == NULL or lf - at < 8:
            return NULL
        if memcmp(at, b"100644 ", 7) == 0 or memcmp(at, b"100755 ", 7) == 0:
            at += 7
        elif memcmp(at, b"644 ", 4) == 0 or memcmp(at, b"755 ", 4) == 0:
            at += 4
        elif memcmp(at, b"120000 ", 7) == 0:
            at += 7
            is_link = True
        elif memcmp(at, b"160000 ", 7) == 0:
            at += 7
            kind = COMMIT
        else:
            return NULL
        if at[0] == 58:
            path = self.number(at + 1, &mark)
            if path == NULL or path[0] != 32 or self.marks.c_get(mark) != kind:
                return NULL
            if not self.put_path(path + 1, lf, is_link):
                return NULL
            return lf + 1
        if lf - at < 8 or memcmp(at, b"inline ", 7) != 0 or kind != BLOB:
            return NULL
        if not self.put_path(at + 7, lf, is_link):
            return NULL
        blobs[0] += 1
        return self.body(lf + 1)

    cdef bint put_path(
        self, const unsigned char *at, const unsigned char *lf, bint is_link
    ) noexcept:
        """Take note of a path that is set; False if it is not plain, or undoes another change."""
        cdef uint64_t hash = 0
        if not is_plain_path(at, lf - at) or at[0] == 34 or (lf - 1)[0] == 13:
            return False
        if is_link and at[0] == 46:
            return False
        while at < lf:
            if at[0] == 47:
                if (is_link and at[1] == 46) or not self.note_path(hash, DIRECTORY):
                    return False
            hash = hashed(hash, at[0])
            at += 1
        return self.note_path(hash, FILE)

    cdef const unsigned char *delete(self, const unsigned char *at) noexcept:
        """Read the rest of a D line, whose path must be none that the commit has set."""
        cdef const unsigned char *lf = self.line_end(at)
        cdef uint64_t hash = 0
        if lf == NULL or at == lf or at[0] == 34 or (lf - 1)[0] == 13:
            return NULL
        while at < lf:
            hash = hashed(hash, at[0])
            at += 1
        if self.find_path(hash).round == self.round:
            return NULL
        return lf + 1

    cdef void forget_paths(self) noexcept:
        cdef int64_t i
        self.path_count = 0
        self.round += 1
        if self.round == 0:  # it has come round, after 2^32 of them
            for i in range(SLOTS):
                self.slots[i].round = 0
            self.round = 1

    cdef Slot *find_path(self, uint64_t hash) noexcept:
        """Return the slot of a path, or the free one where it belongs."""
        cdef uint64_t i = (hash ^ hash >> 32) & (SLOTS - 1)
        while self.slots[i].round == self.round and self.slots[i].hash != hash:
            i = (i + 1) & (SLOTS - 1)
        return &self.slots[i]

    cdef bint note_path(self, uint64_t hash, uint32_t kind) noexcept:
        """Note a path; False if it is there already, but for directories that meet again."""
        cdef Slot *slot = self.find_path(hash)
        if slot.round == self.round:
            return slot.kind == DIRECTORY and kind == DIRECTORY
        if self.path_count == MOST_PATHS:
            return False
        self.path_count += 1
        slot.hash, slot.round, slot.kind = hash, self.round, kind
        return True


cdef inline uint64_t hashed(uint64_t hash, unsigned char byte) noexcept:
    # Case is folded: names that differ in case only are not plain. That two paths share a hash
    # makes a commit not plain as well, no more.
    if 65 <= byte <= 90:
        byte += 32
    return (hash + byte + 1) * <uint64_t>0x9E3779B97F4A7C15
