from collections.abc import Callable, Iterable, Mapping
from typing import final

from fastio.exporter._commit_table import CommitTable
from fastio.exporter.walk import Walk
from fastio.objects.kinds import Oid

@final
class NativeWalk:
    def __init__(self, table: CommitTable) -> None: ...
    def run(
        self,
        starts: Iterable[tuple[Oid, bool]],
        names: Mapping[Oid, bytes],
        is_marked: Callable[[Oid], bool] | None,
    ) -> Walk: ...
    def date_of(self, commit: int) -> int: ...
