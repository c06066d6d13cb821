from collections.abc import Callable

from fastio.importer.encoder import Encoder
from fastio.store._entries import EntryWriter
from fastio.store._marks import MarkTable
from fastio.store._objmap import ObjectMap
from workers._arena import Arena

HELD: int
SUBMITTED: int
ACCEPTED: int

class Blob:
    mark: int
    stream_offset: int
    size: int
    entry: int
    base: Blob | None
    depth: int
    state: int
    generation: int
    paths: int

class BlobQueue:
    pending: dict[int, Blob]
    live: set[Blob]
    held_bytes: int
    in_flight: int
    submitted: int
    accepted: int
    stored: int
    duplicates: int
    deltas: int
    redone: int
    raw_bytes: int
    def __init__(
        self,
        arena: Arena,
        object_map: ObjectMap,
        marks: MarkTable,
        *,
        encoder: Encoder,
        make_room: Callable[[int], None],
        find_packed: Callable[[bytes], bool] | None,
        oid_size: int,
        depth_limit: int,
        hold_bytes: int,
        hold_count: int,
    ) -> None: ...
    def set_pack(self, entries: EntryWriter, pack_number: int) -> None: ...
    def set_find_packed(self, find_packed: Callable[[bytes], bool] | None) -> None: ...
    def admit(self, buffer: memoryview, rows: memoryview) -> None: ...
    def open(self, mark: int, size: int, stream_offset: int) -> Blob: ...
    def fill(self, blob: Blob, at: int, data: memoryview) -> None: ...
    def settled(self, mark: int, entry: int) -> Blob: ...
    def hold(self, blob: Blob) -> None: ...
    def forget_mark(self, mark: int) -> None: ...
    def submit_held(self) -> None: ...
    def submit(self, blob: Blob, base: Blob | None) -> None: ...
    def flush(self) -> None: ...
    def accept(self, limit: int) -> None: ...
    def pin(self, blob: Blob) -> None: ...
    def unpin(self, blob: Blob) -> None: ...
    def end_at(self, offset: int) -> None: ...
    def describe(self, task: bytes) -> str: ...
    def compact(self) -> None: ...
    def content(self, blob: Blob) -> bytes | None: ...
    @property
    def waiting(self) -> int: ...
