"""The fast path: what is plainly in order is read in one compiled loop, many commands at once.

Nearly all of a stream is blobs and commits in their usual spelling, with marks that are declared
and paths that need no second look. They are read here as far as it takes to know that, and their
marks declared. All else is left to the parser, which says what is wrong, if anything is: a command
with an odd line as a whole, and one behind which no command seems to start, as then the length of
its data is in doubt. That nothing is passed over which the parser would tell of is what tests hold.
"""

from __future__ import annotations

from fastio.check._plain import PlainScan

__all__ = ["PlainScan"]
