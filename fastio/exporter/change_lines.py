"""A commit's changes as they stand in its record: blobs, then lines.

    D PATH
    M MODE MARK PATH     MODE has six octal digits; what has no mark is named by its oid
    R PATH PATH          followed by an M line if the file changed as well
    C PATH PATH

The order of the lines is git's but for one exception, by which no file is lost where a file becomes
a directory or the reverse: `fastio.exporter.line_order` tells it. It also deals with renames and
copies; commits without them, and without that exception, never leave the kernel.
"""

from __future__ import annotations

from fastio.exporter._change_lines import ChangeLines

__all__ = ["ChangeLines"]
