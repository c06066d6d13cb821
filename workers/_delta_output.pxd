# Instructions of a delta on their way to memory; each call tells whether there was room.

from libc.stdint cimport int64_t
from libc.string cimport memcpy

cdef enum:
    MAX_COPY = 0x10000  # largest copy of one instruction; one that tells no size has it
    MAX_INSERT = 0x7F


cdef struct Output:
    unsigned char *at
    unsigned char *end
    int64_t copy_offset  # a copy that may still grow
    int64_t copy_size


cdef inline bint put_size(Output *out, int64_t size) noexcept nogil:
    """Write a size header: seven bits a byte, lowest first, top bit for "more"."""
    while True:
        if out.at == out.end:
            return False
        out.at[0] = (size & 0x7F) | (0x80 if size > 0x7F else 0)
        out.at += 1
        size >>= 7
        if not size:
            return True


cdef inline bint put_copy(Output *out, int64_t offset, int64_t size) noexcept nogil:
    """Write one copy instruction; offset and size bytes that are zero are left out."""
    cdef unsigned char code[8]
    cdef int length = 1, i
    code[0] = 0x80
    for i in range(4):
        if (offset >> (8 * i)) & 0xFF:
            code[length] = (offset >> (8 * i)) & 0xFF
            code[0] |= 1 << i
            length += 1
    if size != MAX_COPY:  # which is what a size without bytes means
        for i in range(2):
            if (size >> (8 * i)) & 0xFF:
                code[length] = (size >> (8 * i)) & 0xFF
                code[0] |= 0x10 << i
                length += 1
    if out.end - out.at < length:
        return False
    memcpy(out.at, code, length)
    out.at += length
    return True


cdef inline bint flush_copy(Output *out) noexcept nogil:
    cdef int64_t part
    while out.copy_size:
        part = min(out.copy_size, <int64_t>MAX_COPY)
        if not put_copy(out, out.copy_offset, part):
            return False
        out.copy_offset += part
        out.copy_size -= part
    return True


cdef inline bint add_copy(Output *out, int64_t offset, int64_t size) noexcept nogil:
    """Copy from the base, joined with the copy before when it goes on where that ends."""
    if out.copy_size and out.copy_offset + out.copy_size == offset:
        out.copy_size += size
        return True
    if not flush_copy(out):
        return False
    out.copy_offset = offset
    out.copy_size = size
    return True


cdef inline bint add_insert(Output *out, const unsigned char *data, int64_t size) noexcept nogil:
    cdef int64_t part
    if not size:
        return True
    if not flush_copy(out) or out.end - out.at < size + (size + MAX_INSERT - 1) // MAX_INSERT:
        return False
    while size:
        part = min(size, <int64_t>MAX_INSERT)
        out.at[0] = <unsigned char>part
        memcpy(out.at + 1, data, part)
        out.at += part + 1
        data += part
        size -= part
    return True
