from typing import Final

TREE_OVERHEAD: Final[int]

class TreeCache:
    def __new__(cls, oid_size: int, limit: int) -> TreeCache: ...
