from typing_extensions import Buffer

MOST: int

def deflate_small(data: Buffer) -> bytes | None: ...
