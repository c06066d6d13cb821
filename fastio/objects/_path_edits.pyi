from typing import Literal

from fastio.objects.kinds import Oid

class Trees:
    oid_size: int
    def __init__(self, oid_size: int, limit: int = 0) -> None: ...
    def load(self, oid: Oid) -> bytes: ...
    def store(self, tree: bytes, base: Oid | None, delta: bytes | None) -> Oid: ...

def edit_paths(
    trees: Trees,
    root: Oid | None,
    changes: list[tuple[bytes, int, bytes]],
    *,
    emptied: bool = False,
) -> Oid | Literal[False] | None: ...
