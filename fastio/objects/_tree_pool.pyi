from fastio.objects._tree_cache import TreeCache

class TreePool(TreeCache): ...

def strip_versions(
    versions: list[bytes], oid_size: int
) -> list[tuple[bytes | None, bytes, list[int]]]: ...
