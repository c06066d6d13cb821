"""The shared arena: raw blobs in, delta bases kept, payloads out.

One anonymous shared mapping is made before the workers fork; it is at the same address in every
process, uses no file and no ``/dev/shm``, and ends with the last process that has it. Only the
coordinator allocates and frees. What lies in memory anyway, a mapped file say, can be attached.
"""

from __future__ import annotations

from workers._arena import Arena

__all__ = ["Arena"]
