"""One import, from the first byte of the stream to the last ref."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fastio.errors import FastioError, SourceError, StreamError, UsageError
from fastio.importer.assembly import Assembly
from fastio.importer.branches import BranchTable
from fastio.importer.budget import Budget
from fastio.importer.clashes import ClashWatch
from fastio.importer.committish import CommittishResolver
from fastio.importer.executor import Executor
from fastio.importer.header import Header
from fastio.importer.object_sink import ObjectSink
from fastio.importer.options import ImportOptions
from fastio.importer.publish import Publisher
from fastio.importer.reading import Reading
from fastio.importer.signatures import SignaturePolicy
from fastio.importer.source import Source
from fastio.objects.collisions import check_collisions
from fastio.store.config import Config
from fastio.store.object_cache import ObjectCache
from fastio.store.objects import ObjectStore
from fastio.store.pack_writer import PackWriter
from fastio.store.ref_names import is_reserved
from fastio.store.repository import Repository
from fastio.store.revisions import Revisions
from fastio.stream.excerpt import visible_lines
from fastio.stream.parser import StreamParser

if TYPE_CHECKING:
    from fastio.importer._blobs import BlobQueue
    from fastio.importer._mapped import MappedStream
    from fastio.importer.encoder import Encoder
    from fastio.importer.intake import Intake
    from fastio.stream.parser import Place

DEFAULT_DEPTH = 50


class Importer:
    """Reads a stream into a repository.

    Args:
        repository: Where the objects and refs go.
        options: Options that are known already; stream and command line fill in the rest.
        words: git's options of the command line, applied once the stream's own are read.

    Attributes:
        progress: Is called about once a read with the phase's name.
        before_message: Is called before anything is written for a person to read, on stderr or as a
            ``progress`` line: what stands on the terminal may have to give way.
        before_workers: Is called before workers are forked, if they ever are.
        phases: Wall seconds by phase, in order.
    """

    def __init__(
        self,
        repository: Repository,
        options: ImportOptions,
        words: Sequence[str] = (),
    ) -> None:
        if options.sha1_collision_check:
            check_collisions()
        self.repository, self.options = repository, options
        self.progress: Callable[[str], None] = lambda _phase: None
        self.before_message: Callable[[], None] = lambda: None
        self.before_workers: Callable[[], None] = lambda: None
        self.phases: dict[str, float] = {}
        self._phase_start = time.monotonic()
        config = repository.config
        _check(config)
        level = config.pack_level if options.compression is None else options.compression
        self._level = level
        self._budget = Budget(options.memory)
        cache = ObjectCache(self._budget.objects)
        self.store = ObjectStore(repository, cache=cache, warn=self._warn)
        self.sink = ObjectSink(
            repository.object_format,
            self.store,
            self._open_pack,
            depth=config.depth(DEFAULT_DEPTH),
            level=level,
            tree_cache=self._budget.trees,
        )
        self.branches = BranchTable(lambda name: is_reserved(name, repository.git_dir))
        self._revisions = Revisions(repository.git)
        self._resolver = CommittishResolver(self.sink, self.branches, self._revisions)
        clashes = ClashWatch(repository.git, self.branches, self._place, self._warn)
        self.executor = Executor(
            repository,
            self.sink,
            self.branches,
            self._resolver,
            SignaturePolicy(repository, options, self._warn),
            clashes,
        )
        self.publisher = Publisher(repository, options, self.sink, self.executor, self._say)
        self.parser = StreamParser(keep_lines=True)
        header = Header(
            repository,
            options,
            words,
            self.parser,
            self.sink,
            self._resolver,
            self.publisher,
            self._warn,
        )
        self.parser.header_ended = header.end
        self._reading = Reading(self.parser, header.take, self._begin, clashes)
        self._reading.progress = lambda: self.progress("reading")
        self._parts: Assembly | None = None
        self._mapped: MappedStream | None = None
        self._confirm: Callable[[], None] = lambda: None

    @property
    def queue(self) -> BlobQueue | None:
        """Has the blobs; None before the first command."""
        return None if self._parts is None else self._parts.queue

    @property
    def encoder(self) -> Encoder | None:
        """Has the workers; None before the first command."""
        return None if self._parts is None else self._parts.encoder

    def _place(self) -> Place:
        """Where the command stands that is being executed."""
        assert self._parts is not None
        return self._parts.pipeline.place

    # --- the run --------------------------------------------------------------------------------

    def run(self, source: Source) -> int:
        """Import all of *source*; returns the exit status.

        What goes wrong is told on stderr, never raised; refs move only at the end (and at
        checkpoints), so that after a fatal error they are as they were.
        """
        try:
            self._map(source)
            self._reading.run(source)
            self._end_phase("stream")
            status = self._finish()
        except UsageError as error:
            self.sink.pack.abort()
            self._say(b"usage: %s\n" % os.fsencode(str(error)))
            status = error.exit_status
        except FastioError as error:
            status = self._die(self._cause_of(error))
        except BaseException:
            self.sink.pack.abort()
            self.publisher.remove_keep_files()
            raise
        finally:
            self._close()
        return status

    def _map(self, source: Source) -> None:
        """Let the parser read the stream's file where it lies in memory, if it can be mapped."""
        self._mapped = source.map()
        if self._mapped is not None:
            self.parser.use(self._mapped)
            self.publisher.confirm = source.confirm
            self._confirm = source.confirm

    def request_checkpoint(self) -> None:
        """Publish what there is as soon as no commit is open; a signal handler may ask."""
        self._reading.wants_checkpoint = True

    def _begin(self) -> Intake:
        parts = self._parts = Assembly(
            self.repository,
            self.options,
            self._budget,
            self._level,
            self.sink,
            self._resolver,
            self.executor,
            self.publisher,
            self.parser,
            self._mapped,
        )
        parts.encoder.before_workers = self.before_workers
        parts.replies.before_progress = self.before_message
        parts.pipeline.confirm = self._confirm
        return parts.intake

    def _open_pack(self) -> PackWriter:
        fsync = self.repository.config.fsync
        return PackWriter(
            os.path.join(self.repository.objects_dir, b"pack"),
            self.repository.object_format,
            fsync=fsync.pack,
            fsync_idx=fsync.pack_metadata,
            permissions=self.repository.config.shared_permissions,
        )

    # --- ends -----------------------------------------------------------------------------------

    def _finish(self) -> int:
        publisher = self.publisher
        self.progress("writing the pack's index")
        self.sink.write_pending()
        publisher.close_pack()
        self._end_phase("pack")
        self.progress("updating refs")
        publisher.update_refs()
        publisher.remove_keep_files()
        publisher.export_marks()
        self._end_phase("refs")
        return 1 if publisher.result.failed else 0

    def _cause_of(self, error: FastioError) -> FastioError:
        """Find out whether the stream's file has changed: then it may be all that is wrong."""
        try:
            self._confirm()
        except SourceError as changed:
            return changed
        return error

    def _die(self, error: FastioError) -> int:
        """Report a fatal error, keep what can be kept, change no ref."""
        from fastio.importer.crash_report import write_crash_report  # noqa: PLC0415 - mostly in vain
        from fastio.importer.diagnosis import Diagnostician  # noqa: PLC0415

        pipeline = None if self._parts is None else self._parts.pipeline
        if pipeline is not None:
            with contextlib.suppress(FastioError):  # as before: one is enough
                pipeline.settle()
        diagnosis = Diagnostician(
            self.parser,
            self.executor,
            self.sink,
            self.repository.config,
            pipeline,
        ).diagnose(error)
        self._say(b"".join(line.encode() + b"\n" for line in diagnosis.lines()))
        if pipeline is not None and isinstance(error, StreamError) and error.offset >= 0:
            with contextlib.suppress(FastioError):  # one is enough
                pipeline.finish_at(error.offset)
        try:
            path = write_crash_report(
                self.repository.git_dir, diagnosis, self.options, self.executor, self.sink
            )
            self._say(b"fast-import: dumping crash report to %s\n" % self.repository.shown(path))
        except OSError as failure:
            self._say(b"error: can't write crash report: %s\n" % os.fsencode(str(failure)))
        if isinstance(error, SourceError):
            self.publisher.abandon()
        else:
            self.publisher.rescue()
        return error.exit_status if error.exit_status > 1 else FastioError.exit_status

    def _close(self) -> None:
        if self._parts is not None:
            self._parts.close()
        self._revisions.close()
        self.store.close()
        self.publisher.close()

    def _end_phase(self, name: str) -> None:
        now = time.monotonic()
        self.phases[name] = now - self._phase_start
        self._phase_start = now

    def _warn(self, text: str) -> None:
        self._say(b"warning: %s\n" % os.fsencode(text))

    def _say(self, text: bytes) -> None:
        self.before_message()
        # That nobody can read it is no reason to end an import.
        with contextlib.suppress(OSError):
            os.write(2, visible_lines(text).encode())


def _check(config: Config) -> None:
    """Refuse bad values before anything is made: some are needed only at the end."""
    _ = (
        *(config.unpack_limit, config.index_version, config.pack_level, config.fsync),
        *(config.shared_permissions, config.big_file_threshold),
        *(config.protect_ntfs, config.protect_hfs, config.quote_path),
    )
