"""What an export is about: from the revision arguments to the table of commits.

This is the second pass over the command line and all that must be known before the first commit is
written: refs, tags, tagged blobs, path limits, and the walk itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastio.exporter.budget import Budget
from fastio.exporter.collection import Collection, ListedTag
from fastio.exporter.diff_options import DiffOptions
from fastio.exporter.marks import MarkTable
from fastio.exporter.native_walk import can_walk, walk_natively
from fastio.exporter.options import ExportOptions
from fastio.exporter.refspecs import Refspecs
from fastio.exporter.rev_words import RevisionReader
from fastio.exporter.settling import Settler
from fastio.exporter.walk import Walk
from fastio.objects.kinds import Oid
from fastio.records import record
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository


@record
class Plan:
    """All that is known before the first commit is written.

    Attributes:
        walk: The commits, in export order.
        refs: Plain refs and their commits, ascending by name.
        tags: Tag objects in the order in which they were met.
        tagged_blobs: Blobs to write before any commit, in order; one may come twice.
        paths: Path limits as written, relative to where we were started; empty for none.
        full_diff: Whether they limit the walk only, and not what is told of a commit.
        diff: How files are compared.
        deletions: Names of the refs that refspecs delete.
        settle: Gives the commit that a ref is to point at, which is not its own if that one was
            filtered by path; None if nothing is left of it.
    """

    walk: Walk
    refs: list[tuple[bytes, Oid]]
    tags: list[ListedTag]
    tagged_blobs: list[Oid]
    paths: tuple[bytes, ...]
    full_diff: bool
    diff: DiffOptions
    deletions: list[bytes]
    settle: Callable[[Oid], Oid | None]


def read_plan(
    repository: Repository,
    store: ObjectStore,
    options: ExportOptions,
    arguments: Sequence[str],
    *,
    budget: Budget,
    read_marks: Callable[[], MarkTable | None] = lambda: None,
    stdin: Callable[[], bytes],
    warn: Callable[[str], None],
    meanwhile: Callable[[], None] | None = None,
) -> Plan:
    """Understand the revision arguments, and walk.

    Args:
        repository: What to export from.
        store: Its objects.
        options: Our own options.
        arguments: What they left of the command line.
        budget: How much memory the walk may take.
        read_marks: Gives the imported marks, None if there are none; called once the arguments are
            understood.
        stdin: Reads all of standard input; called for ``--stdin``.
        warn: Is told what goes to stderr as a warning.
        meanwhile: Is called where the walk is a long one, when a thread has begun with its part.

    Raises:
        FastioError: git would not take the arguments, or an object cannot be read.
        UsageError: There is an option that nobody knows.
    """
    refspecs = Refspecs(options.refspecs, repository.object_format.oid_size)
    reader = RevisionReader(repository, arguments, stdin)
    reader.read()
    marks = read_marks()
    collection = Collection(repository.git, store, refspecs, warn)
    collection.collect(reader.starts)

    walk = _walk(repository, store, reader, collection, marks or None, budget, warn, meanwhile)
    settler = Settler(
        repository,
        walk,
        collection.lines,
        reader.walk_options,
        reader.late_options,
        reader.paths,
    )
    return Plan(
        walk,
        sorted(collection.refs.items()),
        collection.tags,
        collection.tagged_blobs,
        tuple(reader.paths),
        reader.full_diff,
        reader.diff,
        refspecs.deletions(),
        settler.settle,
    )


def _walk(
    repository: Repository,
    store: ObjectStore,
    reader: RevisionReader,
    collection: Collection,
    marks: MarkTable | None,
    budget: Budget,
    warn: Callable[[str], None],
    meanwhile: Callable[[], None] | None,
) -> Walk:
    """Walk by ourselves where that can be, else by git."""
    options = [*reader.walk_options, *reader.late_options]
    if can_walk(repository, options, reader.paths):
        walk = walk_natively(
            repository, store, collection, marks=marks, budget=budget, meanwhile=meanwhile
        )
        if walk is not None:
            return walk
    from fastio.exporter.log_walk import check_options, walk_by_log  # noqa: PLC0415 - as seldom

    if collection.commits or reader.walks_elsewhere:
        return walk_by_log(
            repository,
            collection,
            options=reader.walk_options,
            late_options=reader.late_options,
            paths=reader.paths,
            marks=marks,
            warn=warn,
        )
    if options:
        check_options(repository, options)
    return Walk(repository.object_format.oid_size)
