from typing import Final, final

from fastio.exporter._records import RecordWriter
from fastio.exporter._walk import Walk
from fastio.exporter.options import ExportOptions

GOES_ON: Final[int]
BEHIND_BLOBS: Final[int]
AT_ONCE: Final[int]

@final
class CommitText:
    def __new__(cls, options: ExportOptions, oid_size: int = 20) -> CommitText: ...
    def write(self, out: RecordWriter, walk: Walk, row: int, body: bytes) -> int: ...
