cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t


@cython.final
cdef class EntryWriter:
    cdef unsigned char *buffer
    cdef size_t used
    cdef uint32_t running_crc  # of the entry that begin() started
    cdef readonly object path
    cdef readonly int fd
    cdef readonly uint64_t flushed  # bytes that are in the file already
    cdef readonly uint64_t entry_offset  # where the last entry starts
    cdef readonly uint32_t count
    cdef readonly uint32_t last_crc  # of the last entry, header included
    cdef readonly bint open_entry  # begun and not ended
    cdef readonly bint sealed  # takes no more entries
    cdef readonly bint broken  # bytes were lost when the file system refused them

    # Append one whole entry; gives its offset. With base_offset >= 0 it becomes an ofs-delta and
    # inflated_size is that of the delta. payload_crc is the crc32 of the packed payload, or -1
    # where nobody has computed it yet. Raises PackError (disk full and such).
    cdef int64_t c_append(
        self, int kind, uint64_t inflated_size, const unsigned char *payload,
        size_t packed_size, int64_t base_offset, int64_t payload_crc,
    ) except -1
    # The same in steps, for a payload that comes in pieces.
    cdef int64_t c_begin(self, int kind, uint64_t inflated_size, int64_t base_offset) except -1
    cdef int c_extend(self, const unsigned char *piece, size_t size) except -1
    cdef int64_t c_end(self) except -1
    cdef int c_flush(self) except -1
    cdef int put(self, const unsigned char *data, size_t size) except -1
    cdef int write_out(self, const unsigned char *data, size_t size) except -1

    cdef inline uint64_t c_offset(self) noexcept nogil:
        # Where the next entry will start.
        return self.flushed + self.used
