"""Records: what a worker makes of a commit, final text but for the marks.

Marks are numbered in the order of the stream, which only the coordinator knows. So a worker leaves
holes where marks belong, and `fastio.exporter.fill` fills them. A record is

    u32 size of the record | u32 number of blobs | parts | oids of the blobs

The blobs are those of the commit in path order; each that has no mark yet gets one, and its record
in the stream stands before the commit's text. A part is

    u32 n | n bytes of text | u8 hole | [oid, or u32 n and n bytes]

Holes are END (the last part's), OWN (the mark of the commit itself, taken at that moment: after all
its blobs got theirs), OF (the mark of the oid that follows), WARN (a warning follows, for stderr)
and DIE (the reason of a fatal error follows: what stands before it is written, then the export
ends). Numbers have the machine's byte order: records never leave it.
"""

from __future__ import annotations

from fastio.exporter._records import RecordWriter

__all__ = ["DIE", "END", "OF", "OWN", "WARN", "RecordWriter"]

END, OWN, OF, WARN, DIE = range(5)
