from collections.abc import Callable

from fastio.store.multi_pack_index import MultiPackIndex
from fastio.store.pack_reader import PackFile

class PackSearch:
    def __init__(
        self,
        oid_size: int,
        open_packs: Callable[[], list[PackFile] | None],
        has_slowly: Callable[[bytes], bool],
        kind_slowly: Callable[[bytes], int],
        *,
        replaces: bool,
        open_multi: Callable[[], list[MultiPackIndex]] = ...,
    ) -> None: ...
    @property
    def replaces(self) -> bool: ...
    def has(self, oid: bytes) -> bool: ...
    def kind(self, oid: bytes) -> int | None: ...
    def forget(self) -> None: ...
