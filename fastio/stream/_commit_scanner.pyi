from typing_extensions import Buffer

from fastio.stream._plain_commit import PlainCommit

INCOMPLETE: int

class CommitScanner:
    def take(
        self,
        buffer: Buffer,
        start: int,
        end: int,
        *,
        base: int,
        number: int,
        optional_lf: bool,
        max_body: int,
        eof: bool = False,
    ) -> tuple[PlainCommit | None, int]: ...
