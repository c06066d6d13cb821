from libc.stdint cimport uint32_t, uint64_t

from fastio.store._idx cimport IndexView


cdef class MultiPackView(IndexView):
    cdef readonly list pack_names  # of their idx files

    # Number of the pack that has the object at *position*, in the order of the names. Nothing has
    # seen to it that there are so many packs.
    cdef uint32_t c_pack_at(self, uint32_t position) noexcept nogil
    cdef uint64_t chunk(self, dict chunks, bytes name, uint64_t size) except? 0
