GET_MARK: int
CAT_BLOB: int
LS: int

def scan_question(
    data: bytearray, start: int, end: int, max_line: int, in_commit: bool
) -> tuple[int, int | bytes | None, bytes | None, bytes] | None: ...
