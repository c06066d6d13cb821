"""Entries of the pack being written: header, payload, crc32, and the buffer before the file.

Source: gitformat-pack(5), "pack-*.pack files have the following format".
"""

cimport cython
from cpython.buffer cimport PyBUF_READ, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import os

from isal.isal_zlib import crc32 as isal_crc32

from fastio.errors import PackError

cdef extern from *:
    """
    #include <fcntl.h>
    #ifdef SYNC_FILE_RANGE_WRITE
    #define start_writing(fd) (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE)
    #else
    #define start_writing(fd) (void)(fd)
    #endif
    """
    void start_writing(int fd) noexcept nogil

cdef enum:
    BUFFER = 1 << 20
    HEADER = 12  # bytes before the first entry
    ENTRY_HEADER = 20  # type and size in at most 10 bytes, distance to the base in 10
    OFS_DELTA = 6
    POLYNOMIAL = 0xEDB88320  # crc32 of zlib and git, lowest power in the top bit
    LARGE = 768  # from here the call of ISA-L costs less than what it saves

cdef uint32_t[8][256] TABLES
cdef uint32_t[64] POWERS  # POWERS[n] is x to the 2^n


cdef uint32_t multiply(uint32_t a, uint32_t b) noexcept nogil:
    # Product of two polynomials modulo the crc's one.
    cdef uint32_t product = 0
    while a:
        if a >> 31:
            product ^= b
        a <<= 1
        b = b >> 1 ^ (<uint32_t>POLYNOMIAL if b & 1 else 0)
    return product


cdef void fill_tables() noexcept nogil:
    cdef uint32_t byte, crc
    cdef int _bit, number
    for byte in range(256):
        crc = byte
        for _bit in range(8):
            crc = crc >> 1 ^ (<uint32_t>POLYNOMIAL if crc & 1 else 0)
        TABLES[0][byte] = crc
    for byte in range(256):
        for number in range(1, 8):
            crc = TABLES[number - 1][byte]
            TABLES[number][byte] = crc >> 8 ^ TABLES[0][crc & 0xFF]
    POWERS[0] = 0x40000000
    for number in range(1, 64):
        POWERS[number] = multiply(POWERS[number - 1], POWERS[number - 1])


fill_tables()


cdef uint32_t crc_small(uint32_t crc, const unsigned char *data, size_t size) noexcept nogil:
    # Eight bytes a step: 1.5 to 2 GB/s, and nothing to set up.
    cdef uint32_t low, high
    crc = ~crc
    while size >= 8:
        low = crc ^ (
            data[0] | <uint32_t>data[1] << 8 | <uint32_t>data[2] << 16 | <uint32_t>data[3] << 24
        )
        high = data[4] | <uint32_t>data[5] << 8 | <uint32_t>data[6] << 16 | <uint32_t>data[7] << 24
        crc = (
            TABLES[7][low & 0xFF] ^ TABLES[6][low >> 8 & 0xFF]
            ^ TABLES[5][low >> 16 & 0xFF] ^ TABLES[4][low >> 24]
            ^ TABLES[3][high & 0xFF] ^ TABLES[2][high >> 8 & 0xFF]
            ^ TABLES[1][high >> 16 & 0xFF] ^ TABLES[0][high >> 24]
        )
        data += 8
        size -= 8
    while size:
        crc = crc >> 8 ^ TABLES[0][(crc ^ data[0]) & 0xFF]
        data += 1
        size -= 1
    return ~crc


cdef uint32_t crc_joined(uint32_t first, uint32_t second, uint64_t second_size) noexcept nogil:
    # The crc of two strings behind each other, from theirs: what the first one leaves moves
    # second_size bytes on, which is a multiplication by x to the 8 * second_size.
    cdef int power = 3
    while second_size and power < 64:
        if second_size & 1:
            first = multiply(POWERS[power], first)
        second_size >>= 1
        power += 1
    return first ^ second


