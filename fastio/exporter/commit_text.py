"""The text of a commit up to its parents: what workers make of a commit object.

`CommitText.write` puts everything from ``reset`` to the last ``merge`` into a record (see
`fastio.exporter.records`); the changes of files are for others to add. As in git,

* the author is the first line that begins ``author ``, but for the very first line, wherever it is,
  and the committer is the first such line behind that; both are copied raw;
* headers are looked at from there to the first empty line: the first ``encoding``, and signatures
  behind it; all others are dropped;
* everything from the first NUL byte on is lost.

A message that is to be converted goes through the C library's ``iconv``, which is what git asks: so
the same names are known, and the same bytes are refused.
"""

from __future__ import annotations

from fastio.exporter._commit_text import AT_ONCE, BEHIND_BLOBS, GOES_ON, CommitText

__all__ = ["AT_ONCE", "BEHIND_BLOBS", "GOES_ON", "CommitText"]
