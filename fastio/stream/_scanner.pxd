from libc.stdint cimport int64_t, uint64_t


cdef struct BlobScan:
    const unsigned char *first  # where the bytes lie
    int64_t at  # how far it has come
    int64_t end
    int64_t base  # where in the stream the first one stands
    int64_t max_size
    int64_t max_line
    bint optional_lf  # whether one is still to be skipped


# Read up to *max_count* blobs into *rows*, four numbers each; return how many there are.
cdef int64_t c_scan_blobs(BlobScan *scan, uint64_t *rows, int64_t max_count) noexcept nogil
