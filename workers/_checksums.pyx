# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The checksums of zlib streams and of packs' entries, for kernels: Adler-32 and CRC-32.

Of a few bytes they are sooner done here than a library is called.

Source: RFC 1950, RFC 1952.
"""

from libc.stdint cimport int16_t, int64_t, uint32_t

cdef enum:
    ADLER_BASE = 65521
    ADLER_RUN = 4096  # bytes; no sum of so many overflows
    LANE = 32  # bytes that are summed side by side

cdef int16_t weights[LANE]
cdef uint32_t crc_tables[8][256]  # of a byte that so many others follow


cdef void fill_tables() noexcept nogil:
    cdef uint32_t value, i
    cdef int behind, _bit
    for i in range(LANE):
        weights[i] = LANE - i
    for i in range(256):
        value = i
        for _bit in range(8):
            value = (value >> 1) ^ (<uint32_t>0xEDB88320 * (value & 1))
        crc_tables[0][i] = value
    for behind in range(1, 8):
        for i in range(256):
            value = crc_tables[behind - 1][i]
            crc_tables[behind][i] = crc_tables[0][value & 0xFF] ^ (value >> 8)


fill_tables()


cdef uint32_t c_adler32(uint32_t adler, const unsigned char *data, int64_t size) noexcept nogil:
    cdef uint32_t low = adler & 0xFFFF, high = adler >> 16, sums, weighted
    cdef int64_t run, i
    cdef int k
    while size:
        run = min(size, <int64_t>ADLER_RUN)
        size -= run
        while run >= LANE:
            sums = weighted = 0
            for k in range(LANE):
                sums += data[k]
                weighted += <int16_t>data[k] * weights[k]
            high += LANE * low + weighted
            low += sums
            data += LANE
            run -= LANE
        for i in range(run):
            low += data[i]
            high += low
        data += run
        low %= ADLER_BASE
        high %= ADLER_BASE
    return high << 16 | low


cdef uint32_t c_crc32(const unsigned char *data, int64_t size) noexcept nogil:
    cdef uint32_t crc = 0xFFFFFFFF
    cdef int64_t i
    while size >= 8:  # eight bytes at a time, which look up their tables side by side
        crc ^= (
            <uint32_t>data[0] | <uint32_t>data[1] << 8
            | <uint32_t>data[2] << 16 | <uint32_t>data[3] << 24
        )
        crc = (
            crc_tables[7][crc & 0xFF] ^ crc_tables[6][crc >> 8 & 0xFF]
            ^ crc_tables[5][crc >> 16 & 0xFF] ^ crc_tables[4][crc >> 24]
            ^ crc_tables[3][data[4]] ^ crc_tables[2][data[5]]
            ^ crc_tables[1][data[6]] ^ crc_tables[0][data[7]]
        )
        data += 8
        size -= 8
    for i in range(size):
        crc = crc_tables[0][(crc ^ data[i]) & 0xFF] ^ (crc >> 8)
    return ~crc


def adler32(const unsigned char[::1] data):
    """Return the Adler-32 checksum of *data*."""
    return c_adler32(1, &data[0] if data.shape[0] else NULL, data.shape[0])


def crc32(const unsigned char[::1] data):
    """Return the CRC-32 checksum of *data*."""
    return c_crc32(&data[0] if data.shape[0] else NULL, data.shape[0])
