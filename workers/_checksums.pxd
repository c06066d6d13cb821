from libc.stdint cimport int64_t, uint32_t

# Continue an Adler-32 checksum (RFC 1950), which starts with 1.
cdef uint32_t c_adler32(uint32_t adler, const unsigned char *data, int64_t size) noexcept nogil

# The CRC-32 of bytes (RFC 1952).
cdef uint32_t c_crc32(const unsigned char *data, int64_t size) noexcept nogil
