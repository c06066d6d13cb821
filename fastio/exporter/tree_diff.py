"""What two trees differ in, file by file, as git's recursive diff tells it.

Files are compared and directories entered; a directory that is the same on both sides is never
read. A file and a directory of one name are two different things: one goes, the files of the other
come. Rows are in ascending order of paths, which is the order of trees.

Modes are git's canonical ones, so that entries which differ only in odd permission bits are equal.
A tree that is not sorted, or in which a name stands twice, is compared as it is stored, as git
does: both sides are gone through at once, an entry that should come before the other side's has
gone or is new, and so a file may be told twice. One that cannot be read at all is an error.
"""

from __future__ import annotations

from fastio.exporter._path_filter import PathFilter
from fastio.exporter._tree_diff import TreeDiff

__all__ = ["PathFilter", "TreeDiff"]
