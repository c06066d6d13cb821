from collections.abc import Callable
from typing import final

from fastio.exporter._sides import Side
from fastio.store.object_reader import ObjectReader

@final
class Profile: ...

@final
class Similarity:
    def __new__(
        cls,
        reader: ObjectReader,
        *,
        memory: int,
        is_text: Callable[[bytes], bool | None] | None = None,
    ) -> Similarity: ...
    def score(self, old: Side, new: Side, minimum: int) -> int: ...
    def best_sources(
        self, destinations: list[Side], sources: list[Side], minimum: int
    ) -> list[tuple[int, bool, int, int]]: ...
    def copied_and_added(self, old: Side, new: Side) -> tuple[int, int]: ...
    def size(self, side: Side) -> int: ...

def chunk_sums(data: bytes, *, as_text: bool) -> dict[int, int]: ...
