from collections.abc import Callable
from typing import Final, final

from typing_extensions import Buffer

LARGEST: Final[int]
MOST: Final[int]
OUT_ROOM: Final[int]
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
    def deflate(
        self,
        numbers: list[int],
        chosen: tuple[Callable[[Buffer, int], bytes], int] | None,
        out: Buffer,
    ) -> tuple[bytes, int]: ...
    def find_cr(self, watched: Buffer) -> int: ...
