"""What a commit changes, file by file: the rows between comparing trees and writing lines.

A `ChangeTable` is filled by the comparison of two trees, in ascending order of paths, thinned out
(``--diff-filter``) and paired (``-M``, ``-C``) in place, and read by what writes lines. Rows are
numbered from 0. Compiled code reads them as they are (``_changes.pxd``), the rest of Python as
`Change`.

Pairs are what rename detection gives back: ``(status, source row, destination row)``.
"""

from __future__ import annotations

from fastio.exporter._changes import ChangeTable
from fastio.objects.kinds import Oid
from fastio.records import record

__all__ = ["Change", "ChangeTable", "changes_of"]


@record
class Change:
    """A row of a table.

    Attributes:
        status: ``A`` added, ``D`` deleted, ``M`` modified, ``T`` another kind of file, ``R``
            renamed, ``C`` copied; ``U``: not changed at all, only there to be copied from.
        path: The file that is told of, in the new tree if it is there at all.
        source: Where its old side stands, which is *path* but for ``R`` and ``C``.
        old_mode: 0o100644, 0o100755, 0o120000 or 0o160000 (a submodule); 0 for no old side.
        new_mode: The same for the new side.
        old_oid: All zeros for no old side.
        new_oid: All zeros for no new side.
    """

    status: str
    path: bytes
    source: bytes
    old_mode: int
    new_mode: int
    old_oid: Oid
    new_oid: Oid


def changes_of(table: ChangeTable) -> list[Change]:
    """Return all rows of *table*."""
    return [Change(*table.row(number)) for number in range(len(table))]
