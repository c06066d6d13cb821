"""The parts that take a stream's commands, put together once its header has said how."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from fastio.errors import WorkerError
from fastio.importer._bases import DeltaBases
from fastio.importer._blobs import BlobQueue
from fastio.importer._commit_lane import CommitLane
from fastio.importer._commit_queue import CommitQueue
from fastio.importer.big_blob import BigBlobWriter
from fastio.importer.blob_reader import BlobReader
from fastio.importer.encoder import Encoder
from fastio.importer.intake import Intake
from fastio.importer.object_sink import ENTRY_ROOM
from fastio.importer.pipeline import Pipeline
from fastio.importer.replies import Replies
from workers.arena import Arena
from workers.errors import ArenaError
from workers.tasks import Settings

if TYPE_CHECKING:
    from fastio.importer._mapped import MappedStream
    from fastio.importer.budget import Budget
    from fastio.importer.committish import CommittishResolver
    from fastio.importer.executor import Executor
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.options import ImportOptions
    from fastio.importer.publish import Publisher
    from fastio.store.repository import Repository
    from fastio.stream.parser import StreamParser

FEW_BATCHES: Final = 8  # batches of trees that are worth no thread of their own
MOST_MAPPED: Final = 1 << 25  # bytes of a mapped stream that a process keeps in its memory


class Assembly:
    """Encoder, pipeline, blob queue and intake of one import.

    Args:
        repository: Where it goes.
        options: How; complete by now.
        budget: Shares of the memory.
        level: Compression level.
        sink: Stores objects.
        resolver: Knows what names stand for.
        executor: Has the operations.
        publisher: Closes packs that are full, and publishes at a checkpoint.
        parser: Gives the commands.
        mapped: The stream, if it lies in memory.
    """

    def __init__(
        self,
        repository: Repository,
        options: ImportOptions,
        budget: Budget,
        level: int,
        sink: ObjectSink,
        resolver: CommittishResolver,
        executor: Executor,
        publisher: Publisher,
        parser: StreamParser,
        mapped: MappedStream | None,
    ) -> None:
        self._sink, self._publisher = sink, publisher
        config, depth = repository.config, sink.trees.depth
        arena = _reserve(budget.arena)
        settings = Settings(object_format=repository.object_format.name, level=level)
        workers = options.workers if options.workers is not None else os.cpu_count() or 1
        if mapped is not None:
            # What lies there needs no room in the arena.
            most = min(budget.bases // max(workers, 1), MOST_MAPPED)
            arena.attach(mapped, mapped.release, most)
        encoder = self.encoder = Encoder(arena, settings, workers=workers)
        sink.commits = CommitQueue(sink, arena, encoder, budget.commits)
        pipeline = self.pipeline = Pipeline(encoder, in_flight=budget.in_flight)
        queue = self.queue = pipeline.queue = BlobQueue(
            arena,
            sink.map,
            sink.marks,
            encoder=encoder,
            wait=pipeline.wait,
            search=sink.store.search,
            depth_limit=depth,
            hold_bytes=budget.hold,
            hold_count=budget.hold_count,
            batch_bytes=budget.batch(workers),
        )
        encoder.describe = queue.describe
        limit = options.max_pack_size
        self._limit_packs(config.pack_size_limit if limit is None else limit)
        queue.set_pack(sink.pack.entries, sink.pack_number)
        bases = DeltaBases(queue, limit=budget.bases, depth=depth)
        queue.assign_pathless = bases.assign_pathless
        reader = BlobReader(sink, pipeline)
        self.replies = Replies(
            options, sink, resolver, executor, reader, quote_high=config.quote_path
        )
        threshold = options.big_file_threshold or config.big_file_threshold
        largest = min(threshold, budget.largest_blob)
        # Nor may a fast path take a larger one.
        parser.piece_size = min(parser.piece_size, largest)
        packs = os.path.join(repository.objects_dir, b"pack")
        self._big = BigBlobWriter(sink, packs, level)
        self._big.threads = workers
        lane = CommitLane(
            queue, bases, pipeline, executor, sink, resolver, FEW_BATCHES, cores() if workers else 1
        )
        pipeline.deferred = self._lane = lane
        self.intake = Intake(
            parser,
            pipeline,
            queue,
            bases,
            executor,
            self.replies,
            self._big,
            lane,
            largest=largest,
            publish=self._checkpoint,
        )

    def _limit_packs(self, limit: int) -> None:
        queue, sink = self.queue, self._sink

        def turn_pack() -> None:
            self._publisher.close_pack()
            sink.next_pack()
            queue.entries.continue_in(sink.pack.entries, sink.pack_number)

        sink.pack_limit, sink.turn_pack = limit, turn_pack
        queue.entries.limit_packs(max(1, limit - ENTRY_ROOM) if limit else 0, turn_pack)

    def _checkpoint(self) -> None:
        self._publisher.checkpoint()
        self.queue.set_pack(self._sink.pack.entries, self._sink.pack_number)

    def close(self) -> None:
        """End workers and threads."""
        self.encoder.close()
        self._lane.line.close()
        self._big.close()


def cores() -> int:
    """Return how many the machine has."""
    return os.cpu_count() or 1


def _reserve(size: int) -> Arena:
    try:
        return Arena(size)
    except ArenaError as error:
        raise WorkerError(f"cannot reserve {size} bytes for blobs: {error}") from error
