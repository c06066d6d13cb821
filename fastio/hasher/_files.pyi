from collections.abc import Callable
from typing import Final, final

from typing_extensions import Buffer

from fastio.objects.kinds import Oid

LARGEST: Final[int]
MOST: Final[int]
QUICK: Final[int]
ROOM: Final[int]

def is_there(path: bytes) -> bool: ...

@final
class FileReader:
    def __new__(cls) -> FileReader: ...
    @property
    def count(self) -> int: ...
    @property
    def refused(self) -> bool: ...
    def read(self, paths: list[bytes], first: int = 0) -> int: ...
    def oids(self) -> bytes: ...
    def content(self, number: int) -> bytes: ...
    def deflated(
        self,
        oids: list[Oid],
        numbers: list[int],
        chosen: tuple[Callable[[Buffer, int], bytes], int] | None,
    ) -> list[tuple[Oid, int, bytes]]: ...
    def find_cr(self, watched: Buffer) -> int: ...
