"""The entry writer: pack entries on their way into the file, from compiled code or from Python.

Theory of operation
-------------------
An entry is a header (type and inflated size, seven bits a byte), for an ofs-delta the distance to
its base, and the packed payload, whose size is written nowhere. Entries collect in a buffer of
1 MiB and reach the descriptor when it is full; larger payloads pass by it. The crc32 that an idx
wants covers the whole entry: small payloads are summed by a table here, large ones by ISA-L, and
where a worker has summed the payload already the two sums are joined without reading it again.

``begin``, ``extend``, ``end`` write an entry whose payload comes in pieces; ``undo`` takes the last
entry back, also one that is not ended. After an error of the file system only closing is left.
"""

from __future__ import annotations

from fastio.store._entries import EntryWriter

__all__ = ["EntryWriter"]
