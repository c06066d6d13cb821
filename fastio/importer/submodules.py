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


def read_rewrites(old_files: Mapping[str, str], new_files: Mapping[str, str]) -> dict[Oid, Oid]:
    """Read which oid to write for which oid in the stream.

    Args:
        old_files: Paths of the marks files with the stream's oids, by the submodule's name.
        new_files: Paths of those with the oids to write. Names that only this one has have no
            effect, but their files must be readable as well.

    Raises:
        MarksError: A file cannot be read, or has no partner, or a mark of an old oid has none.
    """
    rewrites: dict[Oid, Oid] = {}
    new_oids = {name: _read(path) for name, path in new_files.items()}
    for name, path in old_files.items():
        if name not in new_oids:
            raise MarksError(f"--rewrite-submodules-from={name} without its -to")
        new = new_oids[name]
        for mark, oid in _read(path).items():
            if mark not in new:
                raise MarksError(f"mark :{mark} of {path} is missing in {new_files[name]}")
            rewrites[oid] = new[mark]
    return rewrites


def _read(path: str) -> dict[int, Oid]:
    try:
        return dict(read_marks(path, None))
    except FileNotFoundError as error:
        raise MarksError(f"cannot read marks file {path}: {error.strerror}") from error
