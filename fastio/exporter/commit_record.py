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
from fastio.exporter.pathspec import limits_of
from fastio.exporter.records import RecordWriter
from fastio.exporter.submodules import hidden_submodules
from fastio.exporter.tree_diff import TreeDiff

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.exporter.changes import ChangeTable
    from fastio.exporter.diff_options import DiffOptions
    from fastio.exporter.options import ExportOptions
    from fastio.exporter.revisions import Plan
    from fastio.store.object_reader import ObjectReader
    from fastio.store.repository import Repository

__all__ = ["CommitRecords", "commit_records"]

# What fits in the cache of a core beside what reads trees: with 18 MB hardly fewer are read again,
# and all of git's history takes a tenth longer.
_MOST_TREES = 4 << 20


def commit_records(
    repository: Repository,
    plan: Plan,
    options: ExportOptions,
    reader: ObjectReader,
    *,
    memory: int,
) -> CommitRecords:
    """Put together what makes records.

    Args:
        repository: What is exported.
        plan: What of it.
        options: Those of the export.
        reader: Reads objects.
        memory: Bytes that trees, and what renames are found by, may take.
    """
    writer = RecordWriter(reader.oid_size)
    lines = ChangeLines(
        writer,
        with_data=not options.no_data,
        full_tree=options.full_tree,
        quote_high=repository.config.quote_path,
        names_first=options.anonymize,
    )
    return CommitRecords(
        plan.walk,
        reader,
        CommitText(options, reader.oid_size),
        TreeDiff(
            reader,
            limits_of(repository, () if plan.full_diff else plan.paths),
            hidden=hidden_submodules(repository, plan.diff.ignore_submodules),
            lists_unchanged=plan.diff.harder,
            memory=min(memory // 2, _MOST_TREES),
            most_depth=repository.config.max_tree_depth,
        ),
        lines,
        writer,
        finish=_finisher(repository, plan.diff, reader, memory // 2),
        excluded_parents=options.reference_excluded_parents,
        full_tree=options.full_tree,
        reverse=plan.diff.reverse,
    )


def _finisher(
    repository: Repository, options: DiffOptions, reader: ObjectReader, memory: int
) -> Callable[[ChangeTable], None] | None:
    """Return what has to be done with each table of changes; mostly that is nothing."""
    if not (options.renames or options.break_scores or options.statuses or options.harder):
        return None
    from fastio.exporter.attributes import TextAttribute  # noqa: PLC0415 - few exports need them
    from fastio.exporter.renames import finish_changes  # noqa: PLC0415
    from fastio.exporter.similarity import Similarity  # noqa: PLC0415

    similarity = Similarity(reader, memory=memory, is_text=TextAttribute(repository))
    return lambda table: finish_changes(table, options, similarity)
