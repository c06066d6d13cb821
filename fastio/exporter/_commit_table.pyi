from collections.abc import Callable

from fastio.errors import ObjectError
from fastio.exporter._mark_table import MarkTable
from fastio.store.commit_graph import CommitGraph
from fastio.store.object_reader import ObjectReader

class UnusualCommitError(ObjectError): ...

class CommitTable:
    def __init__(
        self,
        reader: ObjectReader,
        graph: CommitGraph | None = None,
        *,
        ahead: int = 0,
        meanwhile: Callable[[], None] | None = None,
        ended: MarkTable | None = None,
    ) -> None: ...
    @property
    def oid_size(self) -> int: ...
    def is_closed(self, marks: MarkTable) -> bool: ...
