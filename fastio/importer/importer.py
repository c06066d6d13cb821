"""One import, from the first byte of the stream to the last ref."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence

from fastio.errors import (
    FastioError,
    MarksError,
    OptionError,
    SourceError,
    StreamError,
    UsageError,
    WorkerError,
)
from fastio.importer._bases import DeltaBases
from fastio.importer._blobs import BlobQueue
from fastio.importer._commit_lane import CommitLane
from fastio.importer._commit_queue import CommitQueue
from fastio.importer._mapped import MappedStream
from fastio.importer.big_blob import BigBlobWriter
from fastio.importer.blob_reader import BlobReader
from fastio.importer.branches import BranchTable
from fastio.importer.budget import Budget
from fastio.importer.clashes import ClashWatch
from fastio.importer.committish import CommittishResolver
from fastio.importer.encoder import Encoder
from fastio.importer.executor import Executor
from fastio.importer.intake import Intake
from fastio.importer.object_sink import ENTRY_ROOM, ObjectSink
from fastio.importer.options import ImportOptions, OptionReader
from fastio.importer.pipeline import Pipeline
from fastio.importer.places import placed
from fastio.importer.publish import Publisher
from fastio.importer.replies import Replies
from fastio.importer.signatures import SignaturePolicy
from fastio.importer.source import Source
from fastio.importer.submodules import match_rewrites
from fastio.objects.collisions import check_collisions
from fastio.objects.kinds import Oid
from fastio.store.config import Config
from fastio.store.marks_file import read_marks
from fastio.store.object_cache import ObjectCache
from fastio.store.objects import ObjectStore
from fastio.store.pack_writer import PackWriter
from fastio.store.ref_names import is_reserved
from fastio.store.repository import Repository
from fastio.store.revisions import Revisions
from fastio.stream import commands as c
from fastio.stream.excerpt import visible_lines
from fastio.stream.parser import NEED_DATA, StreamParser
from fastio.stream.reader import Step
from workers.arena import Arena
from workers.errors import ArenaError
from workers.tasks import Settings

READ_SIZE = 1 << 20
MOST_MAPPED = 1 << 25  # bytes of a mapped stream that a process keeps in its memory
MAX_LINES = 200  # so many are kept without asking which of them are needed
# Behind these another command begins, which may be a plain one unless it is of the same kind.
BETWEEN_COMMANDS = {c.Blob: b"", c.CommitEnd: b"", c.Reset: b"reset ", c.Tag: b"tag "}
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
        self.repository, self.options, self._words = repository, options, words
        self.progress: Callable[[str], None] = lambda _phase: None
        self.before_message: Callable[[], None] = lambda: None
        self.before_workers: Callable[[], None] = lambda: None
        self.phases: dict[str, float] = {}
        self._phase_start = time.monotonic()
        self.checkpoint_requested = False
        config = repository.config
        _check(config)
        self._depth = config.depth(DEFAULT_DEPTH)
        level = config.pack_level if options.compression is None else options.compression
        self._level, self._threshold = level, config.big_file_threshold
        self._budget = Budget(options.memory)
        cache = ObjectCache(self._budget.objects)
        self.store = ObjectStore(repository, cache=cache, warn=self._warn)
        self.sink = ObjectSink(
            repository.object_format,
            self.store,
            self._open_pack,
            depth=self._depth,
            level=level,
            tree_cache=self._budget.trees,
        )
        self.branches = BranchTable(lambda name: is_reserved(name, repository.git_dir))
        self._revisions = Revisions(repository.git)
        self._resolver = CommittishResolver(self.sink, self.branches, self._revisions)
        self._clashes = ClashWatch(
            repository.git, self.branches, lambda: self._pipeline.place, self._warn
        )
        self.executor = Executor(
            repository,
            self.sink,
            self.branches,
            self._resolver,
            SignaturePolicy(repository, options, self._warn),
            self._clashes,
        )
        self.publisher = Publisher(repository, options, self.sink, self.executor, self._say)
        self._reader = OptionReader(options, self._marks_directory, self._warn)
        self.parser = StreamParser(keep_lines=True)
        self.parser.header_ended = self._apply_command_line
        self.encoder: Encoder | None = None
        self.queue: BlobQueue | None = None
        self._big = BigBlobWriter(
            self.sink, os.path.join(repository.objects_dir, b"pack"), self._level
        )
        self._pipeline: Pipeline
        self._intake: Intake | None = None
        self._mapped: MappedStream | None = None
        self._confirm: Callable[[], None] = lambda: None

    # --- the run --------------------------------------------------------------------------------

    def run(self, source: Source) -> int:
        """Import all of *source*; returns the exit status.

        What goes wrong is told on stderr, never raised; refs move only at the end (and at
        checkpoints), so that after a fatal error they are as they were.
        """
        try:
            self._map(source)
            self._read_all(source)
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

    def _read_all(self, source: Source) -> None:
        while (command := self._next_command()) is not None:
            if command is NEED_DATA:
                self._read(source)
                self._take_quickly(source)
                continue
            kind = type(command)
            if kind is c.Feature or kind is c.Option:
                try:
                    self._header(command)
                except StreamError as error:
                    raise placed(error, self.parser.place) from error
                continue
            if kind is c.Done:
                break
            self._dispatch(command, kind)
            same = BETWEEN_COMMANDS.get(kind)
            if same is not None and not (same and self.parser.comes_next(same)):
                self._take_quickly(source)
        intake = self._intake or self._start()
        assert self.queue is not None
        intake.check_complete()
        self.queue.submit_held()
        self._pipeline.drain()

    def _next_command(self) -> Step | None:
        try:
            return self.parser.next_command()
        except StreamError:
            self._catch_up()
            raise

    def _catch_up(self) -> None:
        """Execute what came before bad input: if that is wrong as well, it was wrong first."""
        if self.queue is not None:
            self.queue.submit_held()
            self._pipeline.drain()

    def _dispatch(self, command: c.Command, kind: type) -> None:
        intake = self._intake or self._start()
        intake.handle(command)
        self._checkpoint_if_asked(intake)

    def _checkpoint_if_asked(self, intake: Intake) -> None:
        if self.checkpoint_requested and not intake.in_commit:
            self.checkpoint_requested = False
            intake.checkpoint()

    def _take_quickly(self, source: Source) -> None:
        """Take what fast paths take, and read on until there is something else.

        So a frontend that asks, commits and asks again is answered without the parser's steps.
        """
        parser = self.parser
        while True:
            if (question := parser.take_question()) is not None:
                self._dispatch(question, type(question))
                may_read = not parser.bytes_left
            elif parser.is_between:
                left, intake = parser.bytes_left, self._intake or self._start()
                may_read = intake.take_plain()
                self._checkpoint_if_asked(intake)
                if not may_read and parser.bytes_left == left:
                    return
            else:
                return
            if may_read:
                self._read(source)

    def _read(self, source: Source) -> None:
        """Do what can be done meanwhile, and read what there is."""
        parser = self.parser
        if self.queue is not None:
            self._pipeline.step()
        if parser.lines_kept > MAX_LINES:
            parser.drop_lines((self.queue and self._pipeline.next_place) or parser.place)
        if self._clashes.has_new and not source.is_ready():
            self._clashes.look()
        try:
            count = source.advance(READ_SIZE) or source.read_into(parser.get_buffer(READ_SIZE))
        except StreamError as error:
            self._catch_up()
            place = parser.bytes_read, parser.command_number, 0
            raise placed(error, place) from error
        if count:
            parser.buffer_updated(count)
            self.progress("reading")
            if self._clashes.has_new:  # the stream is more than a few commits, or waits for us
                self._clashes.look()
        else:
            parser.feed_eof()

    # --- options and start ----------------------------------------------------------------------

    def _header(self, command: c.Command) -> None:
        if isinstance(command, c.Feature):
            self._reader.feature(command.name, command.value)
        elif isinstance(command, c.Option) and command.git_option is not None:
            self._reader.stream_option(command.git_option)
        self.parser.date_format = self.options.date_format
        self.parser.require_done = self.options.done

    def _marks_directory(self) -> str:
        return os.path.join(os.fsdecode(self.repository.common_dir), "info", "fast-import")

    def _apply_command_line(self) -> None:
        """Let the command line override the stream's header, before the first command is read."""
        for word in self._words:
            try:
                self._reader.command_line(word)
            except StreamError as error:
                raise OptionError(error.reason) from error
        options = self.options
        self.parser.date_format = options.date_format
        self.parser.require_done = options.done
        if options.depth is not None:
            self.sink.trees.depth = self._depth = options.depth
        self._import_marks()
        self._resolver.rewrites = match_rewrites(options.rewrite_from, options.rewrite_to)

    def _start(self) -> Intake:
        """Build what the commands need; the command line has been applied by now."""
        options, budget, config = self.options, self._budget, self.repository.config
        arena = _reserve(budget.arena)
        settings = Settings(object_format=self.repository.object_format.name, level=self._level)
        workers = options.workers if options.workers is not None else os.cpu_count() or 1
        self._big.threads = workers
        if self._mapped is not None:
            # What lies there needs no room in the arena.
            most = min(budget.bases // max(workers, 1), MOST_MAPPED)
            arena.attach(self._mapped, self._mapped.release, most)
        encoder = self.encoder = Encoder(arena, settings, workers=workers)
        encoder.before_workers = self.before_workers
        self.sink.commits = CommitQueue(self.sink, arena, encoder, budget.commits)
        pipeline = self._pipeline = Pipeline(encoder, in_flight=budget.in_flight)
        pipeline.confirm = self._confirm
        queue = self.queue = pipeline.queue = BlobQueue(
            arena,
            self.sink.map,
            self.sink.marks,
            encoder=encoder,
            wait=pipeline.wait,
            search=self.store.search,
            depth_limit=self._depth,
            hold_bytes=budget.hold,
            hold_count=budget.hold_count,
            batch_bytes=budget.batch(workers),
        )
        encoder.describe = queue.describe
        self._limit_packs(queue)
        queue.set_pack(self.sink.pack.entries, self.sink.pack_number)
        bases = DeltaBases(queue, limit=budget.bases, depth=self._depth)
        queue.assign_pathless = bases.assign_pathless
        replies = Replies(
            options,
            self.sink,
            self._resolver,
            self.executor,
            BlobReader(self.sink, pipeline),
            quote_high=config.quote_path,
        )
        replies.before_progress = self.before_message
        threshold = options.big_file_threshold or self._threshold
        largest = min(threshold, budget.largest_blob)
        # Nor may a fast path take a larger one.
        self.parser.piece_size = min(self.parser.piece_size, largest)
        self._intake = Intake(
            self.parser,
            pipeline,
            queue,
            bases,
            self.executor,
            replies,
            self._big,
            CommitLane(queue, bases, pipeline, self.executor, self.sink, self._resolver),
            largest=largest,
            publish=self._checkpoint,
        )
        return self._intake

    def _limit_packs(self, queue: BlobQueue) -> None:
        limit = self.options.max_pack_size
        if limit is None:
            limit = self.repository.config.pack_size_limit

        def turn_pack() -> None:
            self.publisher.close_pack()
            self.sink.next_pack()
            queue.entries.continue_in(self.sink.pack.entries, self.sink.pack_number)

        self.sink.pack_limit, self.sink.turn_pack = limit, turn_pack
        queue.entries.limit_packs(max(1, limit - ENTRY_ROOM) if limit else 0, turn_pack)

    def _import_marks(self) -> None:
        for marks in self.options.import_marks:
            try:
                self._read_marks(marks.path)
            except FileNotFoundError as error:
                if not marks.if_exists:
                    raise MarksError(f"cannot read '{marks.path}': {error.strerror}") from error
        self.publisher.marks_complete = True

    def _read_marks(self, path: str) -> None:
        for mark, oid in read_marks(path, self.repository.object_format.oid_size):
            kind = self.sink.kind_of(oid)
            if kind is None:
                raise MarksError(f"{path}: object of mark :{mark} not found: {oid.hex()}")
            self.sink.marks.set(mark, self.sink.note_elsewhere(Oid(oid), kind))

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

    def _checkpoint(self) -> None:
        assert self.queue is not None
        self.publisher.checkpoint()
        self.queue.set_pack(self.sink.pack.entries, self.sink.pack_number)

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

        diagnosis = Diagnostician(
            self.parser,
            self.executor,
            self.sink,
            self.repository.config,
            None if self.queue is None else self._pipeline,
        ).diagnose(error)
        self._say(b"".join(line.encode() + b"\n" for line in diagnosis.lines()))
        if self.queue is not None and isinstance(error, StreamError) and error.offset >= 0:
            with contextlib.suppress(FastioError):  # one is enough
                self._pipeline.finish_at(error.offset)
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
        if self.encoder is not None:
            self.encoder.close()
        self._big.close()
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
        config.shared_permissions,
        *(config.protect_ntfs, config.protect_hfs, config.quote_path),
    )


def _reserve(size: int) -> Arena:
    try:
        return Arena(size)
    except ArenaError as error:
        raise WorkerError(f"cannot reserve {size} bytes for blobs: {error}") from error
