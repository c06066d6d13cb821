from typing import final

from typing_extensions import Buffer

from fastio.stream import commands as c

INCOMPLETE: int

@final
class PlainCommit:
    text: bytes
    offset: int
    number: int
    mark: int
    start_from: int
    def header(self) -> c.Commit: ...
    def changes(self) -> list[tuple[int, c.FileModify | c.FileDelete]]: ...
    @property
    def ref(self) -> bytes: ...
    @property
    def original_oid(self) -> bytes | None: ...
    @property
    def message(self) -> bytes: ...
    def lines(self, offset: int) -> list[bytes]: ...

def scan_plain_commit(
    data: Buffer,
    start: int,
    end: int,
    *,
    base: int,
    number: int,
    optional_lf: bool,
) -> tuple[PlainCommit | None, int]: ...