cdef int64_t crc_of(uint32_t crc, const unsigned char *data, size_t size) except -1:
    if size < LARGE:
        return crc_small(crc, data, size)
    return isal_crc32(view_of(data, size), crc)


cdef inline object view_of(const unsigned char *data, size_t size):
    return PyMemoryView_FromMemory(<char *>data, size, PyBUF_READ)


cdef size_t encode_header(unsigned char *to, int kind, uint64_t size) noexcept nogil:
    cdef size_t at = 0
    cdef unsigned char byte = <unsigned char>(kind << 4 | <int>(size & 15))
    size >>= 4
    while size:
        to[at] = byte | 0x80
        byte = size & 0x7F
        size >>= 7
        at += 1
    to[at] = byte
    return at + 1


cdef size_t encode_distance(unsigned char *to, uint64_t distance) noexcept nogil:
    # Highest group first; each continued group has one subtracted, so that no distance has
    # two encodings.
    cdef unsigned char groups[10]
    cdef size_t count = 1, at
    groups[0] = distance & 0x7F
    distance >>= 7
    while distance:
        distance -= 1
        groups[count] = 0x80 | (distance & 0x7F)
        distance >>= 7
        count += 1
    for at in range(count):
        to[at] = groups[count - 1 - at]
    return count


@cython.final
cdef class EntryWriter:
    """Writes entries to *fd* and owns it; *path* is for error messages.

    Raises PackError for what cannot be an entry, and when the file system refuses.
    """

    def __cinit__(self, int fd, path):
        self.fd, self.path = fd, path
        self.buffer = <unsigned char *>malloc(BUFFER)
        if self.buffer == NULL:
            raise MemoryError
        memcpy(self.buffer, b"PACK\0\0\0\2\0\0\0\0", HEADER)
        self.used = HEADER
        self.entry_offset = HEADER

    def __dealloc__(self):
        free(self.buffer)

    cdef int64_t c_append(
        self, int kind, uint64_t inflated_size, const unsigned char *payload,
        size_t packed_size, int64_t base_offset, int64_t payload_crc,
    ) except -1:
        self.c_begin(kind, inflated_size, base_offset)
        if payload_crc >= 0 and packed_size >= LARGE:
            self.put(payload, packed_size)
            self.running_crc = crc_joined(self.running_crc, <uint32_t>payload_crc, packed_size)
        else:
            self.c_extend(payload, packed_size)
        return self.c_end()

    cdef int64_t c_begin(self, int kind, uint64_t inflated_size, int64_t base_offset) except -1:
        cdef unsigned char header[ENTRY_HEADER]
        cdef uint64_t offset = self.c_offset()
        cdef size_t size
        if self.open_entry or self.sealed:
            raise PackError(f"{show(self.path)}: the entry before is not ended, or the pack is")
        if not 1 <= kind <= 4 or self.count == 0xFFFFFFFF:
            raise PackError(f"{show(self.path)}: no room for an object of type {kind}")
        if base_offset < 0:
            size = encode_header(header, kind, inflated_size)
        elif HEADER <= <uint64_t>base_offset < offset:
            size = encode_header(header, OFS_DELTA, inflated_size)
            size += encode_distance(header + size, offset - <uint64_t>base_offset)
        else:
            raise PackError(f"{show(self.path)}: delta base {base_offset} is not before {offset}")
        self.put(header, size)
        self.running_crc = crc_small(0, header, size)
        self.entry_offset = offset
        self.open_entry = True
        return offset

    cdef int c_extend(self, const unsigned char *piece, size_t size) except -1:
        if not self.open_entry:
            raise PackError(f"{show(self.path)}: no entry is begun")
        self.running_crc = crc_of(self.running_crc, piece, size)
        return self.put(piece, size)

    cdef int64_t c_end(self) except -1:
        if not self.open_entry:
            raise PackError(f"{show(self.path)}: no entry is begun")
        self.open_entry = False
        self.count += 1
        self.last_crc = self.running_crc
        return self.entry_offset

    cdef int put(self, const unsigned char *data, size_t size) except -1:
        if size > BUFFER - self.used:
            self.c_flush()
            if size >= BUFFER:
                return self.write_out(data, size)
        memcpy(self.buffer + self.used, data, size)
        self.used += size
        return 0

    cdef int c_flush(self) except -1:
        # Buffered bytes that could not be written are lost: after an error only abort is left,
        # and broken sees to it that a pack with a hole in it is never completed.
        cdef size_t size = self.used
        self.used = 0
        return self.write_out(self.buffer, size)

    cdef int write_out(self, const unsigned char *data, size_t size) except -1:
        cdef size_t written
        while size:
            try:
                written = os.write(self.fd, view_of(data, size))
            except OSError as error:
                self.broken = True
                raise PackError(f"cannot write {show(self.path)}: {error.strerror}") from error
            self.flushed += written
            data += written
            size -= written
        return 0

    def append(self, kind, inflated_size, payload, base_offset=-1, payload_crc=-1):
        cdef Py_buffer view
        PyObject_GetBuffer(payload, &view, PyBUF_SIMPLE)
        try:
            return self.c_append(
                kind, inflated_size, <const unsigned char *>view.buf, view.len, base_offset,
                payload_crc,
            )
        finally:
            PyBuffer_Release(&view)

    def begin(self, kind, inflated_size, base_offset=-1):
        return self.c_begin(kind, inflated_size, base_offset)

    def extend(self, piece):
        cdef Py_buffer view
        PyObject_GetBuffer(piece, &view, PyBUF_SIMPLE)
        try:
            self.c_extend(<const unsigned char *>view.buf, view.len)
        finally:
            PyBuffer_Release(&view)

    def end(self):
        return self.c_end()

    def undo(self):
        if self.sealed or self.entry_offset == self.c_offset():
            raise PackError(f"{show(self.path)}: there is no entry to take back")
        if self.entry_offset >= self.flushed:
            self.used = self.entry_offset - self.flushed
        else:
            try:
                os.ftruncate(self.fd, self.entry_offset)
                os.lseek(self.fd, self.entry_offset, os.SEEK_SET)
            except OSError as error:
                raise PackError(f"cannot write {show(self.path)}: {error.strerror}") from error
            self.flushed, self.used = self.entry_offset, 0
        self.count -= not self.open_entry
        self.open_entry = False

    def flush(self):
        self.c_flush()

    def begin_sync(self):
        """Have what was flushed go to the disk while something else is done.

        It says nothing of errors, and takes none from whoever syncs later.
        """
        start_writing(self.fd)

    def seal(self):
        if self.open_entry:
            raise PackError(f"{show(self.path)}: the last entry is not ended")
        if self.broken:
            raise PackError(f"{show(self.path)}: an earlier write failed")
        self.c_flush()
        self.sealed = True

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1  # the number may soon be another file's
        self.flushed, self.used = self.c_offset(), 0
        self.sealed, self.open_entry = True, False

    @property
    def offset(self):
        return self.c_offset()

    def read_at(self, offset, length):
        cdef uint64_t start, stop
        if offset < 0 or length < 0:
            raise PackError(f"{show(self.path)}: cannot read {length} bytes at {offset}")
        start = min(offset, self.c_offset())
        stop = min(offset + length, self.c_offset())
        if start >= self.flushed:
            return PyBytes_FromStringAndSize(
                <char *>self.buffer + (start - self.flushed), stop - start
            )
        pieces = []
        while start < min(stop, self.flushed):
            try:
                piece = os.pread(self.fd, min(stop, self.flushed) - start, start)
            except OSError as error:
                raise PackError(f"cannot read {show(self.path)}: {error.strerror}") from error
            if not piece:
                raise PackError(f"{show(self.path)}: the file became shorter")
            pieces.append(piece)
            start += len(piece)
        if stop > self.flushed:
            pieces.append(PyBytes_FromStringAndSize(<char *>self.buffer, stop - self.flushed))
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


cdef str show(object path):
    return os.fsdecode(path)
