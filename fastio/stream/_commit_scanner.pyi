from typing_extensions import Buffer

from fastio.stream._plain_commit import PlainCommit

INCOMPLETE: int

def scan_plain_commit(
    buffer: Buffer,
    start: int,
    end: int,
    *,
    base: int,
    number: int,
    optional_lf: bool,
    max_body: int,
) -> tuple[PlainCommit | None, int]: ...
