from array import array

def scan_blobs(
    data: bytearray | bytes | memoryview,
    start: int,
    end: int,
    rows: array[int] | memoryview,
    *,
    base: int,
    max_size: int,
    max_line: int,
    optional_lf: bool,
) -> tuple[int, int, bool]: ...
