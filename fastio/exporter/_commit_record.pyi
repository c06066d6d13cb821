from collections.abc import Callable

from typing_extensions import Buffer

from fastio.exporter.change_lines import ChangeLines
from fastio.exporter.changes import ChangeTable
from fastio.exporter.commit_text import CommitText
from fastio.exporter.records import RecordWriter
from fastio.exporter.tree_diff import TreeDiff
from fastio.exporter.walk import Walk
from fastio.store.object_reader import ObjectReader

class CommitRecords:
    def __init__(
        self,
        walk: Walk,
        reader: ObjectReader,
        text: CommitText,
        trees: TreeDiff,
        lines: ChangeLines,
        writer: RecordWriter,
        *,
        finish: Callable[[ChangeTable], None] | None = None,
        excluded_parents: bool = False,
        full_tree: bool = False,
        reverse: bool = False,
    ) -> None: ...
    def make(self, first: int, count: int, room: Buffer | None = None) -> bytes: ...
