"""A commit's record, from its row of the walk: the one place where all parts of it come together.

The commit is read and its text written; its tree is compared with its first parent's, if that has a
mark or is named by its oid, and otherwise with nothing; its blobs are named, and its changes
written. What cannot be read becomes the record's end, and the export's: so it is told in its place
of the stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.exporter._commit_record import CommitRecords
from fastio.exporter.change_lines import ChangeLines
from fastio.exporter.commit_text import CommitText
from fastio.exporter.records import RecordWriter
from fastio.exporter.tree_diff import TreeDiff

if TYPE_CHECKING:
    from fastio.exporter.options import ExportOptions
    from fastio.exporter.revisions import Plan
    from fastio.store.object_reader import ObjectReader

__all__ = ["CommitRecords", "commit_records"]


def commit_records(
    plan: Plan, options: ExportOptions, reader: ObjectReader, *, quote_high: bool
) -> CommitRecords:
    """Put together what makes records.

    Args:
        plan: What is exported.
        options: Those of the export.
        reader: Reads objects.
        quote_high: Whether bytes from 0x80 on are escaped in paths.
    """
    writer = RecordWriter(reader.oid_size)
    lines = ChangeLines(
        writer,
        with_data=not options.no_data,
        full_tree=options.full_tree,
        quote_high=quote_high,
    )
    return CommitRecords(
        plan.walk,
        reader,
        CommitText(options, reader.oid_size),
        TreeDiff(reader, lists_unchanged=plan.diff.harder),
        lines,
        writer,
        excluded_parents=options.reference_excluded_parents,
        full_tree=options.full_tree,
        reverse=plan.diff.reverse,
    )
