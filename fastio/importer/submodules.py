"""Rewriting of submodule oids: ``--rewrite-submodules-from`` and ``-to``.

A submodule's history was imported before, maybe into another object format, and every commit got a
new oid. Two marks files per submodule tell which: the same mark stands in one for the old oid, in
the other for the new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.errors import MarksError
from fastio.store.marks_file import read_marks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastio.objects.kinds import Oid


def read_submodule_marks(path: str) -> dict[int, Oid]:
    """Read one of the files.

    Raises:
        MarksError: It cannot be read.
    """
    try:
        return dict(read_marks(path, None))
    except FileNotFoundError as error:
        raise MarksError(f"cannot read marks file {path}: {error.strerror}") from error


def match_rewrites(
    old_marks: Mapping[str, Mapping[int, Oid]], new_marks: Mapping[str, Mapping[int, Oid]]
) -> dict[Oid, Oid]:
    """Tell which oid to write for which oid in the stream.

    For an oid that has several marks, the first name and the lowest mark count.

    Args:
        old_marks: The stream's oids by their marks, by the submodule's name.
        new_marks: The oids to write, likewise. Names that only this one has are ignored.

    Raises:
        MarksError: A file has no partner, or a mark of an old oid has none.
    """
    rewrites: dict[Oid, Oid] = {}
    for name, old in sorted(old_marks.items()):
        if name not in new_marks:
            raise MarksError(f"--rewrite-submodules-from={name} without its -to")
        new = new_marks[name]
        for mark, oid in sorted(old.items()):
            if mark not in new:
                raise MarksError(f"mark :{mark} of submodule {name} has no oid to rewrite to")
            rewrites.setdefault(oid, new[mark])
    return rewrites
