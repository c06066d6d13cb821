"""How similar two files are, as git estimates it: by what they are made of, whatever its order.

A file is cut into chunks, which end with a line or after 64 bytes. Each chunk has a number below
107,927, a hash of its bytes. What two files have in common is estimated as the bytes in chunks of
equal numbers. Scores go from 0 to 60,000.

Cutting is what costs, so the chunks of a blob are kept, by its oid, for what comes next in history:
nearly all that a commit changes is changed by one of the commits after it again. Of a pair that
differs too much in size nothing is read.

Whether a CR before an LF counts depends on whether a file is text, and so may hang on the ``diff``
attribute of its path; this is asked for only where a file has such a CR.
"""

from __future__ import annotations

from fastio.exporter._sides import Side
from fastio.exporter._similarity import Similarity

__all__ = ["Side", "Similarity"]
