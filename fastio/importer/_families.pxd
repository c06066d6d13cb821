from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef struct Place:
    uint32_t tag  # more bits of the feature that lies here
    uint32_t family  # 0: free


cdef class Families:
    cdef Place *places
    cdef uint32_t count

    cdef uint32_t c_join(self, const unsigned char *data, int64_t size) noexcept
    cdef Place *place_of(self, int number, uint64_t feature) noexcept
    cdef uint32_t majority(self, const uint64_t *features) noexcept
