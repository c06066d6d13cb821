from fastio.importer._bases import DeltaBases
from fastio.importer._blobs import BlobQueue
from fastio.importer._operations import Deferred, Operation
from fastio.importer._tree_line import TreeLine
from fastio.importer.committish import CommittishResolver
from fastio.importer.executor import Executor
from fastio.importer.object_sink import ObjectSink
from fastio.importer.pipeline import Pipeline
from fastio.stream._plain_commit import PlainCommit
from fastio.stream._plain_run import PlainRun

class LaneOperation(Operation): ...
class PlainOperation(LaneOperation): ...
class Beginning(LaneOperation): ...

class CommitLane(Deferred):
    line: TreeLine
    def __init__(
        self,
        queue: BlobQueue,
        bases: DeltaBases,
        pipeline: Pipeline,
        executor: Executor,
        sink: ObjectSink,
        resolver: CommittishResolver,
        few_batches: int,
        cores: int,
    ) -> None: ...
    def take_all(self, run: PlainRun) -> None: ...
    def take(self, commit: PlainCommit, lines: int) -> None: ...
