"""The mark table: from a mark of the stream (``:1``) to an entry id of the object map.

Theory of operation
-------------------
Marks are any numbers of 64 bits; most frontends count up from 1, some count down from 2^64 - 1,
some leave gaps. Ids are kept in pages for 64 neighbouring marks, and the pages in a hash table by
page number, so a mark costs about 4.5 bytes where marks are dense and 300 where each stands alone.
The page used last is remembered: marks in order cost no hashing.
"""

from __future__ import annotations

from fastio.store._marks import MarkTable

__all__ = ["MarkTable"]
