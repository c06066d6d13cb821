from array import array

from typing_extensions import Buffer

def scan_blobs(
    data: Buffer,
    start: int,
    end: int,
    rows: array[int] | memoryview,
    *,
    base: int,
    max_size: int,
    max_line: int,
    optional_lf: bool,
) -> tuple[int, int, bool]: ...
