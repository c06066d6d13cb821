from collections.abc import Container
from typing import final

from fastio.exporter._changes import ChangeTable
from fastio.exporter._path_filter import PathFilter
from fastio.objects.kinds import Oid
from fastio.store.object_reader import ObjectReader

@final
class TreeDiff:
    def __new__(
        cls,
        reader: ObjectReader,
        paths: PathFilter | None = None,
        *,
        hidden: Container[bytes] | None = None,
        lists_unchanged: bool = False,
        memory: int = ...,
        most_depth: int = ...,
    ) -> TreeDiff: ...
    @property
    def changes(self) -> ChangeTable: ...
    @property
    def lists_unchanged(self) -> bool: ...
    def compare(self, old: Oid | None, new: Oid | None) -> ChangeTable: ...
