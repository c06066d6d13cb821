from typing import Protocol, final

from fastio.exporter._changes import ChangeTable
from fastio.exporter._records import RecordWriter

class Replacements(Protocol):
    def path(self, path: bytes) -> bytes: ...
    def oid(self, oid: bytes) -> bytes: ...

@final
class ChangeLines:
    def __new__(
        cls,
        writer: RecordWriter,
        *,
        with_data: bool = True,
        full_tree: bool = False,
        quote_high: bool = True,
        replacements: Replacements | None = None,
    ) -> ChangeLines: ...
    def write_blobs(self, table: ChangeTable) -> None: ...
    def write_lines(self, table: ChangeTable) -> None: ...
