from collections.abc import Callable, Sequence
from typing import final

@final
class PathFilter:
    def __new__(
        cls, literals: Sequence[bytes], ask: Callable[[bytes, int], int] | None = None
    ) -> PathFilter: ...
    def wants(self, path: bytes, kind: int) -> int: ...
