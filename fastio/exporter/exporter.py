"""One export, from the revision arguments to the marks file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fastio.errors import WorkerError
from fastio.exporter.budget import Budget
from fastio.exporter.crew import Crew, load_pool
from fastio.exporter.fill import Filler
from fastio.exporter.final_records import deletion_records, ref_records
from fastio.exporter.marks import MarkTable, export_marks, import_marks
from fastio.exporter.pipeline import Pipeline
from fastio.exporter.revisions import read_plan
from fastio.exporter.work import Work
from fastio.store.object_cache import ObjectCache
from fastio.store.objects import ObjectStore
from workers.arena import Arena
from workers.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fastio.exporter.anonymize import Anonymizer
    from fastio.exporter.fill import Filled
    from fastio.exporter.options import ExportOptions
    from fastio.exporter.output import Output
    from fastio.exporter.revisions import Plan
    from fastio.store.repository import Repository

__all__ = ["Exporter"]


class Exporter:
    """Writes the stream of one repository.

    Args:
        repository: What is exported.
        options: Our own options.
        arguments: Revisions, paths and options of git's.
        output: Takes the stream.
        stdin: Reads standard input, for ``--stdin``.
        warn: Is told warnings.

    Attributes:
        tell_blobs: Puts records of blobs into the text, which are not read then; for those who read
            them by themselves.
        look: Is called now and then while commits are written.
        before_workers: Is called before the first worker is forked.
    """

    def __init__(
        self,
        repository: Repository,
        options: ExportOptions,
        arguments: Sequence[str],
        output: Output,
        *,
        stdin: Callable[[], bytes],
        warn: Callable[[str], None],
    ) -> None:
        self._repository, self._options, self._arguments = repository, options, arguments
        self._output, self._stdin, self._warn = output, stdin, warn
        workers = options.workers if options.workers is not None else os.cpu_count() or 1
        self._budget = Budget(options.memory, workers)
        self._store = ObjectStore(repository, cache=ObjectCache(self._budget.slow), warn=warn)
        self._marks = MarkTable(repository.object_format.oid_size)
        self._crew: Crew | None = None
        self.tell_blobs: Callable[[Filled], bytes] | None = None
        self.look: Callable[[Pipeline], None] = lambda _pipeline: None
        self.before_workers: Callable[[], None] = lambda: None

    def run(self) -> None:
        """Write all of the stream.

        Raises:
            FastioError: The export ends here; what stands before that in the stream is written.
        """
        for _ in self.steps():
            pass

    def steps(self) -> Iterator[None]:
        """Write the stream bit by bit; what is yielded is a moment to look at the output."""
        options = self._options
        plan = read_plan(
            self._repository,
            self._store,
            options,
            self._arguments,
            budget=self._budget,
            read_marks=self._begin,
            stdin=self._stdin,
            warn=self._warn,
            meanwhile=load_pool if self._budget.workers else None,
        )
        if options.import_marks is not None and plan.paths:
            options.full_tree = True
        oid_size = plan.walk.oid_size
        filler = Filler(self._marks, oid_size=oid_size, progress=options.progress)
        anonymizer = self._make_anonymizer(oid_size) if options.anonymize else None
        yield from self._write_commits(plan, filler, anonymizer)
        self._write_refs(plan, filler, anonymizer)
        export_marks(options, self._repository, self._marks, self._warn)
        if options.use_done_feature:
            self._put(b"done\n")

    def _begin(self) -> MarkTable | None:
        """Begin the stream, now that the command line is understood."""
        self._options.check()
        if self._options.use_done_feature:
            self._put(b"feature done\n")
        self._marks = import_marks(self._options, self._repository, self._store, self._warn)
        return self._marks if len(self._marks) else None

    @property
    def workers(self) -> list[int]:
        """Process ids of the workers."""
        return [] if self._crew is None else self._crew.pids

    def _put(self, text: bytes) -> None:
        self._output.write([text])

    def _write_commits(
        self, plan: Plan, filler: Filler, anonymizer: Anonymizer | None
    ) -> Iterator[None]:
        options, budget = self._options, self._budget
        ahead = self._store.commits_ahead
        budget.divide(0 if ahead is None else ahead[0].used)
        work = Work(self._repository, self._store, plan, options, budget)
        try:
            arena = Arena(budget.arena)
        except ArenaError as error:
            raise WorkerError(f"cannot reserve {budget.arena} bytes for blobs: {error}") from error
        self._crew = Crew(arena, work, workers=budget.workers, before_workers=self.before_workers)
        pipeline = Pipeline(
            work,
            self._crew,
            arena,
            filler,
            self._output,
            budget,
            anonymizer=anonymizer,
            tell_blobs=self.tell_blobs if anonymizer is None else self._blob_teller(anonymizer),
            warn=self._warn,
            look=self.look,
        )
        try:
            yield from pipeline.steps([] if options.no_data else plan.tagged_blobs)
        finally:
            self._crew.close()

    def _make_anonymizer(self, oid_size: int) -> Anonymizer:
        from fastio.exporter.anonymize import Anonymizer  # noqa: PLC0415 - few exports need it

        return Anonymizer(
            self._options.anonymize_map or {},
            oid_size=oid_size,
            quote_high=self._repository.config.quote_path,
        )

    def _blob_teller(self, anonymizer: Anonymizer) -> Callable[[Filled], bytes]:
        original_oids = self._options.show_original_ids
        return lambda filled: anonymizer.blob_records(
            filled.text, filled.blobs, original_oids=original_oids
        )

    def _write_refs(self, plan: Plan, filler: Filler, anonymizer: Anonymizer | None) -> None:
        """Write what stands behind the commits: refs, tags, deletions."""
        refs = ref_records(
            plan.refs,
            walk=plan.walk,
            options=self._options,
            marks=self._marks,
            settle=plan.settle,
            count=filler.count,
            anonymizer=anonymizer,
        )
        for record in refs:
            self._put(record)
        if plan.tags:
            self._write_tags(plan, anonymizer)
        for record in deletion_records(plan.deletions, plan.walk.oid_size):
            self._put(record)

    def _write_tags(self, plan: Plan, anonymizer: Anonymizer | None) -> None:
        from fastio.exporter.tags import TagWriter  # noqa: PLC0415 - an increment has none mostly

        writer = TagWriter(
            self._store, self._options, self._marks, plan.settle, self._warn, anonymizer
        )
        for tag in reversed(plan.tags):
            self._put(writer.write(tag))
