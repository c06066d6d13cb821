# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Fields of a commit's lines in their usual spelling: numbers, idents, modes, references, paths."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memchr, memcmp

from fastio.stream._numbers cimport digits
from fastio.stream._plain_commit cimport BY_MARK, BY_OID, GITLINK, INLINE, SYMLINK, Change

cdef enum:
    MAX_DATE_DIGITS = 18  # git may refuse a greater one
    MAX_DEPTH = 64  # components of a path: who walks them may use the stack


cdef bint is_usual_ident(Bytes text, int64_t size) noexcept nogil:
    """Tell whether an ident with a raw date needs no change, as `fastio.stream.idents` has it."""
    cdef Bytes stop = text + size
    cdef Bytes opening = <Bytes>memchr(text, 60, size)
    cdef Bytes closing
    cdef uint64_t value
    cdef int64_t length
    if opening == NULL or opening == text or (opening - 1)[0] != 32:
        return False
    if memchr(text, 62, opening - text) != NULL:
        return False
    closing = <Bytes>memchr(opening, 62, stop - opening)
    if closing == NULL or memchr(opening + 1, 60, stop - opening - 1) != NULL:
        return False
    if stop - closing < 3 or closing[1] != 32:
        return False
    closing += 2
    length = digits(closing, stop, &value)
    closing += length
    if not 0 < length <= MAX_DATE_DIGITS or stop - closing != 6 or closing[0] != 32:
        return False
    if closing[1] != 43 and closing[1] != 45:
        return False
    return digits(closing + 2, stop, &value) == 4 and value <= 1400


cdef bint is_plain_path(Bytes path, int64_t size) noexcept nogil:
    """Tell whether a file's path is certain to be let in; see `fastio.objects.path_check`.

    A symlink's is as well, if no component begins with a dot.
    """
    cdef int64_t at = 0, depth = 0
    if size == 0:
        return False
    while True:
        depth += 1
        if at == size or depth > MAX_DEPTH:
            return False
        if path[at] == 46:  # a dot
            at += 1
            if at == size or path[at] == 46 or path[at] == 47 or path[at] == 71 or path[at] > 127:
                return False
            if path[at] == 103 and not (
                size - at > 3 and path[at + 1] == 105 and path[at + 2] == 116
                and 97 <= path[at + 3] <= 122
            ):
                return False
        elif path[at] == 47 or path[at] == 0xE2 or path[at] == 0xEF:
            return False  # in UTF-8 all that HFS+ ignores starts with E2 or EF
        while at < size and path[at] != 47:
            if path[at] == 126 or path[at] == 92:
                return False
            at += 1
        if at == size:
            return True
        at += 1


cdef bint has_dot_name(Bytes path, int64_t size) noexcept nogil:
    """Tell whether a component begins with a dot."""
    cdef int64_t at
    for at in range(size):
        if path[at] == 46 and (at == 0 or path[at - 1] == 47):
            return True
    return False


cdef int64_t mode_at(Bytes text, int64_t size, unsigned int *mode) noexcept nogil:
    """Read a mode and its SP; return their bytes, 0 if it is a directory's or oddly spelled."""
    if size > 7 and memcmp(text, b"100", 3) == 0:
        if memcmp(text + 3, b"644 ", 4) == 0:
            mode[0] = 0o100644
            return 7
        mode[0] = 0o100755
        return 7 if memcmp(text + 3, b"755 ", 4) == 0 else 0
    if size > 7 and (memcmp(text, b"120000 ", 7) == 0 or memcmp(text, b"160000 ", 7) == 0):
        mode[0] = SYMLINK if text[1] == 50 else GITLINK
        return 7
    if size > 4 and (memcmp(text, b"644 ", 4) == 0 or memcmp(text, b"755 ", 4) == 0):
        mode[0] = 0o100755 if text[0] == 55 else 0o100644
        return 4
    return 0


cdef int64_t hex_digits(Bytes at, int64_t size) noexcept nogil:
    """Return how many hexadecimal digits there are, 64 at most."""
    cdef int64_t length = 0
    while length < size and length < 64 and (
        48 <= at[length] <= 57 or 97 <= at[length] | 32 <= 102
    ):
        length += 1
    return length


cdef int64_t reference_at(Bytes text, int64_t size, Change *change) noexcept nogil:
    """Read what an M line names its object by, and the SP; return their bytes, 0 if unusual."""
    cdef int64_t length
    if text[0] == 58:
        change.reference = BY_MARK
        length = 1 + digits(text + 1, text + size, &change.mark)
        if change.mark == 0 or change.mode == GITLINK:
            return 0
    elif size > 7 and memcmp(text, b"inline ", 7) == 0:
        change.reference = INLINE
        return 0 if change.mode == GITLINK else 7
    else:
        change.reference = BY_OID
        length = change.oid.size = hex_digits(text, size)
        if length != 40 and length != 64:
            return 0
    return length + 1 if length < size and text[length] == 32 else 0


cdef int64_t unquote(Bytes text, int64_t size, unsigned char *out) noexcept nogil:
    """Undo the quoting of a whole path; return its bytes, -1 if that is not so easy."""
    cdef const char *letters = b'a\007b\010t\011n\012v\013f\014r\015"\042\\\134'
    cdef Bytes stop = text + size - 1
    cdef unsigned char *start = out
    cdef const char *letter
    cdef Bytes at = text + 1
    if size < 2 or stop[0] != 34:
        return -1
    while at < stop:
        if at[0] == 34:
            return -1
        if at[0] != 92:
            out[0] = at[0]
        elif stop - at > 3 and 48 <= at[1] <= 51 and 48 <= at[2] <= 55 and 48 <= at[3] <= 55:
            out[0] = (at[1] - 48) << 6 | (at[2] - 48) << 3 | (at[3] - 48)
            at += 3
            if out[0] == 0:
                return -1
        else:
            at += 1
            letter = letters
            while letter[0] and letter[0] != at[0]:
                letter += 2
            if at == stop or letter[0] == 0:
                return -1
            out[0] = letter[1]
        out += 1
        at += 1
    return out - start


cdef bint is_known_kind(Bytes words, int64_t size) noexcept nogil:
    """Tell whether these are the words of a signature that needs no warning."""
    cdef int64_t skip
    if size > 5 and memcmp(words, b"sha1 ", 5) == 0:
        skip = 5
    elif size > 7 and memcmp(words, b"sha256 ", 7) == 0:
        skip = 7
    else:
        return False
    words += skip
    size -= skip
    return (
        (size == 7 and memcmp(words, b"openpgp", 7) == 0)
        or (size == 4 and memcmp(words, b"x509", 4) == 0)
        or (size == 3 and memcmp(words, b"ssh", 3) == 0)
    )
