from collections.abc import Iterable, Mapping

from fastio.exporter._commit_table import CommitTable
from fastio.exporter.marks import MarkTable
from fastio.exporter.walk import Walk
from fastio.objects.kinds import Oid

class DateWalk:
    def __init__(self, table: CommitTable) -> None: ...
    def run(
        self,
        starts: Iterable[tuple[Oid, bool]],
        names: Mapping[Oid, bytes],
        marks: MarkTable | None,
    ) -> Walk: ...

class GraphWalk:
    def __init__(self, table: CommitTable) -> None: ...
    def run(
        self,
        starts: Iterable[tuple[Oid, bool]],
        names: Mapping[Oid, bytes],
        marks: MarkTable | None,
    ) -> Walk: ...
