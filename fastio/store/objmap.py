"""The object map: which object lies where, for everything that the import has met.

Theory of operation
-------------------
An *entry* is 14 bytes of place (crc32, offset in 48 bits, pack number, type, chain depth) and the
raw oid behind them. Entries stand in chunks of 4096 in the order of insertion; an entry's *id* is
its number, a uint32 that never changes, so marks and branches keep ids instead of oids. Only the
last chunk is ever reallocated, by a sixteenth of the map at a time.

The index above them is 256 hash tables ("shards", by the oid's first byte) of 4-byte slots with
linear probing. A slot holds ``id + 1`` in its low bits and fills the rest with a tag of further oid
bits, so a look-up of an absent oid costs one cache miss and a present one costs two. The more
entries, the more bits the ids need and the smaller the tags: a shard is rewritten with wider ids
when an id no longer fits. A shard doubles when it is four fifths full; that is 1/256 of the map,
and so no insert ever waits for the whole of it.

Two pack numbers are none: an object ELSEWHERE is the repository's and has no place here; one that
is PENDING is going to have its place, and until then what stands there is its keeper's business.

Cost, SHA-1: 34 bytes an entry and 5 to 10 bytes of slots, 44 at most when the map is large.
"""

from __future__ import annotations

from fastio.store._objmap import ELSEWHERE, PENDING, ObjectMap

__all__ = ["ELSEWHERE", "PENDING", "ObjectMap"]
