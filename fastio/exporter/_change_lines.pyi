from typing import final

from fastio.exporter._changes import ChangeTable
from fastio.exporter._records import RecordWriter

@final
class ChangeLines:
    def __new__(
        cls,
        writer: RecordWriter,
        *,
        with_data: bool = True,
        full_tree: bool = False,
        quote_high: bool = True,
        names_first: bool = False,
    ) -> ChangeLines: ...
    def write_blobs(self, table: ChangeTable) -> None: ...
    def write_lines(self, table: ChangeTable) -> None: ...
