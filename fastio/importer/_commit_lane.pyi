from fastio.importer._bases import DeltaBases
from fastio.importer._blob_tables import Blob
from fastio.importer._blobs import BlobQueue
from fastio.importer.committish import CommittishResolver
from fastio.importer.executor import Executor
from fastio.importer.object_sink import ObjectSink
from fastio.importer.pipeline import Pipeline
from fastio.stream._plain_commit import PlainCommit
from fastio.stream.parser import Place

class CommitLane:
    def __init__(
        self,
        queue: BlobQueue,
        bases: DeltaBases,
        pipeline: Pipeline,
        executor: Executor,
        sink: ObjectSink,
        resolver: CommittishResolver,
    ) -> None: ...
    def take(self, commit: PlainCommit, place: Place) -> None: ...
    def execute(self, commit: PlainCommit, blobs: list[Blob | None]) -> None: ...
    def hand_over(self, commit: PlainCommit, blobs: list[Blob | None]) -> None: ...
