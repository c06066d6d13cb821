from collections.abc import Iterator
from typing import final

HELD: int
SUBMITTED: int
ACCEPTED: int

@final
class Blob:
    mark: int
    stream_offset: int
    size: int
    packed_size: int
    entry: int
    base: Blob | None
    depth: int
    state: int
    generation: int
    paths: int

@final
class BlobMap:
    def __len__(self) -> int: ...
    def get(self, number: int) -> Blob | None: ...
    def set(self, number: int, blob: Blob) -> int: ...
    def pop(self, number: int) -> Blob | None: ...
    def discard(self, number: int, blob: Blob) -> bool: ...

@final
class BlobRing:
    count: int
    def __len__(self) -> int: ...
    def push(self, blob: Blob) -> int: ...
    def pop(self) -> Blob | None: ...

@final
class LiveBlobs:
    count: int
    def __len__(self) -> int: ...
    def __contains__(self, blob: Blob, /) -> bool: ...
    def __iter__(self) -> Iterator[Blob]: ...
