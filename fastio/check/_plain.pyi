from typing import final

from typing_extensions import Buffer

from fastio.store._marks import MarkTable

@final
class PlainScan:
    blobs: int
    commits: int
    def __init__(self, marks: MarkTable, refs: set[bytes], *, dates_are_raw: bool) -> None: ...
    def scan(
        self,
        data: Buffer,
        start: int,
        end: int,
        *,
        max_line: int,
        max_data: int,
        optional_lf: bool,
    ) -> tuple[int, int, bool]: ...
