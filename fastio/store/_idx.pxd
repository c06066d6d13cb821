cimport cython
from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastio.store._objmap cimport ObjectMap


cdef class IndexView:
    cdef Py_buffer buffer
    cdef bint held
    cdef const unsigned char *fan_out  # 256 big-endian running counts
    cdef const unsigned char *names  # the first oid
    cdef const unsigned char *crcs  # NULL in version 1
    cdef const unsigned char *offsets
    cdef const unsigned char *large_offsets
    cdef uint64_t large_count
    cdef size_t name_stride, offset_stride
    cdef readonly uint32_t count
    cdef readonly int version
    cdef readonly int oid_size
    # A finer fan-out, where there is one: how many oids come before those that begin with a number
    # of so many bits, which leave *fine_shift* of the first 64.
    cdef uint32_t *fine
    cdef int fine_shift

    # Have a fan-out with a few oids for each of its counts; for who will look up many of them.
    cdef void c_refine(self) noexcept nogil
    # Place of *oid* in the sorted list, or -1.
    cdef int64_t c_position(self, const unsigned char *oid) noexcept nogil
    # Have what `c_position` looks at first loaded, where there is a finer fan-out: first that, for
    # an oid that is *far* from being looked up, then the names it leads to.
    cdef void c_foresee(self, const unsigned char *oid, bint far) noexcept nogil
    # Offset of the entry at *position*; -2 when the idx is damaged there.
    cdef int64_t c_offset_at(self, uint32_t position) noexcept nogil
    # Offset of *oid*'s entry in the pack, -1 when it is not there, -2 when the idx is damaged.
    cdef int64_t c_find(self, const unsigned char *oid) noexcept nogil
    cdef void let_go_of_fine(self) noexcept nogil
    cdef bint guess(self, uint64_t key, int64_t *first, int64_t *end) noexcept nogil
    cdef int lay_out(self, const unsigned char *start, uint64_t size) except -1
    cdef int64_t known(self, object position) except -1
    cdef int64_t damaged(self) except -1


cdef struct Key  # in the pyx


@cython.final
cdef class SortedIds:
    cdef ObjectMap map
    cdef uint32_t *ids  # by bucket, unsorted within
    cdef uint32_t *ends  # where each bucket starts in ids, and the end of the last one
    cdef Key *keys  # one bucket, sorted
    cdef uint32_t buckets, bucket, largest, large_count
    cdef int shift
    cdef uint32_t first_bytes[256]  # how many oids begin with each
    cdef readonly uint32_t count
    cdef readonly uint64_t last_offset  # the largest one
    cdef uint32_t bucket_of(self, uint32_t id) noexcept nogil
    cdef uint32_t sort_bucket(self) noexcept nogil
    cdef void prefetch(self, uint32_t number) noexcept nogil
