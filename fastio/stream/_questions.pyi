from typing_extensions import Buffer

GET_MARK: int
CAT_BLOB: int
LS: int

def scan_question(
    data: Buffer, start: int, end: int, max_line: int, in_commit: bool
) -> tuple[int, int | bytes | None, bytes | None, bytes] | None: ...
